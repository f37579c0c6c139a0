"""Slurm's two loops (rules Q13 to Q15): by hand, and what a real Slurm 22.05 did."""

from dataclasses import replace

import numpy as np
import pytest
from small_queues import starts
from snapshots import placed, snapshot

from loadmaster.backfilling import SchedulingPass, Slurm
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.snapshot import NextLoops, Running
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline
from loadmaster.scheduling import discipline_named as named


def on_whole_hosts(hosts, submit_s, tasks, limit_s, runtime_s=None):
    """Jobs of whole hosts of one core each."""
    return Workload.of(
        submit_s=submit_s,
        runtime_s=runtime_s or limit_s,
        cores=[1] * len(tasks),
        tasks=np.array(tasks, np.int32),
        estimate_s=np.array(limit_s, float),
    ), Cluster.uniform(hosts, cores=1)


FIVE = on_whole_hosts(4, [0, 5, 10, 335, 340], [2, 4, 2, 2, 2], [600, 600, 300, 240, 180], [600, 600, 300, 60, 60])


def test_five_jobs_start_in_the_main_and_the_backfill_pass_as_worked_out_by_hand():
    # Job 3 would end at 600, exactly when the reservation of job 1 begins: that is in its way. Job 4 ends before.
    assert starts(*FIVE, "slurm") == [0, 600, 30, 1200, 360]


def test_easy_at_every_event_starts_the_same_jobs_earlier():
    assert starts(*FIVE, "easy") == [0, 600, 10, 335, 395]


def test_without_the_backfill_pass_a_blocked_job_blocks_all_behind_it():
    assert starts(*FIVE, "slurm(bf_interval=none)") == starts(*FIVE, "fcfs+none")


def queue_state(hosts, tasks, limit_s, *, now_s=0.0, partition=None, allowed=None, running=(), **columns):
    """One-core hosts, busy as `running` (host, limit's end) says; jobs of some tasks with limits."""
    free = [(1.0, 0.0)] * hosts
    for host, _ in running:
        free[host] = (0.0, 0.0)
    state = snapshot([(1, 0)] * hosts, free, [(1, 0)] * len(tasks), tasks=list(tasks))
    if partition is not None:
        columns |= {"partition": np.array(partition, np.int32), "hosts": np.array(partition, np.int32)}
    queue = replace(state.queue, expected_s=np.array(limit_s, float), **columns)
    held = Running(
        np.arange(100, 100 + len(running)),
        np.array([host for host, _ in running], np.int32),
        np.array([(1.0, 0.0)] * len(running)).reshape(-1, 2),
        np.array([end for _, end in running], float),
        np.zeros(len(running), np.int32),
    )
    sets = None if allowed is None else np.array(allowed, bool)
    return replace(state, now_s=now_s, queue=queue, running=held, allowed=sets, partitions=sets)


def decide(state, **parameters):
    return Discipline(ORDERS["fcfs"], Slurm(**parameters)).serve(state, POLICIES["first-fit"])


BACKFILL_ONLY = {"arrived": False, "ended": False, "clock": NextLoops(0.0, np.inf, np.inf, 0.0)}


def planned(state, **parameters):
    """The promises of a backfill pass, by row."""
    this_pass = SchedulingPass(
        replace(state, **{**BACKFILL_ONLY, "clock": NextLoops(0, np.inf, np.inf, state.now_s)}), POLICIES["first-fit"]
    )
    Slurm(**parameters).serve(this_pass)
    return {row: promise.start_s for row, promise in this_pass.promised.items()}


def test_a_blocked_job_takes_its_partitions_hosts_from_overlapping_partitions_until_the_backfill_pass():
    # As on a real Slurm: one-core jobs of the second partition waited beside an idle host.
    state = queue_state(
        3,
        [3, 1],
        [600, 60],
        now_s=10.0,
        partition=[0, 1],
        allowed=[[1, 1, 1], [0, 0, 1]],
        running=[(0, 1000), (1, 1000)],
    )
    assert placed(decide(state)) == []
    assert placed(decide(replace(state, now_s=30.0))) == [(1, 2)]


def test_a_planned_job_holds_its_hosts_on_the_grid_so_the_next_is_planned_at_the_slot_that_ends_it():
    # As on a real Slurm: the first planned at 20:01:05 with a limit of 2 min, the next at 20:03:00.
    state = queue_state(1, [1, 1], [120, 120], now_s=30.0, running=[(0, 65.0)])
    assert planned(state) == {0: 65.0, 1: 180.0}


def test_a_reservation_lasts_at_least_one_slot():
    state = queue_state(1, [1, 1], [10, 10], now_s=30.0, running=[(0, 65.0)])
    assert planned(state) == {0: 65.0, 1: 120.0}


