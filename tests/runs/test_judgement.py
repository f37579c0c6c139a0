"""What samples say of rules: differences against one baseline across disciplines, a best or none, and why."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from loadmaster.measure.resample import WEEK_S
from loadmaster.model import Cluster, Workload
from loadmaster.runs import Case, Setting, Threads
from loadmaster.runs.judgement import Sampled, judgement
from loadmaster.runs.samples import Drawing, SampleRun
from loadmaster.runs.sweep import sweep

RULES = [Setting("first-fit"), Setting("mix-fit"), Setting("first-fit", "easy")]


@lru_cache
def case(weeks=8):
    jobs = 12 * weeks
    submit_s = np.linspace(0, weeks * WEEK_S, jobs)
    log = Workload.of(submit_s=submit_s, runtime_s=np.full(jobs, 3600.0), cores=np.ones(jobs), user=np.arange(jobs) % 6)
    return Case(log, Cluster.uniform(1, cores=2))


@lru_cache
def outcomes():
    return sweep(case(), RULES[:1], None, Threads(1))


def ran(levels, samples=60, noise=0.02, unstarted=(0, 0, 0), seed=0):
    rng = np.random.default_rng(seed)
    common = rng.normal(0, 1, samples)
    rows = []
    for level, left in zip(levels, unstarted, strict=False):
        waits = np.exp(common + level + rng.normal(0, noise, samples))
        rows.append(tuple(SampleRun(10, left, 3, {"mean_wait_s": float(wait)}) for wait in waits))
    return tuple(rows)


def judge(levels, how="users", of=None, wait=1.0, **more):
    first = outcomes()[0]
    rows = [replace(first, setting=s, metrics=replace(first.metrics, mean_wait_s=wait)) for s in RULES[: len(levels)]]
    return judgement(of or case(), rows, "first-fit", Sampled(Drawing(how), ran(levels, **more)))


def test_a_discipline_that_is_better_than_every_policy_is_the_best_in_the_same_unit():
    found = judge([0, -0.1, -0.7])
    assert (found.kind, found.best) == ("best", (RULES[2],))
    assert found.baseline == RULES[0]
    assert found.rows[0].difference is None
    assert found.rows[2].difference.change[0] == pytest.approx(np.exp(-0.7) - 1, abs=0.01)
    assert found.second[0] == RULES[1]


def test_what_cannot_be_told_from_the_leader_is_tied_and_how_many_weeks_would_tell_is_said():
    found = judge([0, -0.5, -0.51], noise=0.05)
    assert (found.kind, set(found.best)) == ("tied", set(RULES[1:]))
    second = next(row for row in found.rows if row.setting == found.best[1])
    assert second.weeks > 8
    assert found.rows[0].weeks is None


def test_a_short_log_has_differences_called_chaos_and_no_verdict():
    found = judge([0, -0.5], of=case(3))
    assert (found.kind, found.best) == ("none", ())
    assert "3 whole weeks" in found.because
    assert found.rows[1].difference.how == "chaos"


def test_shaken_arrivals_never_name_a_best():
    assert judge([0, -3], how="shake").kind == "none"


def test_seeds_need_no_weeks():
    found = judge([0, -0.5], how="seeds", of=case(1), samples=12)
    assert found.kind == "best"
    assert found.rows[1].difference.how == "mean"


def test_a_rule_that_leaves_more_jobs_waiting_for_ever_is_not_judged():
    found = judge([0, -0.5, -3], unstarted=(0, 0, 4))
    assert (found.kind, found.best) == ("best", (RULES[1],))
    assert found.rows[2].difference is None
    assert found.rows[2].lowest_in == 0


def test_the_logs_own_wait_has_its_rank_among_the_samples():
    waits = sorted(run.mean_wait_s for run in ran([0])[0])
    assert judge([0, 0], wait=waits[30]).rows[0].rank == 31
    assert judge([0, 0], wait=0.0).rows[0].rank == 1


def test_parts_in_which_each_is_lowest_add_up_to_one_without_ties():
    found = judge([0, 0.05, -0.02], noise=0.3)
    assert sum(row.lowest_in for row in found.rows) == pytest.approx(1)


def test_dependencies_cut_are_counted():
    assert judge([0, 0]).sampled.cut == 3


def test_of_a_race_who_was_left_behind_stays_behind_and_intervals_are_those_of_its_look():
    runs = ran([0, -0.5, 2.0], samples=20)
    first = outcomes()[0]
    rows = [replace(first, setting=s) for s in RULES]
    sampled = Sampled(Drawing("seeds"), (runs[0], runs[1], runs[2][:10]), (2, 2, 1), "best")
    found = judgement(case(), rows, "first-fit", sampled)
    assert (found.kind, found.best) == ("best", (RULES[1],))
    assert found.rows[2].samples == 10
    plain = judgement(case(), rows, "first-fit", Sampled(Drawing("seeds"), runs))
    raced, usual = found.rows[1].difference, plain.rows[1].difference
    assert raced.low < usual.low < usual.high < raced.high, "repeated intervals are wider"
