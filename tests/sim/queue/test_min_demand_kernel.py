"""Who waits next, and who next that might fit, is found as by a look at every position, whoever came and left."""

from typing import NamedTuple

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.jit.by_reference import by_reference
from loadmaster.model import Cluster, Workload
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue.engine.arrays import jobs_of
from loadmaster.sim.queue.engine.initial_state import empty_queue, full_frontier, no_moment
from loadmaster.sim.queue.engine.min_demand_kernel import tighten_top
from loadmaster.sim.queue.engine.queue_tree_kernel import join, leave, next_fitting, next_waiting, raise_frontier
from loadmaster.sim.queue.engine.state import FAN, CapacityFrontier, HeadPromise, Jobs, WaitingRows

JOBS = 2 * FAN * FAN + 40
HOSTS = Cluster.uniform(3, cores=8, memory=8)
RNG = np.random.default_rng(5)
LOG = Workload(
    ("cores", "memory"), np.zeros(JOBS), np.ones(JOBS), np.column_stack(RNG.integers(1, 9, (2, JOBS))).astype(float)
)


@njit
def come_and_leave(jobs, waiting, coming, leaving):
    for job in coming:
        join(by_reference(jobs), by_reference(waiting), job)
    for job in leaving:
        leave(by_reference(waiting), job)


@njit
def all_waiting(jobs, waiting):
    found, position = [np.int64(0)][1:], np.int64(0)
    while True:
        position = next_waiting(by_reference(jobs), by_reference(waiting), position, waiting.here.shape[0])
        if position < 0:
            return found
        found.append(position)
        position += 1


class State(NamedTuple):
    """The state of an engine on hosts of speed 1, whose cluster has no amounts of its own."""

    fastest: np.ndarray
    amounts: None


class Looked(NamedTuple):
    """What `next_fitting` looks at of an engine."""

    jobs: Jobs
    waiting: WaitingRows
    frontier: CapacityFrontier
    head_promise: HeadPromise
    state: State


@njit
def all_fitting(jobs, waiting, frontier, head_promise):
    raise_frontier(by_reference(frontier), 0)
    found, position = [np.int64(0)][1:], np.int64(0)
    engine = Looked(jobs, waiting, frontier, head_promise, State(np.ones(1), None))
    while True:
        position = next_fitting(by_reference(engine), 0.0, position, waiting.here.shape[0], 0)
        if position < 0:
            return found
        found.append(position)
        position += 1


@njit
def tighten(jobs, waiting):
    tighten_top(by_reference(jobs), by_reference(waiting), 0)


def frontier_of(cores, memory):
    """What one host with so much free has."""
    frontier = full_frontier(HOSTS)
    frontier.most[:] = cores
    frontier.memory[:] = -1.0
    frontier.memory[:, cores] = memory
    return frontier


STEP = st.tuples(
    st.integers(0, JOBS - 1),
    st.integers(1, 1500),
    st.integers(0, JOBS - 1),
    st.integers(1, 1500),
    st.integers(0, 8),
    st.integers(0, 8),
)


@settings(deadline=None)
@given(steps=st.lists(STEP, min_size=1, max_size=4))
@example([(0, JOBS, 0, JOBS - 3, 1, 1), (0, 1, 5, 9, 8, 8)])
def test_who_waits_and_who_might_fit_is_found_whoever_came_and_left_before(steps):
    jobs = jobs_of(LOG, HOSTS, discipline_named("fcfs"))
    waiting, head_promise = empty_queue(jobs, ticked=False), no_moment(HOSTS, 1)
    here = np.zeros(JOBS, bool)
    for first, coming, then, leaving, cores, memory in steps:
        comes = np.flatnonzero(~here[first : first + coming]) + first
        here[comes] = True
        leaves = np.flatnonzero(here[then : then + leaving]) + then
        here[leaves] = False
        come_and_leave(jobs, waiting, comes, leaves)
        fits = here & (LOG.demand <= [cores, memory]).all(axis=1)
        assert all_fitting(jobs, waiting, frontier_of(cores, memory), head_promise) == np.flatnonzero(fits).tolist()
        assert all_waiting(jobs, waiting) == np.flatnonzero(here).tolist()


def test_a_node_says_exactly_what_is_least_below_it_once_it_was_looked_at():
    jobs = jobs_of(LOG, HOSTS, discipline_named("fcfs"))
    waiting = empty_queue(jobs, ticked=False)
    gone = LOG.demand[:, 1] < 3
    come_and_leave(jobs, waiting, np.arange(JOBS), np.flatnonzero(gone))
    assert waiting.top[0, 0].min() < 3
    tighten(jobs, waiting)
    assert waiting.top[0, 0].min() == waiting.mid[:, 0].min() == waiting.low[:, 0].min() == 3
    assert not waiting.loose.any()