def test_a_job_that_comes_soon_after_a_pass_waits_and_may_be_overtaken():
    """As on a real Slurm: a job of higher priority that came a second later started first on an idle cluster."""
    workload, cluster = on_whole_hosts(2, [0, 1, 2], [1, 1, 2], [100, 50, 10])
    urgent = Discipline(ORDERS["largest"], Slurm())
    assert starts(workload, cluster, urgent) == [0, 110, 100]
    assert starts(workload, cluster, Discipline(ORDERS["largest"], Slurm(batch_sched_delay=0))) == [0, 1, 100]


def test_only_the_front_of_the_queue_is_tried_at_an_event_and_all_of_it_every_minute():
    state = queue_state(8, [1] * 8, [600] * 8, now_s=10.0)
    assert len(decide(state, default_queue_depth=2).place) == 3
    full = replace(state, now_s=60.0)
    assert len(decide(full, default_queue_depth=2, bf_interval=None).place) == 8


def test_the_main_pass_stops_at_its_counts():
    state = queue_state(8, [1] * 8, [600] * 8, now_s=10.0, partition=[0, 0, 0, 0, 1, 1, 1, 1], allowed=[[1] * 8] * 2)
    assert [job for job, _ in placed(decide(state, partition_job_depth=1))] == [0, 4]
    assert len(decide(state, sched_max_job_start=3).place) == 3


def test_the_backfill_pass_stops_at_its_counts():
    state = queue_state(8, [1] * 8, [600] * 8, now_s=30.0, user=np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32))
    backfill = replace(state, arrived=False, ended=False, clock=NextLoops(0, np.inf, np.inf, 30.0))
    assert len(decide(backfill).place) == 8
    assert len(decide(backfill, bf_max_job_test=5).place) == 5
    assert len(decide(backfill, bf_max_job_start=3).place) == 3
    assert [job for job, _ in placed(decide(backfill, bf_max_job_user=1))] == [0, 4]


@pytest.mark.parametrize(("one", "expected"), [(False, {0: 1000.0, 1: 1000.0}), (True, {0: 1000.0})])
def test_a_job_of_several_partitions_is_planned_in_one_of_them_where_that_is_asked(one, expected):
    state = queue_state(
        2,
        [1, 1],
        [60, 60],
        now_s=30.0,
        partition=[0, 1],
        allowed=[[1, 0], [0, 1]],
        running=[(0, 1000.0), (1, 1000.0)],
        job=np.array([7, 7]),
    )
    assert planned(state, bf_one_resv_per_job=one) == expected


def test_jobs_for_which_nothing_is_kept_are_tried_for_now_only():
    state = queue_state(
        2, [2, 2, 1], [60] * 3, now_s=30.0, running=[(0, 1000.0)], eligible_s=np.array([0.0, 25.0, 25.0])
    )
    assert planned(state, bf_min_age_reserve=10) == {0: 1000.0}
    assert planned(state, bf_job_part_count_reserve=1) == {0: 1000.0}
    assert planned(state) == {0: 1000.0, 1: 1020.0}


def test_who_keeps_nothing_does_not_block_its_partition():
    state = queue_state(2, [2, 1], [60, 60], now_s=10.0, running=[(0, 1000.0)], no_reserve=np.array([True, False]))
    assert placed(decide(state)) == [(1, 1)]
    assert placed(decide(replace(state, queue=replace(state.queue, no_reserve=None)))) == []


def test_ends_within_a_window_of_thirty_seconds_count_as_the_last_of_them():
    state = queue_state(3, [1], [60], now_s=0.0, running=[(0, 100.0), (1, 125.0), (2, 200.0)])
    assert planned(state) == {0: 125.0}


def test_a_job_past_its_limit_is_about_to_be_stopped():
    state = queue_state(1, [1], [60], now_s=300.0, running=[(0, 290.0)])
    assert planned(state) == {0: 320.0}
    assert planned(replace(state, now_s=330.0)) == {0: 331.0}
    assert planned(state, over_time_limit=1) == {0: 380.0}


def test_reservations_reach_no_further_than_the_window():
    state = queue_state(1, [1], [60], now_s=0.0, running=[(0, 7200.0)])
    assert planned(state, bf_window=60) == {}
    assert planned(state, bf_window=120) == {0: 7200.0}


def test_a_job_beyond_a_limit_blocks_its_partition_only_where_the_site_says_so():
    state = queue_state(2, [1, 1], [60, 60], now_s=10.0)
    limited = replace(state, left=np.array([0.0]), queue=replace(state.queue, uses=(((0, 1.0),), ())))
    assert placed(decide(limited)) == [(1, 0)]
    assert placed(decide(limited, assoc_limit_stop=True)) == []


@pytest.mark.parametrize("text", ["slurm(bf_window=0)", "slurm(bf_interval=0)", "slurm(bf_resolution=4000)"])
def test_values_that_slurm_refuses_are_refused(text):
    with pytest.raises(InputError, match="as in Slurm"):
        named(text)
