"""The frontier of what is free are exact when made anew, and say of a host that it still has as much where it has."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from loadmaster.jit.by_reference import by_reference
from loadmaster.model import Cluster
from loadmaster.sim.queue.engine.initial_state import full_frontier
from loadmaster.sim.queue.engine.queue_tree_kernel import raise_to, renew_frontier, still_has

HOSTS = Cluster.uniform(4, cores=8, memory=9)
FREE = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 9)), min_size=4, max_size=4)


@njit
def make_anew(frontier, free):
    renew_frontier(by_reference(frontier), free)


@njit
def note_more(frontier, free, host):
    raise_to(by_reference(frontier), free, host)


@njit
def has(frontier, free, demand):
    return still_has(by_reference(frontier), free, demand)


def most(free, cores):
    """The most memory of a host with at least so many cores, -1 if there is none."""
    return max((memory for c, memory in free if c >= cores), default=-1)


@given(before=FREE, after=FREE, cores=st.integers(0, 8), memory=st.integers(0, 9))
def test_stairs_are_exact_when_made_anew_and_name_a_host_that_has_as_much(before, after, cores, memory):
    frontier, free = full_frontier(HOSTS), np.array(before, float)
    make_anew(frontier, free)
    assert [frontier.memory[0, step] for step in range(9)] == [most(before, step) for step in range(9)]
    assert has(frontier, free, np.array([cores, memory], float)) == (most(before, cores) >= memory)
    for host, row in enumerate(after):
        free[host] = row
        if row >= before[host]:
            note_more(frontier, free, host)
    if has(frontier, free, np.array([cores, memory], float)):
        assert most(after, cores) >= memory
