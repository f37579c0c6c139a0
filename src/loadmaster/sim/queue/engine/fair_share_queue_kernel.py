"""The project whose turn it is under fair share: of those with waiting jobs, the one with the least use for its share.

The ratio of use and share is computed once a pass, and again when a job of the project starts: a division for each
project at each job would take a sixth of a run. It is kept as a whole number in the order of the ratios
(`lanes_kernel.rank_of`), so that the compiler uses vectors to find the least.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.host_index.lanes_kernel import rank_of
from loadmaster.jit.kernels import inlined, inner

SATISFIED = np.int64(2**63 - 1)
"""The need of a project without jobs left to look at: above all ratios."""


@inlined
def rank_projects(state, waiting):
    """Rank the projects with waiting jobs by use over share, at the beginning of a pass."""
    for project in range(state.need.shape[0]):
        state.need[project] = SATISFIED
        if waiting.edge[0, project] < waiting.edge[1, project]:
            state.need[project] = rank_of(state.used[project] / state.share[project])


@inlined
def change_use(jobs, state, job, sign):
    """Add the cores of `job` to the use of its project (`sign` 1), or take them away (-1); one project has no use."""
    if state.used.shape[0] > 1:
        state.used[jobs.project[job]] += sign * jobs.demand[jobs.kind[job], 0] * jobs.tasks[job]


@inlined
def use_more(state, project, cores):
    """Let the project use so many more cores in this pass."""
    if state.used.shape[0] == 1:
        return
    state.used[project] += cores
    if state.need[project] != SATISFIED:
        state.need[project] = rank_of(state.used[project] / state.share[project])


@inlined
def is_satisfied(state, project):
    """Mark the project: all its waiting jobs have been looked at in this pass."""
    state.need[project] = SATISFIED


@inner
def neediest_project(state):
    """The project whose turn it is, the first of several; -1 if all are satisfied."""
    least = SATISFIED
    for project in range(np.uint64(state.need.shape[0])):
        least = min(least, state.need[project])
    if least == SATISFIED:
        return np.int64(-1)
    first = np.int64(0)
    while state.need[first] != least:
        first += 1
    return first
