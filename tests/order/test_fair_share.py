"""Fair share between projects (rule Q4): by hand, and in the long run."""

from dataclasses import replace

import numpy as np
from snapshots import placed, snapshot

from loadmaster.backfilling import NetBatch
from loadmaster.model import Cluster, Workload
from loadmaster.model.snapshot import Need
from loadmaster.order import FairShare
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate

FIRST_FIT = POLICIES["first-fit"]
ROOM = [(8, 8)]


def decide(order, state, reservations=None):
    """One pass over a queue, whose projects hold what runs in the snapshot."""
    queue, running = state.queue, state.running
    used = np.zeros(2)
    np.add.at(used, running.project, running.demand[:, 0])
    need = Need(queue.project, used, order.share_of(2))
    return Discipline(order, NetBatch(reservations)).serve(replace(state, need=need), FIRST_FIT)


def order(shares, projects, *, free=8, running=()):
    state = snapshot(ROOM, [(free, 8)], [(1, 1)] * len(projects), projects=projects, running=running)
    return [job for job, _ in placed(decide(FairShare(shares), state))]


def test_the_project_with_least_cores_in_use_for_its_share_goes_first():
    assert order((1.0, 1.0), [0, 1], free=1, running=[(0, 4), (1, 3)]) == [1]
    assert order((4.0, 1.0), [0, 1], free=1, running=[(0, 4), (1, 3)]) == [0]


def test_among_equal_projects_the_lower_number_goes_first():
    assert order((4.0, 1.0), [1, 0], free=1, running=[(0, 4), (1, 1)]) == [1]


def test_a_start_counts_as_use_at_once():
    assert order((3.0, 1.0), [0, 0, 1, 1], free=3) == [0, 2, 1]


def test_projects_without_a_share_have_share_one():
    assert order((), [0, 0, 1, 1]) == [0, 2, 1, 3]


def test_a_lagging_project_whose_job_does_not_fit_keeps_the_host():
    state = snapshot(ROOM, [(3, 8)], [(1, 1), (8, 1)], projects=[0, 1], running=[(0, 5)])
    decision = decide(FairShare(), state)
    assert decision.reserved == (0,)
    assert placed(decision) == []
    assert placed(decide(FairShare(), state, reservations=0)) == [(0, 0)]


def test_under_saturation_use_over_share_is_the_same_for_all_projects():
    jobs = 600
    project = np.repeat(np.array([0, 1], np.int32), jobs)
    log = Workload.of(submit_s=[0.0] * 2 * jobs, runtime_s=[60.0] * 2 * jobs, cores=[1] * 2 * jobs, project=project)
    schedule = simulate(log, Cluster.uniform(1, cores=12), FIRST_FIT, named("fair-share(shares=3:1)"))
    early = schedule.start_s < 40 * 60
    assert np.bincount(project[early]).tolist() == [360, 120]
