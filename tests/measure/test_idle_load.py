"""Why machines idle although much is offered: said only where it is so, and the reason that applies."""

import numpy as np
import pytest

from loadmaster.measure.idle_load import why_idle, work_after
from loadmaster.model import Cluster, Cycles, Schedule, Workload

NONE = np.array([], np.int64)


def schedule(start_s):
    return Schedule(np.array(start_s, float), np.zeros(len(start_s), np.int32), Cycles(NONE * 1.0, NONE, NONE, NONE))


def told(log, cluster, start_s, used):
    return why_idle(log, cluster, schedule(start_s), np.array(used))


def test_long_jobs_that_run_on_after_the_last_arrival_are_named():
    log = Workload.of(submit_s=[0, 50, 100], runtime_s=[800, 50, 50], cores=[1, 1, 1])
    text = told(log, Cluster.uniform(1, cores=10), [0, 50, 100], [0.15])
    assert "Load 0.90 is offered, and 15 % of the cores" in text
    assert "83 % of the work is done after it (1 job runs longer than all arrivals take)" in text


def test_another_resource_that_runs_out_first_is_named():
    log = Workload.of(submit_s=[0, 100], runtime_s=[100, 100], cores=[3, 3], memory=[9, 9])
    text = told(log, Cluster.uniform(1, cores=10, memory=10), [0, 100], [0.3, 0.9])
    assert text.endswith("memory is offered 1.80, and runs out first.")


def test_jobs_that_fit_nowhere_beside_the_running_ones_are_counted():
    log = Workload.of(submit_s=[0, 1, 200], runtime_s=[100, 100, 1], cores=[6, 6, 6])
    text = told(log, Cluster.uniform(1, cores=10), [0, 100, 201], [0.4])
    assert "jobs wait that fit on no host" in text


@pytest.mark.parametrize("used", [0.5, 0.9])
def test_nothing_is_said_where_the_machines_are_used(used):
    log = Workload.of(submit_s=[0, 100], runtime_s=[100, 200], cores=[2, 2])
    assert told(log, Cluster.uniform(1, cores=10), [0, 100], [used]) == ""


def test_nothing_is_said_where_all_jobs_arrive_at_once():
    log = Workload.of(submit_s=[0, 0], runtime_s=[100, 200], cores=[2, 2])
    assert told(log, Cluster.uniform(1, cores=10), [0, 0], [0.1]) == ""


def test_work_after_the_last_arrival_is_counted_by_cores():
    log = Workload.of(submit_s=[0, 10], runtime_s=[20, 10], cores=[1, 3])
    assert work_after(log, schedule([0, 10])) == pytest.approx(40 / 50)
