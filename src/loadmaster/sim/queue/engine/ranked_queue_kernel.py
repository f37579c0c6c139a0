"""The waiting jobs under an order whose ranks change at every pass.

All jobs are ranked before a pass, which is quick, but almost none are sorted. A threshold from a sample takes the
lowest few hundred into a heap. Once the pass looks for jobs that fit beside a reservation, only jobs for which some
host may have room come in. If many jobs in the heap turn out to have no room, they are all removed. Invariant: each job
up to rank `bound` is in the heap, was looked at, or has no room; so the heap's first job is the next in rank.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.queue_tree_kernel import below, length_of, row_of
from loadmaster.sim.queue.engine.ranked_state import BEHIND, MANY, MISSES, SIZE, TIER, WANTED

FIRST, MORE = 512, 8
"""Jobs that come into the heap at first, and by how much this grows each time."""
SAMPLE, KEPT = 1024, 64
"""Ranks that are looked at for a threshold, and the lowest of them that are kept."""
MISSED = 16
"""Jobs without room that are met before all such jobs are removed, and one more for each 64 in the heap."""


@inner
def join_ranked(jobs, ranked, job):
    """Let `job` wait from now on."""
    demand = jobs.demand[jobs.kind[job]]
    at = ranked.number[MANY]
    ranked.queue[at] = job
    ranked.where[job] = at
    ranked.cores[at] = demand[0]
    ranked.memory[at] = demand[1] if demand.shape[0] > 1 else 0.0
    ranked.whole[at] = demand[0] * jobs.tasks[job]
    ranked.expected_s[at] = jobs.expected_s[job]
    ranked.number[MANY] = at + 1


@inner
def leave_ranked(ranked, job):
    """Take `job` out of the queue; the last entry fills its place."""
    last = ranked.number[MANY] - 1
    at, moved = ranked.where[job], ranked.queue[last]
    ranked.queue[at] = moved
    ranked.where[moved] = at
    ranked.cores[at] = ranked.cores[last]
    ranked.memory[at] = ranked.memory[last]
    ranked.whole[at] = ranked.whole[last]
    ranked.expected_s[at] = ranked.expected_s[last]
    ranked.number[MANY] = last


@inner
def begin_ranked(ranked):
    """Begin a pass with the present ranks."""
    ranked.number[TIER] = 0
    _begin_tier(ranked)


@inlined
def _begin_tier(ranked):
    ranked.bound[0] = -np.inf
    ranked.number[SIZE] = ranked.number[MISSES] = 0
    ranked.number[WANTED] = FIRST


@inner
def next_ranked(ranked, frontier, head_promise, bound, now, passing):
    """The waiting job with the lowest rank not looked at yet, the earliest among equals; -1 if there is none.

    If `passing`, jobs for which no host can have room are passed over. Of several tiers, the first comes first.
    """
    while True:
        while ranked.number[SIZE] > 0:
            job = np.int64(ranked.job[0])
            ranked.number[SIZE] = drop_first(ranked.key, ranked.job, ranked.number[SIZE])
            if not passing or _may_fit(ranked, frontier, head_promise, now, ranked.where[job]):
                return job
            ranked.number[MISSES] += 1
            if ranked.number[MISSES] > MISSED + ranked.number[SIZE] // 64:
                _clear(ranked, frontier, head_promise, now)
        if ranked.bound[0] == np.inf:
            if bound is None or ranked.number[TIER] + 1 >= bound.tiers:
                return np.int64(-1)
            ranked.number[TIER] += 1
            _begin_tier(ranked)
        _gather(ranked, frontier, head_promise, bound, now, passing)


@inner
def begin_shortest(ranked, frontier, head_promise, now, head):
    """Collect the jobs behind the head that may fit: from now on the shortest goes first, by rank among equals."""
    rank, size = ranked.rank[ranked.where[head]], np.int64(0)
    for i in range(ranked.number[MANY]):
        job = ranked.queue[i]
        is_behind = ranked.rank[i] > rank or (ranked.rank[i] == rank and job > head)
        if is_behind and _may_fit(ranked, frontier, head_promise, now, i):
            size = push(ranked.key, ranked.job, size, ranked.rank[i], job)
    ranked.number[BEHIND] = size
    while size > 0:  # heapsort in place: each job goes into the place that the heap gives up
        job = ranked.job[0]
        size = drop_first(ranked.key, ranked.job, size)
        ranked.job[size] = job
    for place in range(ranked.number[BEHIND]):
        job = ranked.job[ranked.number[BEHIND] - 1 - place]
        size = push(ranked.key, ranked.behind, size, ranked.expected_s[ranked.where[job]], place)
    ranked.number[SIZE] = size


@inner
def next_shortest(ranked, frontier, head_promise, now):
    """The next of these jobs for which some host may have room; -1 if there is none."""
    while ranked.number[SIZE] > 0:
        job = np.int64(ranked.job[ranked.number[BEHIND] - 1 - ranked.behind[0]])
        ranked.number[SIZE] = drop_first(ranked.key, ranked.behind, ranked.number[SIZE])
        if _may_fit(ranked, frontier, head_promise, now, ranked.where[job]):
            return job
    return np.int64(-1)


@inner
def _gather(ranked, frontier, head_promise, bound, now, passing):
    """Bring the next few jobs of the tier by rank into the heap, or all that are left and may fit."""
    low, high = ranked.bound[0], np.inf
    if not passing:
        high = _threshold(ranked, low, ranked.number[WANTED])
        ranked.number[WANTED] *= MORE
    size = np.int64(0)
    for i in range(ranked.number[MANY]):
        rank = ranked.rank[i]
        comes = low < rank <= high and _is_of_tier(ranked, bound, i)
        if comes and (not passing or _may_fit(ranked, frontier, head_promise, now, i)):
            size = push(ranked.key, ranked.job, size, rank, ranked.queue[i])
    ranked.number[SIZE] = size
    ranked.bound[0] = high


@inlined
def _is_of_tier(ranked, bound, at):
    """Whether a job is of the present tier; without constraints there is one tier."""
    return True if bound is None else bound.row[ranked.queue[at]].tier == ranked.number[TIER]


@inlined
def _threshold(ranked, low, wanted):
    """A rank that about `wanted` jobs above `low` do not exceed; infinite if not many more are left."""
    many = ranked.number[MANY]
    kept = np.int64(wanted * SAMPLE / max(many, 1)) + 8
    if many < SAMPLE or kept > KEPT:
        return np.inf
    held = 0
    step = many // SAMPLE
    for i in range(0, many, step):
        rank = ranked.rank[i]
        if rank > low and (held < kept or rank < ranked.sample[held - 1]):
            at = held if held < kept else held - 1
            while at > 0 and ranked.sample[at - 1] > rank:
                ranked.sample[at] = ranked.sample[at - 1]
                at -= 1
            ranked.sample[at] = rank
            if held < kept:
                held += 1
    return ranked.sample[held - 1] if held == kept else np.inf


@inner
def _clear(ranked, frontier, head_promise, now):
    """Keep only jobs in the heap that may fit."""
    size = np.int64(0)
    for i in range(ranked.number[SIZE]):
        key, job = ranked.key[i], ranked.job[i]
        if _may_fit(ranked, frontier, head_promise, now, ranked.where[job]):
            size = push(ranked.key, ranked.job, size, key, job)
    ranked.number[SIZE] = size
    ranked.number[MISSES] = 0


@inlined
def _may_fit(ranked, frontier, head_promise, now, at):
    length = length_of(head_promise, now, ranked.expected_s[at] / head_promise.fastest[0])
    return may_fit_at(ranked, frontier, row_of(frontier, length, 0), at)


@inlined
def may_fit_at(ranked, frontier, row, at):
    """Whether, by a row of the frontier, some host may have room for a task of the job at `at` in the queue."""
    return ranked.whole[at] <= frontier.total[0] and below(frontier, row, ranked.cores[at], ranked.memory[at])
