"""What becomes of the promise to one row of a job when the job starts by another."""

import numpy as np

from loadmaster.backfilling import Board
from loadmaster.model import Cluster
from loadmaster.model.snapshot import Closure, Promise, Queue, Running, Snapshot
from loadmaster.place import POLICIES

NOWHERE = Closure(np.zeros(2, bool), 1e6, 2e6)


def board(job, hosts, closures=()):
    """Two hosts of one core, the first busy until 50; a row of one core and 10 s for each of `job`."""
    many = len(job)
    queue = Queue(
        np.array(job), np.ones((many, 1)), np.ones(many, np.int32), np.full(many, 10.0), np.zeros(many, np.int32),
        np.arange(many), hosts=np.array(hosts, np.int32),
    )  # fmt: skip
    running = Running(np.array([9]), np.zeros(1, np.int32), np.ones((1, 1)), np.array([50.0]), np.zeros(1, np.int32))
    snapshot = Snapshot(
        0.0, Cluster.uniform(2, cores=1), np.array([[0.0], [1.0]]), queue, running, closures=closures,
        allowed=np.array([[True, False], [False, True]]),
    )  # fmt: skip
    return Board(snapshot, POLICIES["first-fit"])


def test_what_was_only_noted_is_not_given_back_to_a_plan_that_never_held_it():
    first = board([0, 0, 1], [0, 1, 0], (NOWHERE,))
    first.note(0, Promise(10.0, (0,)))
    assert first.start(1)
    assert first.promise(2) == 50.0


def test_a_moment_that_was_bound_to_hosts_is_given_back_once_the_job_starts_elsewhere():
    first = board([0, 0, 1, 2], [0, 1, 0, 0])
    assert first.promise(0, moment=True) == 50.0
    assert first.promise(2, moment=True) == 60.0
    assert first.start(1)
    assert first.promise(3) == 50.0
