import numpy as np
import pytest
from hypothesis import given
from small_runs import runs

from loadmaster.measure import member_shares, metrics, waits
from loadmaster.measure.distribution import EDGES_S, share_within, wait_counts
from loadmaster.model import Cluster, Cycles, Schedule, Workload


@given(runs())
def test_means_are_those_of_the_definitions(run):
    workload, cluster, schedule = run
    row = metrics(workload, cluster, schedule)
    wait = [float(s - a) for s, a in zip(schedule.start_s, workload.submit_s, strict=True)]
    bounded = [max((w + r) / max(r, 10), 1.0) for w, r in zip(wait, workload.runtime_s, strict=True)]
    plain = [(w + r) / max(r, 1) for w, r in zip(wait, workload.runtime_s, strict=True)]
    assert row.mean_wait_s == pytest.approx(np.mean(wait))
    assert row.median_wait_s == pytest.approx(np.median(wait))
    assert row.p95_wait_s == pytest.approx(np.percentile(wait, 95))
    assert row.mean_bounded_slowdown == pytest.approx(np.mean(bounded))
    assert row.mean_slowdown == pytest.approx(np.mean(plain))
    assert row.cycles == schedule.cycles.time_s.size


def test_jobs_that_never_start_are_counted_and_left_out_of_the_means():
    workload = Workload.of(submit_s=[0, 10], runtime_s=[100, 100], cores=[1, 9])
    cycles = Cycles(np.array([0.0, 10.0]), np.array([1, 1]), np.array([1, 0]), np.array([0, 0]))
    schedule = Schedule(np.array([0.0, np.nan]), np.array([0, -1], np.int32), cycles)
    row = metrics(workload, Cluster.uniform(1, cores=1), schedule)
    assert (row.unstarted, row.mean_wait_s, row.mean_slowdown, row.makespan_s) == (1, 0.0, 1.0, 100.0)


def test_a_workload_without_jobs_measures_as_zero():
    workload = Workload.of(submit_s=[], runtime_s=[], cores=[])
    none = np.array([], np.int64)
    schedule = Schedule(np.array([]), np.array([], np.int32), Cycles(np.array([]), none, none, none))
    row = metrics(workload, Cluster.uniform(1, cores=1), schedule)
    assert (row.jobs, row.mean_wait_s, row.mean_queue_length, row.makespan_s) == (0, 0.0, 0.0, 0.0)


def test_utilization_ends_with_the_last_arrival():
    workload = Workload.of(submit_s=[0, 100], runtime_s=[50, 1000], cores=[1, 1])
    cycles = Cycles(np.array([0.0, 100.0]), np.array([1, 1]), np.array([1, 1]), np.array([0, 0]))
    schedule = Schedule(np.array([0.0, 100.0]), np.zeros(2, np.int32), cycles)
    assert metrics(workload, Cluster.uniform(1, cores=1), schedule).utilization == {"cores": 0.5}


@given(runs())
def test_every_wait_is_in_the_bin_between_whose_edges_it_lies(run):
    workload, _, schedule = run
    wait = waits(workload, schedule)
    counts = wait_counts(wait)
    assert counts.sum() == wait.size
    for b in np.flatnonzero(counts):
        assert counts[b] == ((wait >= EDGES_S[b]) & (wait < EDGES_S[b + 1])).sum()
    assert share_within(counts)[-1] == 1.0


def test_a_wait_beyond_the_last_edge_is_in_the_last_bin():
    assert wait_counts(np.array([1e12]))[-1] == 1


def test_members_that_tie_are_all_counted():
    first, second = member_shares(np.array([0b01, 0b11, 0b11, 0]), ("a", "b"))
    assert (first.chosen, second.chosen) == (1.0, pytest.approx(2 / 3))
    assert (first.alone, second.alone) == (pytest.approx(1 / 3), 0.0)
