"""A demand is hopeless in a pass where one no larger has failed in it, and is not taken to be where none has."""

from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from numpy.typing import NDArray

from loadmaster.jit.by_reference import by_reference
from loadmaster.model import Cluster, Workload
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue.engine.arrays import jobs_of
from loadmaster.sim.queue.engine.infeasible_cache_kernel import is_infeasible, record_failure
from loadmaster.sim.queue.engine.state import PARETO, SHORT, STAMP, STEP

HOSTS = Cluster.uniform(3, cores=8, memory=8)


class Failures(NamedTuple):
    failed: NDArray[np.int64]
    failed_tasks: NDArray[np.int32]
    steps: NDArray[np.void]
    pareto: NDArray[np.float64]
    paretos: NDArray[np.int64]
    tally: NDArray[np.int64]


@njit
def hopeless(given_jobs, given_state):
    """Whether each job is hopeless when its turn comes, if all before it that are not have failed."""
    jobs, state = by_reference(given_jobs), by_reference(given_state)
    found = np.zeros(jobs.tasks.shape[0], np.bool_)
    for job in range(found.shape[0]):
        found[job] = is_infeasible(jobs, state, job, SHORT)
        if not found[job]:
            record_failure(jobs, state, job, SHORT, jobs.tasks[job])
    return found


JOB = st.tuples(st.sampled_from([0.5, 1, 2, 3, 8]), st.integers(0, 8), st.sampled_from([1, 1, 2]))


@given(jobs=st.lists(JOB, min_size=1, max_size=PARETO), passes=st.integers(1, 3))
def test_a_demand_is_hopeless_where_one_no_larger_has_failed(jobs, passes):
    cores, memory, tasks = (np.array(column, float) for column in zip(*jobs, strict=True))
    demand = np.column_stack((cores, memory))
    log = Workload(("cores", "memory"), np.zeros(len(jobs)), np.ones(len(jobs)), demand, tasks=tasks.astype(np.int32))
    table = jobs_of(log, HOSTS, discipline_named("fcfs"))
    kinds = len(table.demand)
    state = Failures(
        np.zeros((2, 1, kinds), np.int64),
        np.zeros((2, 1, kinds), np.int32),
        np.zeros((2, 10), STEP),
        np.zeros((2, PARETO, 4)),
        np.zeros(2, np.int64),
        np.zeros(16, np.int64),
    )
    for _ in range(passes):  # what failed in one pass says nothing of the next
        state.tally[STAMP] += 1
        state.paretos[:] = 0
        found = hopeless(table, state)
        for job in range(len(jobs)):
            before = np.arange(job)
            no_larger = (demand[before] <= demand[job]).all(axis=1) & (tasks[before] <= tasks[job])
            assert found[job] == bool(no_larger.any())
