"""Rows that join and leave the queue, and which tasks of a throttled job array are in it (rule C6).

A throttled array runs at most `most` tasks at a time. Of its tasks that may start, the first by index are in the queue,
as many as may still start. Invariant: all of them up to seat `last` are in the queue, and none behind it.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.constraint_state import ENTERED, IN_QUEUE, ROUND
from loadmaster.sim.queue.engine.queue_tree_kernel import join, leave
from loadmaster.sim.queue.engine.ranked_queue_kernel import join_ranked, leave_ranked


@inner
def join_queue(engine, bound, job):
    """Put the rows of `job` into the queue."""
    bound.job[job].queued = True
    bound.job[job].entered = bound.tally[ROUND]
    bound.tally[ENTERED] += 1
    bound.tally[IN_QUEUE] += 1
    for row in range(bound.job[job].rows, bound.job[job + 1].rows):
        if engine.ranked is not None and engine.rules.moving:
            join_ranked(engine.jobs, engine.ranked, row)
        else:
            join(engine.jobs, engine.waiting, row)


@inner
def leave_queue(rules, waiting, ranked, bound, job):
    """Take all rows of `job` out of the queue; undoes `join_queue`."""
    bound.job[job].queued = False
    if bound.job[job].entered == bound.tally[ROUND]:
        bound.tally[ENTERED] -= 1
    bound.tally[IN_QUEUE] -= 1
    for row in range(bound.job[job].rows, bound.job[job + 1].rows):
        if ranked is not None and rules.moving:
            leave_ranked(ranked, row)
        else:
            leave(waiting, row)


@inner
def make_ready(engine, bound, job):
    """Let a task of a throttled array be ready to start; it joins the queue if it is among the first."""
    one, seat = bound.on.throttled[bound.job[job].throttled], bound.job[job].seat
    bound.job[job].ripe = True
    one.end = max(one.end, seat + 1)
    if one.queued + one.busy >= one.most:
        # the queue is full: the task replaces the last one behind it, if there is one
        highest = _highest(bound, one, seat)
        if highest <= seat or one.queued == 0:
            one.last = min(one.last, seat - 1)
            return
        _send_back(engine.rules, engine.waiting, engine.ranked, bound, one, highest)
    join_queue(engine, bound, job)
    one.queued += 1
    one.last = max(one.last, seat)


@inner
def make_unready(engine, bound, job):
    """Let a task of a throttled array no longer be ready; the next one takes its place in the queue."""
    bound.job[job].ripe = False
    if bound.job[job].queued:
        leave_queue(engine.rules, engine.waiting, engine.ranked, bound, job)
        bound.on.throttled[bound.job[job].throttled].queued -= 1
        fill(engine, bound, np.int64(bound.job[job].throttled))


@inner
def begin_throttled(rules, waiting, ranked, bound, job):
    """Start a task; one that lost its place in the queue during this pass takes it back."""
    one = bound.on.throttled[bound.job[job].throttled]
    bound.job[job].ripe = False
    if bound.job[job].queued:
        leave_queue(rules, waiting, ranked, bound, job)
        one.queued -= 1
    elif one.queued + one.busy >= one.most and one.queued > 0:
        _send_back(rules, waiting, ranked, bound, one, _highest(bound, one, -1))
    one.busy += 1


@inlined
def _highest(bound, one, above):
    """The last seat above `above` whose task is in the queue; `above` itself if there is none."""
    highest = one.last
    while highest > above and not bound.job[bound.on.seated[highest]].queued:
        highest -= 1
    return highest


@inlined
def _send_back(rules, waiting, ranked, bound, one, seat):
    """Take the task of the last occupied seat out of the queue."""
    leave_queue(rules, waiting, ranked, bound, np.int64(bound.on.seated[seat]))
    one.queued -= 1
    one.last = seat - 1


@inner
def fill(engine, bound, number):
    """Put the next tasks of an array into the queue, as many as may still start."""
    one = bound.on.throttled[number]
    while one.queued + one.busy < one.most and one.last + 1 < one.end:
        one.last += 1
        job = np.int64(bound.on.seated[one.last])
        if bound.job[job].ripe:
            join_queue(engine, bound, job)
            one.queued += 1
