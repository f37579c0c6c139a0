"""Whether queueing can explain recorded waits, and what was in use, who waited and who had room over time."""

import numpy as np

from loadmaster.measure.queueing_check import room_over_time, why_unexplained
from loadmaster.measure.recorded_metrics import recorded
from loadmaster.model import Cluster, Workload

ONE_CORE = Cluster.uniform(1, cores=1)


def test_waits_for_a_core_that_was_taken_are_explained() -> None:
    jobs = Workload.of(submit_s=[0, 0, 0], runtime_s=[10, 10, 10], cores=[1, 1, 1], recorded_wait_s=[0, 10, 20])
    assert why_unexplained(recorded(jobs, ONE_CORE)) == ""


def test_more_in_use_than_there_is_means_shared_machines() -> None:
    jobs = Workload.of(submit_s=[0, 0, 10], runtime_s=[10, 10, 10], cores=[1, 1, 1], recorded_wait_s=[0, 0, 1])
    assert "at most 2 times as many), so jobs shared machines" in why_unexplained(recorded(jobs, ONE_CORE))


def test_waits_beside_idle_cores_are_no_queueing() -> None:
    jobs = Workload.of(submit_s=[0, 100], runtime_s=[10, 10], cores=[1, 1], recorded_wait_s=[50, 50])
    guessed, sure = (why_unexplained(recorded(jobs, ONE_CORE, known=known)) for known in (False, True))
    assert guessed.startswith("100 % of the waiting passed while there was room for the job, so if these are your mach")
    assert sure.endswith("the job, so it is holds, limits, dependencies or policy, not queueing")


def test_a_log_in_which_nobody_waited_says_nothing_of_queueing() -> None:
    jobs = Workload.of(submit_s=[0, 100], runtime_s=[10, 10], cores=[1, 1], recorded_wait_s=[0, 0])
    assert why_unexplained(recorded(jobs, ONE_CORE)) == "no job waited"


def test_jobs_of_unknown_start_are_said() -> None:
    jobs = Workload.of(submit_s=[0, 100], runtime_s=[10, 10], cores=[1, 1], recorded_wait_s=[5, np.nan])
    assert why_unexplained(recorded(jobs, ONE_CORE)) == "of 1 of 2 jobs it is not known when they started"


def test_every_span_has_the_most_in_use_and_the_jobs_that_wait_in_its_middle() -> None:
    jobs = Workload.of(
        submit_s=[0, 0, 0, 100], runtime_s=[55, 10, 10, 1], cores=[1, 1, 2, 1], recorded_wait_s=[0, 60, 70, 0]
    )
    seen = room_over_time(jobs, Cluster.uniform(1, cores=2), spans=5)
    assert seen.since_s.tolist() == [0, 20, 40, 60, 80]
    assert seen.highest.tolist() == [0.5, 0.5, 0.5, 1.0, 0.0]
    assert seen.waiting.tolist() == [2, 2, 2, 0, 0]
    assert seen.with_room.tolist() == [1, 1, 1, 0, 0]
