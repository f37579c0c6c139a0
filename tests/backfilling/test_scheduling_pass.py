"""What a job of several rows is promised, and what becomes of that when it starts by another row."""

import numpy as np
import pytest

from loadmaster.backfilling import SchedulingPass
from loadmaster.model import Cluster, Constraints, Named, Partition, SiteRules, Workload
from loadmaster.model.snapshot import Closure, Promise, Queue, Running, Snapshot
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

NOWHERE = Closure(np.zeros(2, bool), 1e6, 2e6)


def this_pass(job, hosts, closures=()):
    """Two hosts of one core, the first busy until 50; a row of one core and 10 s for each of `job`."""
    many = len(job)
    queue = Queue(
        np.array(job),
        np.ones((many, 1)),
        np.ones(many, np.int32),
        np.full(many, 10.0),
        np.zeros(many, np.int32),
        np.arange(many),
        hosts=np.array(hosts, np.int32),
    )
    running = Running(np.array([9]), np.zeros(1, np.int32), np.ones((1, 1)), np.array([50.0]), np.zeros(1, np.int32))
    snapshot = Snapshot(
        0.0,
        Cluster.uniform(2, cores=1),
        np.array([[0.0], [1.0]]),
        queue,
        running,
        closures=closures,
        allowed=np.array([[True, False], [False, True]]),
    )
    return SchedulingPass(snapshot, POLICIES["first-fit"])


def test_what_was_only_noted_is_not_given_back_to_a_plan_that_never_held_it():
    first = this_pass([0, 0, 1], [0, 1, 0], (NOWHERE,))
    first.note(0, Promise(10.0, (0,)))
    assert first.start(1)
    assert first.promise(2) == 50.0


def test_a_moment_that_was_bound_to_hosts_is_given_back_once_the_job_starts_elsewhere():
    first = this_pass([0, 0, 1, 2], [0, 1, 0, 0])
    assert first.promise(0, moment=True) == 50.0
    assert first.promise(2, moment=True) == 60.0
    assert first.start(1)
    assert first.promise(3) == 50.0


def test_of_the_moments_of_a_job_in_several_partitions_the_soonest_is_promised_and_no_other_is_held():
    first = this_pass([0, 0, 1], [0, 1, 1])
    assert first.start(2)
    assert first.promise(0, moment=True) == 50.0
    assert first.promise(1, moment=True) == 10.0
    assert list(first.promised) == [1]
    bound = this_pass([0, 0, 1], [0, 1, 0])
    assert bound.start(1)
    assert bound.promise(2) == 50.0
    later = this_pass([0, 0, 1], [0, 0, 0])
    assert [later.promise(row) for row in range(3)] == [50.0, 50.0, 60.0]
    assert list(later.promised) == [0, 2]


WIDE_OR_NARROW = SiteRules((Partition("wide", min_hosts=3), Partition("narrow", max_hosts=2)))
"""Three hosts, of which jobs of the first partition take all, those of the second two."""


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize("rule", ["easy", "easy(promise=hosts)", "stepwise", "selective(expansion=1)", "conservative"])
@pytest.mark.parametrize(("held_s", "start_s"), [([50], 1.0), ([50, 30], 30.0)])
def test_what_a_job_is_promised_in_one_partition_does_not_keep_it_from_the_hosts_of_another(
    engine, rule, held_s, start_s
):
    many = len(held_s)
    names = Named.of([*["narrow"] * many, "wide,narrow"])
    cores = Workload.of(
        submit_s=[*[0] * many, 1], runtime_s=[*held_s, 100], cores=[*[2] * many, 1], tasks=[*[1] * many, 3]
    )
    jobs = Workload(**{**vars(cores), "constraints": Constraints(partition=names)})
    cluster = Cluster(("cores",), np.full((3, 1), 2.0), rules=WIDE_OR_NARROW)
    found = simulate(jobs, cluster, POLICIES["first-fit"], discipline_named(rule), interval_s=0.0, engine=engine)
    assert found.start_s[-1] == start_s


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize("rule", ["fcfs+skip", "easy", "conservative"])
def test_a_task_of_an_array_is_tried_in_each_of_its_partitions_and_those_behind_it_in_others(engine, rule):
    names = Named.of(["one", "one,other", "one,other", "other"])
    bound = Constraints(partition=names, array=np.array([-1, 7, 7, 7]))
    log = Workload.of(submit_s=[0, 1, 1, 1], runtime_s=[50, 10, 10, 10], cores=[1] * 4)
    rules = SiteRules((Partition("one", hosts=(0,)), Partition("other", hosts=(1,))))
    cluster = Cluster(("cores",), np.array([[1.0], [2.0]]), rules=rules)
    jobs = Workload(**{**vars(log), "constraints": bound})
    found = simulate(jobs, cluster, POLICIES["first-fit"], discipline_named(rule), interval_s=0.0, engine=engine)
    assert found.start_s.tolist() == [0.0, 1.0, 1.0, 11.0]


def test_a_job_is_promised_the_moment_at_which_one_host_has_room_however_much_all_have_together():
    """Four hosts of 2 cores are half full until 10, 20, 30 and 40; a task of 2 cores waits for the first of them."""
    queue = Queue(
        np.arange(2),
        np.array([[2.0], [2.0]]),
        np.array([1, 2], np.int32),
        np.full(2, 5.0),
        np.zeros(2, np.int32),
        np.array([0, 1]),
    )
    running = Running(
        np.arange(2, 6),
        np.arange(4, dtype=np.int32),
        np.ones((4, 1)),
        np.array([10.0, 20.0, 30.0, 40.0]),
        np.zeros(4, np.int32),
    )
    half = SchedulingPass(
        Snapshot(0.0, Cluster.uniform(4, cores=2), np.ones((4, 1)), queue, running), POLICIES["first-fit"]
    )
    assert not half.start(0)
    assert half.promise(0) == 10.0
    assert half.promise(1) == 20.0
    assert half.promised[1].hosts == (0, 1)
