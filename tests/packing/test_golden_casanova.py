"""The worked examples of the packing model (rule K17)."""

from dataclasses import replace

import numpy as np
import pytest
from mcb_plain import pack_at

from loadmaster.packing import Instance, finish, pack
from loadmaster.packing.bound import upper_bound
from loadmaster.packing.check import violations
from loadmaster.packing.mcb import filling_order, mcb, problem_of, work_for
from loadmaster.packing.mcb_kernel import probe
from loadmaster.packing.mean_yield import yields_by_greed, yields_by_lp
from loadmaster.packing.packing import Attempt
from loadmaster.packing.solve import PACKERS, PackOptions
from loadmaster.packing.switches import PAPER, McbSwitches

FIVE = Instance.of(2, cpu=[0.9, 0.2, 0.7, 0.3, 0.5], memory=[0.1, 0.6, 0.2, 0.5, 0.3])
TIGHT = Instance.of(2, cpu=[0.0, 0.2, 0.5, 0.5], memory=[0.3, 0.3, 0.7, 0.7])


@pytest.mark.parametrize(
    ("level", "yields", "mean"),
    [(0.4, (1, 0.96, 0.4), 0.786667), (0.5, (1, 0.8, 0.5), 0.766667), (2 / 3, (2 / 3,) * 3, 2 / 3)],
)
def test_the_mean_yield_phase_serves_the_smallest_demand_first(level, yields, mean):
    instance = Instance.of(1, cpu=[0.2, 0.5, 0.8], memory=[0.1] * 3)
    got = yields_by_greed(instance, np.zeros(3, np.int32), level)
    assert got == pytest.approx(yields)
    assert got.mean() == pytest.approx(mean, abs=1e-6)
    assert yields_by_lp(instance, np.zeros(3, np.int32), level).mean() == pytest.approx(mean, abs=1e-6)


def test_five_tasks_have_the_published_bound():
    assert upper_bound(FIVE) == pytest.approx(0.769231, abs=1e-6)


@pytest.mark.parametrize("method", [name for name, packer in PACKERS.items() if packer.exact])
def test_every_exact_solver_finds_two_thirds_for_five_tasks(method):
    best = pack(FIVE, method)
    assert best.level == pytest.approx(2 / 3, abs=1e-6)
    assert {frozenset(np.flatnonzero(best.host == h)) for h in (0, 1)} == {frozenset({0, 1}), frozenset({2, 3, 4})}
    assert best.proven
    assert violations(FIVE, best) == []


@pytest.mark.parametrize(("method", "level"), [("gr", 0.588235), ("sg", 0.625)])
def test_greedy_levels_of_five_tasks(method, level):
    assert pack(FIVE, method).level == pytest.approx(level, abs=1e-6)


def test_mcb8_probes_five_tasks_as_published():
    order = filling_order(FIVE)
    problem = problem_of(FIVE, 8, order)
    work = work_for(problem)
    low, high, seen = 0.0, upper_bound(FIVE), []
    while high - low > 0.01:
        level = (low + high) / 2
        ok = probe(problem, work, level) == FIVE.tasks
        seen.append((round(level, 6), ok))
        low, high = (level, high) if ok else (low, level)
    assert seen == [
        (0.384615, True),
        (0.576923, True),
        (0.673077, False),
        (0.625, True),
        (0.649038, True),
        (0.661058, True),
        (0.667067, False),
    ]
    found = mcb(FIVE, 8, McbSwitches(threshold=0.01, probe_high=False))
    assert finish(FIVE, found).level == pytest.approx(2 / 3, abs=1e-6)
    assert found.effort == 7


@pytest.mark.parametrize(
    ("instance", "switches", "level"),
    [
        (FIVE, McbSwitches(0.01, probe_high=False, report="probe"), 0.661058),
        (TIGHT, McbSwitches(1e-3, probe_high=False, report="probe"), 0.999023),
        (FIVE, McbSwitches(0.3, probe_high=False, grid=40, report="probe"), 0.576923 + 19 / 41 * 0.192308),
    ],
)
def test_mcb8_may_report_the_last_successful_probe(instance, switches, level):
    packing = finish(instance, mcb(instance, 8, switches))
    assert packing.level == pytest.approx(level, abs=1e-6)
    assert packing.level < finish(instance, replace(mcb(instance, 8, switches), level=None)).level
    assert violations(instance, packing) == []


def test_mcb8_leaves_the_fifth_task_at_level_three_quarters():
    assert pack_at(np.hstack((FIVE.fluid * 0.75, FIVE.rigid)), np.ones((2, 2)), 8).tolist() == [0, 0, 1, 1, -1]
    problem = problem_of(FIVE, 8, filling_order(FIVE))
    work = work_for(problem)
    assert probe(problem, work, 0.75) < FIVE.tasks
    assert work.host[:2].tolist() == [0, 0]


def test_greedy_in_the_given_order_fails_where_sorting_or_backtracking_does_not():
    failed = pack(TIGHT, "gr")
    assert failed.status == "infeasible"
    assert not failed.proven
    assert failed.unplaced == 3
    for method in ("sg", "sgb", "gb"):
        assert pack(TIGHT, method).level == 1.0
    found = mcb(TIGHT, 8, PAPER)
    assert finish(TIGHT, found).level == 1.0
    assert pack(TIGHT, "mcb8", PackOptions(mcb=PAPER)).level == 1.0


def test_the_mean_yield_of_parallel_jobs_needs_the_linear_program():
    jobs = Instance.of(2, cpu=[0.5, 0.5, 0.6, 0.6], memory=[0.1] * 4, job=[0, 0, 1, 2])
    host = np.array([0, 1, 0, 1], np.int32)
    assert yields_by_lp(jobs, host, 0.8) == pytest.approx([0.8, 1, 1])
    packing = finish(jobs, Attempt(host, "ok", "given"))
    assert packing.level == pytest.approx(1 / 1.1)
    greedy = yields_by_greed(jobs, host, 0.8)
    per_job = [greedy[:2].min(), greedy[2], greedy[3]]
    assert per_job == pytest.approx([1, 0.833333, 0.833333], abs=1e-6)
    assert np.mean(per_job) == pytest.approx(0.888889, abs=1e-6)
    assert yields_by_lp(jobs, host, 0.8).mean() == pytest.approx(0.933333, abs=1e-6)
