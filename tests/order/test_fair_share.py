"""Fair share between projects (rule Q4): by hand, and in the long run."""

import numpy as np
from snapshots import placed, snapshot

from loadmaster.model import Cluster, Workload
from loadmaster.order import FairShare
from loadmaster.place import POLICIES
from loadmaster.sim.queue import simulate

FIRST_FIT = POLICIES["first-fit"]
ROOM = [(8, 8)]


def order(shares, projects, *, free=8, running=()):
    state = snapshot(ROOM, [(free, 8)], [(1, 1)] * len(projects), projects=projects, running=running)
    return [job for job, _ in placed(FairShare(shares).serve(state, FIRST_FIT))]


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
    decision = FairShare().serve(state, FIRST_FIT)
    assert decision.reserved == (0,)
    assert placed(decision) == []
    assert placed(FairShare(reservations=0).serve(state, FIRST_FIT)) == [(0, 0)]


def test_under_saturation_use_over_share_is_the_same_for_all_projects():
    jobs = 600
    project = np.repeat(np.array([0, 1], np.int32), jobs)
    log = Workload.of(submit_s=[0.0] * 2 * jobs, runtime_s=[60.0] * 2 * jobs, cores=[1] * 2 * jobs, project=project)
    schedule = simulate(log, Cluster.uniform(1, cores=12), FIRST_FIT, FairShare((3.0, 1.0)))
    early = schedule.start_s < 40 * 60
    assert np.bincount(project[early]).tolist() == [360, 120]
