"""The engine's loop: to the next moment, ends, arrivals, and a pass over those that wait (rule Q1).

What a pass has found stays true until somebody ends: hosts only fill up. So after arrivals alone only the new jobs are
tried, as long as all of them stand behind the head.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.sim.moments_kernel import at_or_after
from loadmaster.sim.queue.ends_kernel import add_end, drop_end
from loadmaster.sim.queue.engine.hosts_kernel import WRONG, give_back, place_tasks
from loadmaster.sim.queue.engine.queue_kernel import forget, is_refused, join, leave, next_waiting, refuse
from loadmaster.sim.queue.engine.shadow_kernel import find_shadow
from loadmaster.sim.queue.engine.state import (
    ALONE,
    ARRIVED,
    BESIDE,
    HAS_SHADOW,
    JOB,
    RUNNING,
    SHADOW_S,
    STARTED,
    WAITING,
)
from loadmaster.sim.queue.queue_state import DONE, NOT_FINITE, PAUSED

NOT_NOW, NOW = 0, 1


@inner
def run(engine, scan):
    """Go on until all is done or the chunk of cycles is full; `scan` rates hosts (`compiled_scan.py`)."""
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
        wrong = _pass(engine, scan, now, first)
        if wrong:
            return wrong
        log.started[row] = counts[STARTED] - before
        log.rows[0] += 1
    return PAUSED


@inner
def _end(engine, now):
    """Whoever is over leaves; whether there is somebody."""
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
    """Whoever has arrived waits; the lowest of their places."""
    jobs, counts = engine.jobs, engine.log.counts
    lowest = np.int64(jobs.submit_s.shape[0])
    while counts[ARRIVED] < jobs.submit_s.shape[0] and jobs.submit_s[counts[ARRIVED]] <= now:
        job = counts[ARRIVED]
        join(jobs, engine.queue, job)
        lowest = min(lowest, np.int64(jobs.place[job]))
        counts[ARRIVED] += 1
        counts[WAITING] += 1
    return lowest


@inner
def _first_to_try(engine, somebody_ended, newest, now):
    """The place from which a pass has to try: the lowest of all, or after arrivals alone that of the newest.

    After arrivals alone all have to be tried if the head may be another, or if its shadow time has come and it still
    waits.
    """
    head = engine.head
    if somebody_ended:
        forget(engine.refused, ALONE)
    elif not _keeps_head(engine.rules):
        return newest
    elif head.number[JOB] >= 0:
        is_behind = newest >= engine.jobs.place[head.number[JOB]]
        if is_behind and (head.number[HAS_SHADOW] == 0 or head.amount[SHADOW_S] > now):
            return newest
    forget(engine.refused, BESIDE)
    head.number[JOB], head.number[HAS_SHADOW] = -1, 0
    return engine.queue.lowest[0]


@inner
def _keeps_head(rules):
    """Whether the first job that does not fit means anything to those behind it."""
    return rules.blocks or rules.promises


@inner
def _pass(engine, scan, now, first):
    """Start whom the discipline lets start, of those at the place `first` and behind; returns what is wrong."""
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
def _start(engine, scan, now, job):
    """Start `job` if it fits beside what the head is promised: `NOW`, `NOT_NOW` or `WRONG`."""
    jobs, hosts, running, head = engine.jobs, engine.hosts, engine.running, engine.head
    demand, tasks, how = jobs.demand[jobs.kind[job]], jobs.tasks[job], ALONE
    for r in range(demand.shape[0]):
        if demand[r] * tasks > hosts.total[r]:
            return NOT_NOW
    if is_refused(jobs, engine.refused, job, ALONE):
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
        refuse(jobs, engine.refused, job, how, tasks - left)
        return NOT_NOW
    _begin(engine, now, job)
    return NOW


@inner
def _begin(engine, now, job):
    """`job` runs from now on, on the hosts that were taken for it."""
    jobs, running, log = engine.jobs, engine.running, engine.log
    counts, place = log.counts, np.int64(jobs.place[job])
    log.start_s[job] = now
    add_end(running.ends, now + jobs.expected_s[job], job)
    counts[RUNNING] = push(running.end_s, running.ending, counts[RUNNING], now + jobs.runtime_s[job], job)
    counts[WAITING] -= 1
    counts[STARTED] += 1
    forget(engine.refused, BESIDE)
    leave(jobs, engine.queue, place)
    if engine.queue.lowest[0] == place:
        engine.queue.lowest[0] += 1
