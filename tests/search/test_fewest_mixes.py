"""Mixes of kinds of machine: beside trying all, what is said of the search, and what is not mixed."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.model import Cluster, Workload
from loadmaster.model.units import GB
from loadmaster.report.fewest import FewestFound, FewestRow, answer
from loadmaster.runs import Case, Setting, Threads
from loadmaster.runs.machines import MachineSet
from loadmaster.runs.sweep import sweep
from loadmaster.search import fewest_mixes
from loadmaster.search.fewest import Target, fewest, holds_all
from loadmaster.search.fewest_mixes import cheapest_mix, joined, kinds_to_mix
from loadmaster.traces.host_range import proportions_of, range_of

SETTING = Setting("first-fit", "easy", interval_s=0.0)
KINDS = [range_of("1..3x16c64g@1"), range_of("1..3x32c128g@1.7")]


def busy(seed, most_cores=17):
    """80 jobs of up to 16 cores, and one of 20 that needs the larger kind."""
    rng = np.random.default_rng(seed)
    cores = np.append(rng.integers(1, most_cores, 79), 20)
    workload = Workload.of(
        submit_s=np.sort(rng.integers(0, 3000, 80)),
        runtime_s=rng.integers(20, 400, 80),
        cores=cores,
        memory=cores * 2.0 * GB,
    )
    return Case(workload, KINDS[1].at(3))


def searched(case, target, kinds=KINDS):
    alone = [each for kind in kinds for each in fewest(case, kind, [SETTING], target, None, Threads(1))]
    return alone, cheapest_mix(case, alone, target, None, Threads(1))


def cheapest_by_trying_all(case, target):
    """The price of the cheapest mix of up to 3 hosts of each kind."""
    best = np.inf
    for counts in product(range(4), repeat=2):
        if not any(counts):
            continue
        cluster = joined([kind.at(n) for kind, n in zip(KINDS, counts, strict=True) if n])
        if cluster.cost_per_hour < best and holds_all(case.workload, cluster):
            (ran,) = sweep(replace(case, cluster=cluster), [SETTING], None, Threads(1))
            best = cluster.cost_per_hour if target.met_by(ran.metrics) else best
    return best


@pytest.mark.parametrize(("seed", "p95_s"), [(1, 300.0), (2, 30.0), (3, 900.0)])
def test_the_answer_is_no_dearer_than_the_cheapest_of_all_mixes(seed, p95_s):
    case, target = busy(seed), Target(p95_s=p95_s)
    alone, mixes = searched(case, target)
    costs = [each.cluster.cost_per_hour for each in (*alone, mixes.cheapest) if each and each.cluster is not None]
    assert min(costs, default=np.inf) == pytest.approx(cheapest_by_trying_all(case, target))
    assert mixes.all_cheaper


def test_the_pairs_of_a_large_search_meet_the_target_and_are_cheaper(monkeypatch):
    monkeypatch.setattr(fewest_mixes, "MOST_RUNS", 12)
    kinds = [range_of("1..90x16c64g@1"), range_of("1..60x32c128g@1.9")]
    case, target = busy(4), Target(p95_s=5.0)
    alone, mixes = searched(replace(case, cluster=kinds[1].at(60)), target, kinds)
    assert mixes.runs <= 12
    if mixes.cheapest is not None:
        assert target.met_by(mixes.cheapest.outcome.metrics)
        assert mixes.cheapest.cluster.cost_per_hour < min(
            each.cluster.cost_per_hour for each in alone if each.cluster is not None
        )


@pytest.mark.parametrize(("all_cheaper", "words"), [(True, "all their mixes"), (False, "may be cheaper")])
def test_the_answer_says_what_was_searched(all_cheaper, words):
    case, target = busy(1), Target(p95_s=300.0)
    alone, mixes = searched(case, target)
    mixes = replace(mixes, all_cheaper=all_cheaper)
    found = [*alone, *([mixes.cheapest] if mixes.cheapest else [])]
    rows = tuple(FewestRow(MachineSet("machines", case), each) for each in found)
    said = answer(FewestFound(case, target, rows, mixes=(mixes,)))
    assert f"the cheapest of 2 kinds alone and of {'all' if all_cheaper else mixes.runs}" in said
    assert words in said


def test_kinds_without_prices_or_with_hosts_that_are_always_there_are_not_mixed():
    assert kinds_to_mix(KINDS)
    assert not kinds_to_mix(KINDS[:1])
    assert not kinds_to_mix([*KINDS, range_of("1..3x16c64g")])
    assert not kinds_to_mix([*KINDS, range_of("1..3x16c64g@1,1x64c256g@3")])
    assert kinds_to_mix([proportions_of(each.at(1), "given") for each in KINDS])


def test_the_verb_has_a_row_for_a_cheaper_mix():
    """40 cores at once: three small hosts cost 3, two large ones 3.4, and one of each 2.7."""
    log = Workload.of(submit_s=[0, 0, 0], runtime_s=[100, 100, 100], cores=[16, 16, 8], memory=[GB, GB, GB])
    found = lm.fewest(log, ["1..3x16c64g@1", "1..3x32c128g@1.7"], p95="1s", disciplines="easy", policies="first-fit")
    best = found.rows[-1]
    assert (best["mixed"], best["cost_per_hour"], best["count"]) == (True, 2.7, 2)
    assert best["mixes_tried"] >= 1
    assert found.found.best is found.found.answers[-1]


def test_a_mix_is_the_hosts_of_its_parts():
    whole = joined([Cluster.uniform(2, cores=4), Cluster.uniform(1, cores=8)])
    assert (whole.hosts, whole.capacity[:, 0].tolist(), whole.cost_per_hour) == (3, [4.0, 4.0, 8.0], None)
