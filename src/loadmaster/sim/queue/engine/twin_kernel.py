"""The twin, compiled: from look to look, each pass is that of the member with the shortest mean wait (rule Q20).

A look simulates the queue onward under each member, without arrivals (rule Q19). It uses the engine's own passes,
starts and ends, on a second set of arrays. Only three things are copied there: free capacity, the running jobs and the
waiting jobs. All else in that set carries a stamp, so that values of an earlier look do not count, or is an upper
bound, which still holds.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.host_index.scores_kernel import changed
from loadmaster.jit.by_reference import by_reference, value_of
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inlined, inner
from loadmaster.model.snapshot import NEVER_S
from loadmaster.sim.queue.engine.commit_kernel import commit, complete, note_running
from loadmaster.sim.queue.engine.expected_ends_kernel import next_end
from loadmaster.sim.queue.engine.pass_kernel import serve
from loadmaster.sim.queue.engine.queue_engine import QueueEngine
from loadmaster.sim.queue.engine.ranked_queue_kernel import join_ranked
from loadmaster.sim.queue.engine.ranked_state import MANY
from loadmaster.sim.queue.engine.running_by_host_kernel import OF, all_fresh
from loadmaster.sim.queue.engine.state import (
    COUNTED,
    LAST_HOST,
    NO_RANK,
    PLANNED,
    RAISES,
    RUNNING,
    SHORT,
    UNDO,
    WAITING,
)


@inlined
def serve_as_best(engine, twin, now):
    """A pass of the followed member, after a look if one is due, and its row in the record; returns wrong or 0."""
    log, row, count = engine.log, engine.log.rows[0], engine.state.tally
    log.time_s[row], log.queue_length[row] = now, count[WAITING]
    for other in range(twin.counts.shape[0]):
        log.value[row, other] = np.nan
    if twin.member[0] < 0 or twin.due_s[0] <= now:
        wrong = _look(engine, twin, now)
        if wrong:
            return wrong
        twin.due_s[0] = (np.floor(now / twin.every_s) + 1.0) * twin.every_s if twin.every_s > 0.0 else now
    member = twin.member[0]
    wrong = _serve_under(engine, twin, member, now)
    winners = np.int64(1) << member
    for other in range(twin.counts.shape[0]):
        if log.value[row, other] == log.value[row, member]:
            winners |= np.int64(1) << other
    log.winners[row], log.started[row] = winners, count[PLANNED]
    log.rows[0] += wrong == 0
    return wrong


@inner
def _look(engine, twin, now):
    """Simulate the queue under each member, and follow the best; returns wrong or 0."""
    many, members = _by_number(engine.ranked, twin.waits), twin.counts.shape[0]
    arrays = twin.look
    look = by_reference(
        QueueEngine(
            arrays.jobs,
            arrays.capacity,
            arrays.rules,
            arrays.state,
            arrays.waiting,
            arrays.ranked,
            arrays.frontier,
            arrays.head_promise,
            arrays.ends,
            arrays.scores,
            arrays.log,
            engine.columns,
            engine.book,
            engine.calls,
        )
    )
    most = np.int64(0)
    for member in range(members):
        _copy(engine, look, twin.waits, many, now)
        wrong = _work_off(look, twin, member, now)
        if wrong:
            return wrong
        _measure(look, twin, member, many)
        most = max(most, twin.started[member])
    value = engine.log.value[engine.log.rows[0]]
    best = np.int64(-1)
    for member in range(members):
        # a member under which fewer jobs ever start is out
        if twin.started[member] == most:
            mean_s = twin.wait_s[member] / most if most > 0 else 0.0
            value[member] = -mean_s * twin.counts[member]
            best = np.int64(member) if best < 0 or value[member] > value[best] else best
    before = twin.member[0]
    # of equal members the present one stays
    twin.member[0] = before if before >= 0 and value[before] == value[best] else best
    return np.int64(0)


@inlined
def _by_number(ranked, waits):
    """List the waiting jobs by number; returns how many."""
    many = np.int64(ranked.number[MANY])
    size = np.int64(0)
    for i in range(many):
        size = push(ranked.key, ranked.job, size, 0.0, ranked.queue[i])
    for i in range(many):
        waits[i] = ranked.job[0]
        size = drop_first(ranked.key, ranked.job, size)
    return many


@inlined
def _measure(look, twin, member, many):
    """Count the jobs that started in a look, and add up their waits by number, as in plain Python."""
    started, wait_s = np.int64(0), 0.0
    for i in range(many):
        job = twin.waits[i]
        if look.log.start_s[job] < NEVER_S:
            started += 1
            wait_s += look.log.start_s[job] - look.jobs.submit_s[job]
    twin.started[member], twin.wait_s[member] = started, wait_s


@inner
def _work_off(look, twin, member, now):
    """Simulate under one member until no job waits or runs; returns wrong or 0."""
    count = look.state.tally
    while now < np.inf:
        wrong = _serve_under(look, twin, member, now)
        if wrong:
            return wrong
        commit(look, None, now)
        if count[WAITING] == 0 or count[RUNNING] == 0:
            break
        now = look.state.end_s[0]
        complete(look, None, now)
    return np.int64(0)


@inner
def _serve_under(engine, twin, member, now):
    """A pass under one member; returns wrong or 0."""
    under = by_reference(
        QueueEngine(
            engine.jobs,
            engine.capacity,
            by_reference(twin.rules[member]),
            engine.state,
            engine.waiting,
            engine.ranked,
            engine.frontier,
            engine.head_promise,
            engine.ends,
            engine.scores,
            engine.log,
            engine.columns,
            engine.book,
            engine.calls,
        )
    )
    ranked, count = engine.ranked, engine.state.tally
    columns = value_of(engine.columns)
    if engine.calls.ranks[member](columns, ranked.queue, ranked.number[MANY], now, ranked.rank):
        return np.int64(NO_RANK)
    wrong = np.int64(serve(under, 0, None, now))
    if count[UNDO] > 0:
        count[LAST_HOST] = engine.state.undo_host[count[UNDO] - 1]
    return wrong


@inner
def _copy(engine, look, waits, many, now):
    """Let a look begin with the present state."""
    _copy_free(engine, look)
    look.head_promise.number[COUNTED] = -1
    look.ranked.number[MANY] = 0
    for i in range(many):
        look.log.start_s[waits[i]] = np.nan
        join_ranked(look.jobs, look.ranked, np.int64(waits[i]))
    _copy_running(engine, look, now)
    look.state.tally[WAITING] = many
    look.state.tally[LAST_HOST] = engine.state.tally[LAST_HOST]
    look.state.tally[UNDO] = look.state.tally[PLANNED] = 0


@inlined
def _copy_free(engine, look):
    """Copy the free capacity of each host, and the bounds over it."""
    here, there = engine.state, look.state
    there.tally[RAISES] += 1  # a host may have more free than at the end of the last look
    for host in range(here.free.shape[0]):
        for r in range(here.free.shape[1]):
            if there.free[host, r] != here.free[host, r]:
                there.free[host, r] = here.free[host, r]
                changed(look.scores, host)
    for block in range(there.most.shape[0]):
        for r in range(there.most.shape[1]):
            there.most[block, r] = here.most[block, r]
    frontier, bounds = look.frontier, engine.frontier
    frontier.most[SHORT], frontier.total[0], frontier.fresh[SHORT] = bounds.most[SHORT], bounds.total[0], -1
    for step in range(frontier.who.shape[0]):
        frontier.who[step], frontier.memory[SHORT, step] = bounds.who[step], bounds.memory[SHORT, step]
    for lane in range(frontier.lane.shape[1]):
        frontier.lane[SHORT, lane] = bounds.lane[SHORT, lane]
    for project in range(there.used.shape[0]):
        there.used[project] = here.used[project]


@inlined
def _copy_running(engine, look, now):
    """Copy the running jobs by expected end: their end in the look, and their hosts."""
    ends, running_by_host, soonest_s = look.ends, look.state.running_by_host, np.nextafter(now, np.inf)
    _clear_running(ends, running_by_host)
    many = np.int64(0)
    end_s, job, i, k = next_end(engine.ends, engine.ends.size[0], np.int64(0))
    while job >= 0:
        ends.main_s[many], ends.main[many], ends.running[job] = end_s, job, True
        for task in range(look.jobs.first_task[job], look.jobs.first_task[job + 1]):
            look.state.held[task] = engine.state.held[task]
        note_running(look, job, end_s)
        many = push(look.state.end_s, look.state.ending, many, max(end_s, soonest_s), job)
        end_s, job, i, k = next_end(engine.ends, i, k)
    ends.size[1] = look.state.tally[RUNNING] = many


@inlined
def _clear_running(ends, running_by_host):
    """Remove the jobs that ran at the end of the last look."""
    for i in range(ends.size[0], ends.size[1]):
        ends.running[ends.main[i]] = False
    for k in range(ends.size[2]):
        ends.running[ends.late[k]] = False
    ends.size[0] = ends.size[1] = ends.size[2] = 0
    for host in range(running_by_host.first.shape[0]):
        running_by_host.first[host], running_by_host.many[host] = -1, 0
    running_by_host.number[OF] = -1
    all_fresh(running_by_host)
