"""The synthetic logs of the benchmarks have the figures that they are drawn for."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from archive_like import DAY_S, LIMITS_S, MACHINES, drawn


@pytest.mark.parametrize("name", MACHINES)
def test_a_drawn_log_has_the_figures_of_its_machine(name):
    machine = MACHINES[name]
    workload, cluster = drawn(machine)
    tasks, runtime_s = workload.task_count, workload.runtime_s
    assert workload.synthetic
    assert workload.jobs == machine.jobs, "every job fits"
    assert workload.span_s == pytest.approx(machine.span_days * DAY_S, rel=0.001)
    assert workload.offered_load(cluster) == pytest.approx(machine.load, rel=0.005)
    assert machine.most_tasks / 2 < tasks.max() <= machine.most_tasks
    assert tasks.mean() == pytest.approx(machine.mean_tasks, rel=0.15)
    assert (tasks == 1).mean() == pytest.approx(machine.serial, abs=0.01)
    parallel = tasks[tasks > 1]
    assert (parallel & (parallel - 1) == 0).mean() > 0.7, "most sizes are powers of two"
    assert runtime_s.min() >= 1
    assert runtime_s.max() <= 3 * DAY_S
    assert 600 < np.median(runtime_s) < 4 * 3600
    assert np.corrcoef(np.log(tasks), np.log(runtime_s))[0, 1] > 0.1, "larger jobs run longer"


def test_limits_are_round_and_never_below_the_runtime():
    workload, _ = drawn(MACHINES["RICC-like"])
    assert (workload.expected_s >= workload.runtime_s).all()
    assert np.isin(workload.expected_s, LIMITS_S).mean() > 0.99


def test_arrivals_are_rarer_at_night_and_at_a_weekend():
    workload, _ = drawn(MACHINES["RICC-like"])
    hour = workload.submit_s // 3600 % 24
    assert np.isin(hour, [12, 13, 14, 15]).sum() > 2 * np.isin(hour, [0, 1, 2, 3]).sum()
    day = workload.submit_s // DAY_S % 7
    assert (day < 5).mean() > 0.8


def test_jobs_of_a_burst_are_alike_and_come_together():
    workload, _ = drawn(MACHINES["RICC-like"])
    same = (workload.demand[1:] == workload.demand[:-1]).all(1) & (workload.task_count[1:] == workload.task_count[:-1])
    assert same.mean() > 0.4
