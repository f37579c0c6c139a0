from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from small_runs import runs

from loadmaster.measure import violations
from loadmaster.model import Cluster, Cycles, Schedule, Workload


@given(runs())
def test_what_the_engine_makes_is_sound(run):
    assert violations(*run) == ()


@given(runs(), st.data())
def test_a_job_moved_before_its_arrival_is_found(run, data):
    workload, cluster, schedule = run
    job = data.draw(st.integers(0, workload.jobs - 1))
    start = schedule.start_s.copy()
    start[job] = workload.submit_s[job] - 1.0
    (found,) = violations(workload, cluster, replace(schedule, start_s=start))
    assert "before it arrives" in found


@given(runs())
def test_overfilled_hosts_are_found_as_by_looking_at_every_second(run):
    workload, cluster, schedule = run
    crowded = replace(schedule, host=np.zeros_like(schedule.host))
    found = [text for text in violations(workload, cluster, crowded) if "holds" in text]
    assert bool(found) == overfilled_at_some_second(workload, cluster, crowded)


def overfilled_at_some_second(workload, cluster, schedule):
    job = np.repeat(np.arange(workload.jobs), workload.task_count)
    for second in range(2000):
        on = (schedule.start_s <= second) & (schedule.start_s + workload.runtime_s > second)
        held = np.zeros(cluster.capacity.shape)
        np.add.at(held, schedule.host[on[job]], workload.demand[job[on[job]]])
        if (held > cluster.capacity).any():
            return True
    return False


def test_a_host_that_takes_over_at_the_moment_of_an_end_is_sound():
    assert violations(*back_to_back()) == ()


def test_one_second_of_overlap_is_found_and_named():
    workload, cluster, schedule = back_to_back()
    overlapping = replace(schedule, start_s=np.array([0.0, 9.0]))
    found = violations(workload, cluster, overlapping)
    assert found[0] == "host 0 holds 2 of 1 cores at 9 s (1 hosts overfilled)"


def test_a_task_without_a_host_is_found():
    workload, cluster, schedule = back_to_back()
    (found,) = violations(workload, cluster, replace(schedule, host=np.array([0, -1], np.int32)))
    assert "without a host" in found


def test_a_host_without_a_start_is_found():
    workload, cluster, schedule = back_to_back()
    (found,) = violations(workload, cluster, replace(schedule, start_s=np.array([0.0, np.nan])))
    assert "has a host but no start" in found


def test_a_host_that_does_not_exist_is_found():
    workload, cluster, schedule = back_to_back()
    (found,) = violations(workload, cluster, replace(schedule, host=np.array([0, 7], np.int32)))
    assert "beyond the 1 of the cluster" in found


def test_columns_of_another_length_are_found():
    workload, cluster, schedule = back_to_back()
    (found,) = violations(workload, cluster, replace(schedule, host=np.array([0], np.int32)))
    assert "2 jobs with 2 tasks" in found


def test_cycles_that_count_other_starts_are_found():
    workload, cluster, schedule = back_to_back()
    doctored = replace(schedule.cycles, started=np.array([2, 1]))
    assert any(
        "cycles count 3 starts" in text for text in violations(workload, cluster, replace(schedule, cycles=doctored))
    )


def back_to_back():
    """Two jobs of ten seconds, one after the other on one core."""
    workload = Workload.of(submit_s=[0, 0], runtime_s=[10, 10], cores=[1, 1])
    cycles = Cycles(np.array([0.0, 10.0]), np.array([2, 1]), np.array([1, 1]), np.array([0, 0]))
    return workload, Cluster.uniform(1, cores=1), Schedule(np.array([0.0, 10.0]), np.zeros(2, np.int32), cycles)
