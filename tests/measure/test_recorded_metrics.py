"""What really happened: metrics of the recorded starts, and whether queueing explains them (rules H1 to H4)."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.measure import waits
from loadmaster.measure.metric import built_in, values_of
from loadmaster.measure.recorded_metrics import free_over_time, recorded, recorded_schedule
from loadmaster.measure.scheduled import ScheduledJobs
from loadmaster.model import Cluster, Workload
from loadmaster.place.load import policy_named
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.traces import read_trace, write_trace

FOUR = Cluster.uniform(2, cores=2)


def jobs(*rows, **columns):
    """Rows of submit, runtime, cores, wait."""
    submit, runtime, cores, wait = zip(*rows, strict=True)
    return Workload.of(submit_s=submit, runtime_s=runtime, cores=cores, recorded_wait_s=wait, **columns)


def test_a_log_that_knows_no_start_has_no_record():
    assert recorded(Workload.of(submit_s=[0], runtime_s=[1], cores=[1]), FOUR) is None
    assert recorded(jobs((0, 1, 1, np.nan)), FOUR) is None


def test_the_record_of_a_small_log_is_as_worked_out_by_hand():
    # job 1 waits 10 s for job 0, then 5 s though two cores are free; job 2 waits for nothing
    found = recorded(jobs((0, 10, 4, 0), (0, 10, 2, 15), (20, 5, 2, 0)), FOUR)
    assert [found.values[name] for name in ("mean_wait_s", "longest_wait_s", "makespan_s")] == [5, 15, 25]
    assert (found.with_room, found.peak, found.over, found.unknown) == (5 / 15, {"cores": 1}, {"cores": 0}, 0)
    assert found.values["mean_queue_length"] == 15 / 25
    assert found.values["utilization_cores"] == (40 + 10) / 80


def test_use_above_capacity_is_the_part_of_the_time_until_the_last_arrival():
    found = recorded(jobs((0, 10, 4, 0), (0, 5, 2, 0), (20, 5, 2, 0)), FOUR)
    assert (found.peak, found.over) == ({"cores": 1.5}, {"cores": 0.25})


def test_a_job_that_ends_makes_room_for_one_that_starts_then():
    found = recorded(jobs((0, 10, 4, 0), (0, 10, 4, 10)), FOUR)
    assert (found.peak["cores"], found.with_room) == (1, 0)


def test_room_is_room_of_every_resource():
    both = Workload.of(submit_s=[0, 0], runtime_s=[10, 5], cores=[1, 1], memory=[8, 1], recorded_wait_s=[0, 10])
    assert recorded(both, Cluster.uniform(1, cores=4, memory=8)).with_room == 0
    assert recorded(both, Cluster.uniform(1, cores=4, memory=9)).with_room == 1


def test_before_the_first_start_and_after_the_last_end_all_is_free():
    assert recorded(jobs((0, 5, 4, 7)), FOUR).with_room == 1
    assert recorded(jobs((0, 5, 4, 0), (20, 5, 4, 7)), FOUR).with_room == 1


def test_where_one_start_is_unknown_use_and_queue_are_too():
    found = recorded(jobs((0, 10, 2, 0), (0, 10, 2, 4), (3, 10, 2, np.nan)), FOUR)
    assert (found.jobs, found.unknown, found.mean_wait_s) == (3, 1, 2)
    unknown = [found.values[name] for name in ("mean_queue_length", "makespan_s", "utilization_cores")]
    assert np.isnan(unknown).all()


def test_without_any_waiting_no_part_of_it_had_room():
    assert np.isnan(recorded(jobs((0, 5, 1, 0), (1, 5, 1, 0)), FOUR).with_room)


def test_scaled_arrivals_lose_what_really_happened():
    assert jobs((0, 5, 1, 3), (9, 5, 1, 3)).scaled(0.5).recorded_wait_s is None


ROW = st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(1, 2), st.integers(0, 40))
"""Submission, runtime, cores and wait of a job."""


@settings(max_examples=60, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=20))
def test_time_with_room_is_what_counting_second_by_second_gives(rows):
    work = jobs(*sorted(rows))
    since, free = free_over_time(work, FOUR, recorded_schedule(work))
    seconds = 0
    for job in range(work.jobs):
        for second in range(int(work.submit_s[job]), int(work.submit_s[job] + work.recorded_wait_s[job])):
            now = np.searchsorted(since, second, side="right") - 1
            seconds += work.demand[job, 0] <= (free[now, 0] if now >= 0 else 4)
    total = work.recorded_wait_s.sum()
    found = recorded(work, FOUR).with_room
    assert (found == seconds / total) if total else np.isnan(found)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(ROW, min_size=1, max_size=15), st.sampled_from(["first-fit", "best-fit-cores"]),
    st.sampled_from(["fcfs", "easy", "netbatch"]), st.sampled_from([".swf", ".csv", ".parquet"]),
)  # fmt: skip
def test_the_record_of_a_log_that_we_simulated_is_the_row_of_that_rule(tmp_path_factory, rows, policy, rule, ending):
    first, *others = sorted(rows)
    plain = replace(jobs((0, *first[1:]), *others), recorded_wait_s=None)
    schedule = simulate(plain, FOUR, policy_named(policy), discipline_named(rule), interval_s=7.0)
    path = tmp_path_factory.mktemp("log") / f"log{ending}"
    write_trace(replace(plain, recorded_wait_s=waits(plain, schedule)), path)
    read = read_trace(path).workload.on_single_host()
    candidate, record = values_of(ScheduledJobs(plain, FOUR, schedule)), recorded(read, FOUR).values
    known = [name for name, value in record.items() if not np.isnan(value)]
    assert [record[name] for name in known] == [candidate[name] for name in known]
    told = [name for name, value in candidate.items() if built_in(name).needs != "run" and not np.isnan(value)]
    assert known == told
