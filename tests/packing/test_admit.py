"""Admission: whoever is let in has the yield, by whatever method, and those who are refused had to be."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subset_oracle import subset_oracle

from loadmaster.model.errors import InputError
from loadmaster.packing import Instance, PackOptions
from loadmaster.packing.admit import admit
from loadmaster.packing.check import violations
from loadmaster.packing.fewer_tasks import without
from loadmaster.packing.packing import Attempt
from loadmaster.packing.solve import PACKERS

QUICK = PackOptions(time_limit_s=600, attempts=5_000)


def crowd(seed, tasks=12, hosts=2, weighted=False):
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.2, 3, tasks) if weighted else None
    return Instance.of(hosts, cpu=rng.uniform(0.1, 0.9, tasks), memory=rng.uniform(0.02, 0.4, tasks), weight=weight)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("method", [m for m in PACKERS if m not in ("highs-paper", "rrnz", "fgd")])
def test_every_job_let_in_has_the_yield_whatever_the_method_and_the_weights(method, weighted):
    if method == "cp-sat":
        pytest.importorskip("ortools")
    for seed in range(3):
        instance = crowd(seed, weighted=weighted)
        if method == "cp-sat" and weighted:
            with pytest.raises(InputError, match="promised yields"):
                admit(instance, 0.8, method, QUICK)
            continue
        admission = admit(instance, 0.8, method, QUICK)
        assert admission.packing.min_yield >= 0.8 - 1e-9
        assert violations(admission.instance, admission.packing) == []
        assert 0 < admission.admitted.sum() < instance.jobs


def test_the_large_jobs_are_refused():
    instance = Instance.of(2, cpu=[0.9, 0.9, 0.4, 0.4, 0.9], memory=[0.1] * 5)
    admission = admit(instance, 0.9)
    assert admission.admitted.sum() == 3
    assert admission.packing.level >= 0.9
    assert admit(instance, 0.01).admitted.all()


def test_a_job_that_fits_nowhere_does_not_keep_the_others_out_however_heavy_it_is():
    weight = np.ones(80)
    weight[7] = 1e6
    memory = np.full(80, 0.01)
    memory[7] = 2.0
    admitted = admit(Instance.of(2, cpu=[0.01] * 80, memory=memory, weight=weight), 0.5).admitted
    assert admitted.sum() == 79
    assert not admitted[7]


def test_nobody_let_in_is_infeasible_with_the_reason():
    admission = admit(Instance.of(1, cpu=[2.0], memory=[0.1]), 0.9)
    assert not admission.admitted.any()
    assert (admission.packing.status, admission.packing.placed) == ("infeasible", False)
    assert "no job a yield of 0.9" in admission.packing.reason


def test_what_the_time_left_untried_is_said():
    packing = admit(crowd(3, tasks=60, hosts=4), 0.8, "mcb8", PackOptions(time_limit_s=1e-9)).packing
    assert (packing.placed, packing.status) == (False, "limit")
    assert "were up before any job was let in" in packing.reason


def test_jobs_let_in_keep_their_places_where_the_exact_method_finds_none(monkeypatch):
    nothing = replace(PACKERS["exact"], solve=lambda instance, options: Attempt(None, "limit", "exact"))
    monkeypatch.setitem(PACKERS, "exact", nothing)
    packing = admit(crowd(3), 0.8, "exact").packing
    assert packing.min_yield >= 0.8 - 1e-9
    assert (packing.status, packing.solver) == ("limit", "mcb8")
    assert "exact found no placement" in packing.notes[0]


def test_the_choice_of_jobs_and_the_timed_method_share_the_time(monkeypatch):
    given_s = {"mcb8": [], "exact": []}

    def noted(packer):
        def solve(instance, options):
            given_s[packer.name].append(options.time_limit_s)
            return PACKERS["mcb4"].solve(instance, options)

        return replace(packer, solve=solve)

    for name in given_s:
        monkeypatch.setitem(PACKERS, name, noted(PACKERS[name]))
    admit(crowd(3), 0.8, "exact", PackOptions(time_limit_s=100.0))
    assert max(given_s["mcb8"]) <= 50.0
    assert 0 < max(given_s["exact"]) < 100.0


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_admission_comes_near_the_most_jobs_that_can_have_the_yield(seed):
    instance = crowd(seed, tasks=7)
    most = 0
    for count in range(1, 8):
        for jobs in combinations(range(7), count):
            smaller = without(instance, ~np.isin(np.arange(7), jobs))
            best = subset_oracle(smaller)
            most = max(most, count if best.host is not None and best.bound >= 0.7 else 0)
    admitted = int(admit(instance, 0.7).admitted.sum())
    assert most - 1 <= admitted <= most
