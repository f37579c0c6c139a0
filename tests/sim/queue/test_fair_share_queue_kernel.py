"""The project with the least use for its share is the one whom a division for each would name."""

from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from numpy.typing import NDArray

from loadmaster.jit.by_reference import by_reference
from loadmaster.sim.queue.engine.fair_share_queue_kernel import is_satisfied, neediest_project, rank_projects, use_more


class Using(NamedTuple):
    used: NDArray[np.float64]
    share: NDArray[np.float64]
    need: NDArray[np.int64]


class Queues(NamedTuple):
    edge: NDArray[np.int64]


@njit
def turns(given_state, waiting, cores):
    """Who comes next, where each that comes uses so much more, or is satisfied if that is nothing."""
    state = by_reference(given_state)
    rank_projects(state, by_reference(waiting))
    found = [np.int64(0)][1:]
    for more in cores:
        found.append(neediest_project(state))
        if found[-1] >= 0 and more > 0.0:
            use_more(state, found[-1], more)
        elif found[-1] >= 0:
            is_satisfied(state, found[-1])
    return found


def turns_by_division(used, share, waits, cores):
    used, waits, found = used.copy(), waits.copy(), []
    for more in cores:
        needs = [(used[each] / share[each], each) for each in np.flatnonzero(waits)]
        found.append(int(min(needs)[1]) if needs else -1)
        if needs and more > 0.0:
            used[found[-1]] += more
        elif needs:
            waits[found[-1]] = False
    return found


PROJECT = st.tuples(
    st.sampled_from([-1e-12, -0.0, 0.0, 0.5, 1.0, 3.0, 1e9]), st.sampled_from([0.5, 1.0, 3.0]), st.booleans()
)


@given(
    projects=st.lists(PROJECT, min_size=1, max_size=40), cores=st.lists(st.sampled_from([0.0, 1.0, 2.5]), max_size=60)
)
def test_the_neediest_is_the_first_of_the_least_ratio_among_those_that_wait(projects, cores):
    used, share, waits = (np.array(column) for column in zip(*projects, strict=True))
    expected = turns_by_division(used, share, waits, cores)
    edge = np.array([np.zeros(len(used)), waits]).astype(np.int64)
    state = Using(used, share, np.zeros(len(used), np.int64))
    assert turns(state, Queues(edge), np.array(cores)) == expected
