"""The waiting jobs under an order whose ranks change while they wait.

All are ranked before a pass, which is quick, and almost none is sorted: the first few are looked for one by one, and of
the rest only those come into a heap for which some host may have room.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.queue_state import ALL, FITTING, HOLDS, MANY, NOTHING, SIZE, TIER
from loadmaster.sim.queue.waiting_kernel import length_of, may_fit

FEW = 8
"""So many jobs are looked for one by one before a heap of all is cheaper."""


@inner
def join_ranked(ranked, job):
    """`job` waits from now on."""
    at = ranked.number[MANY]
    ranked.queue[at] = job
    ranked.where[job] = at
    ranked.number[MANY] = at + 1


@inner
def leave_ranked(ranked, job):
    """`job` waits no longer."""
    last = ranked.number[MANY] - 1
    at, moved = ranked.where[job], ranked.queue[last]
    ranked.queue[at] = moved
    ranked.where[moved] = at
    ranked.number[MANY] = last


@inner
def begin_ranked(ranked, bound):
    """A pass begins, with the ranks as they are."""
    ranked.number[TIER] = 0
    _begin_tier(ranked, bound)


@inner
def next_ranked(jobs, ranked, stairs, moment, bound, now, tried, passing):
    """The waiting job of the lowest rank that was not looked at, the earliest among equals; -1 if there is none.

    If `passing`, jobs for which no host can have room are passed over. Of several tiers, the first comes first.
    """
    job = _next_of_tier(jobs, ranked, stairs, moment, now, tried, passing)
    if bound is not None:
        while job < 0 and ranked.number[TIER] + 1 < bound.tiers:
            ranked.number[TIER] += 1
            _begin_tier(ranked, bound)
            job = _next_of_tier(jobs, ranked, stairs, moment, now, tried, passing)
    return job


@inner
def _begin_tier(ranked, bound):
    for i in range(ranked.number[MANY]):
        ranked.left[i] = ranked.rank[i]
        if not _is_of_tier(bound, ranked.queue[i], ranked.number[TIER]):
            ranked.left[i] = np.inf
    ranked.number[HOLDS] = NOTHING
    ranked.number[SIZE] = 0


@inlined
def _is_of_tier(bound, row, tier):
    """Whether the row is of that tier; where no constraint binds there is one."""
    return True if bound is None else bound.row[row].tier == tier


@inner
def _next_of_tier(jobs, ranked, stairs, moment, now, tried, passing):
    if passing and ranked.number[HOLDS] != FITTING:
        _gather(jobs, ranked, stairs, moment, now, True)
    elif not passing and ranked.number[HOLDS] == NOTHING:
        if tried < FEW:
            return _lowest(ranked)
        _gather(jobs, ranked, stairs, moment, now, False)
    while ranked.number[SIZE] > 0:
        job = np.int64(ranked.job[0])
        ranked.number[SIZE] = drop_first(ranked.key, ranked.job, ranked.number[SIZE])
        ranked.left[ranked.where[job]] = np.inf
        if not passing or _may_fit(jobs, stairs, moment, now, job):
            return job
    return np.int64(-1)


@inlined
def _lowest(ranked):
    low = np.inf
    for i in range(ranked.number[MANY]):
        low = min(low, ranked.left[i])
    if low == np.inf:
        return np.int64(-1)
    job = np.int64(2**62)
    for i in range(ranked.number[MANY]):
        if ranked.left[i] == low:
            job = min(job, np.int64(ranked.queue[i]))
    ranked.left[ranked.where[job]] = np.inf
    return job


@inlined
def _gather(jobs, ranked, stairs, moment, now, fitting):
    """Make a heap of all that was not looked at, or of those of them that may fit."""
    size = np.int64(0)
    for i in range(ranked.number[MANY]):
        if ranked.left[i] < np.inf:
            job = ranked.queue[i]
            if not fitting or _may_fit(jobs, stairs, moment, now, job):
                size = push(ranked.key, ranked.job, size, ranked.left[i], job)
    ranked.number[SIZE] = size
    ranked.number[HOLDS] = FITTING if fitting else ALL


@inlined
def _may_fit(jobs, stairs, moment, now, job):
    return may_fit(jobs, stairs, job, length_of(moment, now, jobs.expected_s[job] / moment.fastest[0]))
