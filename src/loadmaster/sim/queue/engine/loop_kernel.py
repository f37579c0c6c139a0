"""The engine's loop: to the next moment, ends, arrivals, and a pass over the waiting jobs (rule Q1).

What a pass has found stays true until a job ends: hosts only fill up. So after arrivals alone only the new jobs are
tried, as long as all of them stand behind the head.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.sim.moments_kernel import at_or_after
from loadmaster.sim.queue.ends_kernel import add_end, drop_end
from loadmaster.sim.queue.engine.hosts_kernel import WRONG, give_back, place_tasks
from loadmaster.sim.queue.engine.queue_kernel import (
    enlist,
    forget,
    is_refused,
    join,
    leave,
    may_fit,
    next_waiting,
    refuse,
    strike,
)
from loadmaster.sim.queue.engine.shadow_kernel import find_shadow
from loadmaster.sim.queue.engine.state import (
    ALONE,
    ARRIVED,
    BESIDE,
    HAS_SHADOW,
    JOB,
    PARTLY,
    RUNNING,
    SHADOW_S,
    STARTED,
    WAITING,
)
from loadmaster.sim.queue.queue_state import DONE, NO_RANK, NOT_FINITE, PAUSED

NOT_NOW, NOW = 0, 1


@inner
def run(engine, scan, rank, columns):
    """Go on until all is done or the chunk of cycles is full.

    `scan` rates hosts (`compiled_scan.py`), `rank` jobs (`compiled_order.py`), by their `columns`.
    """
    jobs, running, log = engine.jobs, engine.running, engine.log
    counts, total = log.counts, jobs.submit_s.shape[0]
    log.rows[0] = 0
    while log.rows[0] < log.time_s.shape[0]:
        if counts[ARRIVED] == total and (counts[WAITING] == 0 or counts[RUNNING] == 0):
            return DONE
        event = running.end_s[0] if counts[RUNNING] > 0 else np.inf
        if counts[ARRIVED] < total:
            event = min(event, jobs.submit_s[counts[ARRIVED]])
        now = at_or_after(event, engine.rules.interval_s)
        first = _first_to_try(engine, _end(engine, now), _admit(engine, now), now)
        if counts[WAITING] == 0:
            continue
        row, before = log.rows[0], counts[STARTED]
        log.time_s[row] = now
        log.queue_length[row] = counts[WAITING]
        wrong = (
            _ranked_pass(engine, scan, rank, columns, now) if engine.rules.moves else _pass(engine, scan, now, first)
        )
        if wrong:
            return wrong
        log.started[row] = counts[STARTED] - before
        log.rows[0] += 1
    return PAUSED


@inner
def _end(engine, now):
    """Jobs that are over leave their hosts; returns whether there are any."""
    jobs, running, counts = engine.jobs, engine.running, engine.log.counts
    before = counts[RUNNING]
    while counts[RUNNING] > 0 and running.end_s[0] <= now:
        job = np.int64(running.ending[0])
        counts[RUNNING] = drop_first(running.end_s, running.ending, counts[RUNNING])
        drop_end(running.ends, job)
        for place in range(jobs.first_task[job], jobs.first_task[job] + running.runs[job]):
            host, tasks = np.int64(running.run_host[place]), float(running.run_tasks[place])
            give_back(jobs, engine.hosts, engine.head, job, host, tasks)
    return counts[RUNNING] < before


@inner
def _admit(engine, now):
    """Jobs that have arrived join the queue; returns the lowest of their places."""
    jobs, counts = engine.jobs, engine.log.counts
    lowest = np.int64(jobs.submit_s.shape[0])
    while counts[ARRIVED] < jobs.submit_s.shape[0] and jobs.submit_s[counts[ARRIVED]] <= now:
        job = counts[ARRIVED]
        if engine.rules.moves:
            enlist(engine.ranked, job, counts[WAITING])
        else:
            join(jobs, engine.queue, job)
            lowest = min(lowest, np.int64(jobs.place[job]))
        counts[ARRIVED] += 1
        counts[WAITING] += 1
    return lowest


@inner
def _first_to_try(engine, some_ended, newest, now):
    """The place from which a pass has to try: the lowest of all, or after arrivals alone that of the newest.

    After arrivals alone all have to be tried if the head may be another, or if its shadow time has come and it still
    waits.
    """
    head = engine.head
    if some_ended:
        forget(engine.refused, ALONE)
        head.number[HAS_SHADOW] = 0
    elif engine.rules.moves or not _keeps_head(engine.rules):
        return newest
    elif head.number[JOB] >= 0:
        is_behind = newest >= engine.jobs.place[head.number[JOB]]
        stays = head.number[HAS_SHADOW] == 0 or head.amount[SHADOW_S] > now
        if is_behind and stays and head.number[PARTLY] < 2:
            return newest
    forget(engine.refused, BESIDE)
    head.number[JOB], head.number[HAS_SHADOW], head.number[PARTLY] = -1, 0, 0
    return engine.queue.lowest[0]


@inner
def _keeps_head(rules):
    """Whether the first job that does not fit holds back jobs behind it."""
    return rules.blocks or rules.promises


@inner
def _pass(engine, scan, now, first):
    """Start the jobs that the discipline allows, from the place `first` on; returns what is wrong."""
    jobs, rules, head = engine.jobs, engine.rules, engine.head
    if rules.blocks and head.number[JOB] >= 0:
        return 0
    seeks_head = _keeps_head(rules) and head.number[JOB] < 0
    place = next_waiting(engine.queue, engine.hosts, engine.refused, first, seeks_head)
    while place >= 0:
        job = np.int64(jobs.at[place])
        if job != head.number[JOB]:
            started = _start(engine, scan, now, job)
            if started == WRONG:
                return NOT_FINITE
            if started == NOT_NOW and seeks_head:
                head.number[JOB] = job
                seeks_head = False
                if rules.blocks:
                    return 0
        place = next_waiting(engine.queue, engine.hosts, engine.refused, place + 1, seeks_head)
    return 0


@inner
def _ranked_pass(engine, scan, rank, columns, now):
    """The same where ranks are worked out anew: in their order, as far as jobs may find room.

    The head is the first job that does not fit. If it was the head before, and no job has ended or started since, its
    shadow time holds.
    """
    ranked, rules, head, counts = engine.ranked, engine.rules, engine.head, engine.log.counts
    if rank(columns, ranked.jobs, counts[WAITING], now, ranked.rank):
        return NO_RANK
    size, before = 0, np.int64(-1)
    for i in range(counts[WAITING]):
        size = push(ranked.key, ranked.next, size, ranked.rank[i], ranked.jobs[i])
    if head.number[HAS_SHADOW] == 1 and head.amount[SHADOW_S] > now:
        before = head.number[JOB]
    head.number[JOB] = -1
    seeks_head, started_before = _keeps_head(rules), counts[STARTED]
    while size > 0:
        job = np.int64(ranked.next[0])
        size = drop_first(ranked.key, ranked.next, size)
        started = _start(engine, scan, now, job)
        if started == WRONG:
            return NOT_FINITE
        if started == NOT_NOW and seeks_head:
            if rules.blocks:
                return 0
            seeks_head = False
            head.number[JOB] = job
            if job != before or counts[STARTED] > started_before:
                head.number[HAS_SHADOW] = 0
                forget(engine.refused, BESIDE)
            size = _only_hopeful(engine, size)
    return 0


@inner
def _only_hopeful(engine, size):
    """Leave in the heap the jobs that may find room as far as is known; returns how many."""
    ranked, kept = engine.ranked, 0
    for i in range(size):
        job, key = ranked.next[i], ranked.key[i]
        if may_fit(engine.jobs, engine.hosts, engine.refused, job):
            kept = push(ranked.key, ranked.next, kept, key, job)
    return kept


@inner
def _start(engine, scan, now, job):
    """Start `job` if it fits beside what the head is promised: `NOW`, `NOT_NOW` or `WRONG`."""
    jobs, hosts, running, head = engine.jobs, engine.hosts, engine.running, engine.head
    how = ALONE
    if not may_fit(jobs, hosts, engine.refused, job):
        return NOT_NOW
    if head.number[JOB] >= 0:
        if head.number[HAS_SHADOW] == 0:
            find_shadow(jobs, hosts, running, head, now)
        if now + jobs.expected_s[job] > head.amount[SHADOW_S]:
            how = BESIDE
            if is_refused(jobs, engine.refused, job, BESIDE):
                return NOT_NOW
    left = place_tasks(jobs, engine.rules, hosts, running, head, scan, job, how)
    if left == WRONG:
        return WRONG
    if left > 0:
        refuse(jobs, engine.refused, job, how, jobs.tasks[job] - left)
        if how == BESIDE and left < jobs.tasks[job]:
            head.number[PARTLY] = max(head.number[PARTLY], 1)
        return NOT_NOW
    _begin(engine, now, job)
    return NOW


@inner
def _begin(engine, now, job):
    """`job` runs from now on, on the hosts that were taken for it."""
    jobs, running, log = engine.jobs, engine.running, engine.log
    counts, place = log.counts, np.int64(jobs.place[job])
    if engine.rules.moves:
        strike(engine.ranked, job, counts[WAITING])
    else:
        leave(jobs, engine.queue, place)
        if engine.queue.lowest[0] == place:
            engine.queue.lowest[0] += 1
    log.start_s[job] = now
    add_end(running.ends, now + jobs.expected_s[job], job)
    counts[RUNNING] = push(running.end_s, running.ending, counts[RUNNING], now + jobs.runtime_s[job], job)
    counts[WAITING] -= 1
    counts[STARTED] += 1
    forget(engine.refused, BESIDE)
    if engine.head.number[PARTLY] == 1:
        engine.head.number[PARTLY] = 2
