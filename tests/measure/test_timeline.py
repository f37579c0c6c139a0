import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_runs import runs
from timeline_reference import sweep_plainly

from loadmaster.measure.timeline import queue_series, task_events, thinned, timeline, typical_demand
from loadmaster.measure.timeline_kernel import empty_sums, sweep
from loadmaster.measure.usage import host_use, utilization
from loadmaster.model import Cluster, Cycles, Schedule, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate


@given(runs() | runs(on_cards=True), st.integers(1, 9), st.sampled_from([10.0, 33.0, 100.0]))
def test_the_kernel_sweeps_as_the_plain_reference_does(run, bins, width):
    workload, cluster, schedule = run
    plain, fast = empty_sums(bins, 2), empty_sums(bins, 2)
    first = float(workload.submit_s[0])
    sweep_plainly(task_events(workload, cluster, schedule), first, width, plain)
    sweep(task_events(workload, cluster, schedule), first, width, fast)
    for expected, found in zip(plain[:4], fast[:4], strict=True):
        assert found == pytest.approx(expected, abs=1e-9)


@given(runs())
def test_time_that_is_used_agrees_with_the_utilization_of_the_whole_run(run):
    workload, cluster, schedule = run
    line = timeline(workload, cluster, schedule, bins=7)
    used_s = (line.used * np.diff(line.edges_s)[:, None]).sum(axis=0) * cluster.total
    begin = np.minimum(schedule.start_s, line.edges_s[-1])
    end = np.minimum(schedule.start_s + workload.runtime_s, line.edges_s[-1])
    assert used_s == pytest.approx(((end - begin) * workload.task_count) @ workload.demand)


@given(runs())
def test_hosts_together_use_what_the_cluster_uses(run):
    workload, cluster, schedule = run
    use = host_use(workload, cluster, schedule)
    whole = utilization(workload, cluster, schedule)
    shares = (use.busy * cluster.capacity).sum(axis=0) / cluster.total
    assert shares == pytest.approx(list(whole.values()))
    assert use.tasks.sum() == (schedule.host >= 0).sum()


def test_memory_left_on_a_host_whose_cores_are_all_taken_is_stranded():
    workload = Workload.of(submit_s=[0, 0, 100], runtime_s=[100, 100, 100], cores=[2, 2, 2], memory=[2, 2, 2])
    cycles = Cycles(np.array([0.0, 100.0]), np.array([2, 1]), np.array([2, 1]), np.zeros(2, np.int64))
    schedule = Schedule(np.array([0.0, 0, 100]), np.array([0, 0, 0], np.int32), cycles)
    line = timeline(workload, Cluster.uniform(2, cores=4, memory=16), schedule, bins=2)
    # Host 0 holds 4 of 4 cores and 4 of 16 memory: its 12 are stranded, of 32 in all. Host 1 is wholly free.
    assert line.stranded == pytest.approx(np.array([[0, 12 / 32]] * 2))
    assert line.used == pytest.approx(np.array([[4 / 8, 4 / 32]] * 2))


def test_cores_left_on_a_host_whose_memory_is_used_up_are_stranded():
    workload = Workload.of(submit_s=[0, 50], runtime_s=[100, 100], cores=[1, 1], memory=[15, 15])
    cycles = Cycles(np.array([0.0, 50.0]), np.array([1, 1]), np.array([1, 1]), np.zeros(2, np.int64))
    schedule = Schedule(np.array([0.0, 50]), np.array([0, 1], np.int32), cycles)
    line = timeline(workload, Cluster.uniform(2, cores=4, memory=16), schedule, bins=1)
    assert line.stranded[0] == pytest.approx([3 / 8, 0])
    assert line.mean_stranded(50.0) == pytest.approx([3 / 8, 0])


def test_parts_of_two_cards_of_which_none_is_enough_are_stranded_with_the_cores_beside_them():
    workload = Workload.of(submit_s=[0, 0, 50], runtime_s=[100, 100, 9], cores=[1, 1, 1], gpus=[0.6, 0.7, 0.7])
    cycles = Cycles(np.array([0.0, 100.0]), np.array([2, 1]), np.array([2, 1]), np.zeros(2, np.int64))
    cards = np.array([1, 2, 1])
    schedule = Schedule(np.array([0.0, 0, 100]), np.zeros(3, np.int32), cycles, cards=cards)
    line = timeline(workload, Cluster.uniform(1, cores=4, gpus=2), schedule, bins=1)
    # .4 and .3 of two cards are .7 in all, a typical request, and 2 of 4 cores are free
    assert line.stranded[0] == pytest.approx([2 / 4, 0.7 / 2])


def test_a_typical_task_is_the_median_over_tasks_not_over_jobs():
    workload = Workload.of(submit_s=[0, 0, 0], runtime_s=[1, 1, 1], cores=[1, 8, 8], memory=[4, 2, 2], tasks=[9, 1, 1])
    assert typical_demand(workload).tolist() == [1.0, 4.0]


@given(st.lists(st.integers(0, 50), min_size=50, max_size=400))
def test_a_thinned_series_keeps_its_peak_its_trough_and_how_it_ends(lengths):
    time, kept = thinned(np.arange(len(lengths), dtype=float), np.array(lengths, float), 40)
    assert time.size <= 40
    assert (kept.min(), kept.max(), kept[-1]) == (min(lengths), max(lengths), lengths[-1])
    assert np.all(np.diff(time) > 0)


def test_a_series_at_one_moment_is_thinned_too():
    assert thinned(np.zeros(5), np.array([3.0, 1, 4, 1, 5]), 3)[1].tolist() == [1.0, 5.0]


def test_nobody_is_drawn_as_waiting_while_nobody_waits():
    """Four jobs come together while the cluster is idle, start at the next cycle, and hours of silence follow."""
    log = Workload.of(submit_s=[1, 1, 1, 1, 50_000], runtime_s=[60] * 5, cores=[1] * 5)
    found = simulate(log, Cluster.uniform(4, cores=4), POLICIES["first-fit"], discipline_named("easy"), interval_s=30)
    queue = queue_series(log, found)
    assert dict(zip(queue.time_s.tolist(), queue.length.tolist(), strict=True)) == {1: 4, 30: 0, 50_000: 1, 50_010: 0}
    assert queue.between(40.0, 60.0).length.tolist() == [0.0, 0.0]


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
def test_the_queue_over_time_has_the_mean_that_littles_law_gives(seed):
    rng = np.random.default_rng(seed)
    log = Workload.of(
        submit_s=np.sort(rng.integers(0, 500, 40)), runtime_s=rng.integers(1, 90, 40), cores=rng.integers(1, 5, 40)
    )
    found = simulate(log, Cluster.uniform(2, cores=4), POLICIES["first-fit"], discipline_named("easy"), interval_s=7)
    queue = queue_series(log, found)
    assert (queue.length >= 0).all()
    assert queue.length[-1] == 0
    assert np.sum(queue.length[:-1] * np.diff(queue.time_s)) == pytest.approx(np.sum(found.start_s - log.submit_s))
