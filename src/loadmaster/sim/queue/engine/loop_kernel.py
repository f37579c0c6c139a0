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
from loadmaster.sim.queue.engine.hosts_kernel import WRONG, give_back, place
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
def run(jobs, rules, hosts, queue, running, head, refused, log, scan):
    """Go on until all is done or the chunk of cycles is full; `scan` rates hosts (`compiled_scan.py`)."""
    log.rows[0] = 0
    count, total = log.counts, jobs.submit_s.shape[0]
    while log.rows[0] < log.time_s.shape[0]:
        if count[ARRIVED] == total and (count[WAITING] == 0 or count[RUNNING] == 0):
            return DONE
        event = running.end_s[0] if count[RUNNING] > 0 else np.inf
        if count[ARRIVED] < total:
            event = min(event, jobs.submit_s[count[ARRIVED]])
        now = at_or_after(event, rules.interval_s)
        ended = _end(jobs, hosts, running, head, log, now)
        newest = _admit(jobs, queue, log, now)
        if ended:
            forget(refused, ALONE)
        if count[WAITING] == 0:
            continue
        row = log.rows[0]
        log.time_s[row] = now
        log.queue_length[row] = count[WAITING]
        before = count[STARTED]
        if ended or (_keeps_head(rules) and _is_another_head(jobs, head, newest, now)):
            head.number[JOB] = -1
            newest = queue.lowest[0]
        wrong = _pass(jobs, rules, hosts, queue, running, head, refused, log, scan, now, newest)
        if wrong:
            return wrong
        log.started[row] = count[STARTED] - before
        log.rows[0] += 1
    return PAUSED


@inner
def _end(jobs, hosts, running, head, log, now):
    """Whoever is over leaves; whether there is somebody."""
    count, before = log.counts, log.counts[RUNNING]
    while count[RUNNING] > 0 and running.end_s[0] <= now:
        job = np.int64(running.ending[0])
        count[RUNNING] = drop_first(running.end_s, running.ending, count[RUNNING])
        drop_end(running.ends, job)
        for run_ in range(jobs.first_task[job], jobs.first_task[job] + running.runs[job]):
            give_back(jobs, hosts, head, job, np.int64(running.run_host[run_]), float(running.run_tasks[run_]))
    return count[RUNNING] < before


@inner
def _admit(jobs, queue, log, now):
    """Whoever has arrived waits; the lowest of their places."""
    count, lowest = log.counts, np.int64(jobs.submit_s.shape[0])
    while count[ARRIVED] < jobs.submit_s.shape[0] and jobs.submit_s[count[ARRIVED]] <= now:
        job = count[ARRIVED]
        join(jobs, queue, job)
        lowest = min(lowest, np.int64(jobs.place[job]))
        count[ARRIVED] += 1
        count[WAITING] += 1
    return lowest


@inner
def _keeps_head(rules):
    """Whether the first job that does not fit means anything to those behind it."""
    return rules.blocks or rules.promises


@inner
def _is_another_head(jobs, head, newest, now):
    """Whether all have to be tried anew: the head may be another, or its shadow time has come and it still waits."""
    job = head.number[JOB]
    overdue = head.number[HAS_SHADOW] == 1 and head.amount[SHADOW_S] <= now
    return job < 0 or overdue or newest < jobs.place[job]


@inner
def _pass(jobs, rules, hosts, queue, running, head, refused, log, scan, now, first):
    """Start whom the discipline lets start, of those that wait at the place `first` and behind; returns what is wrong."""
    if head.number[JOB] < 0:
        head.number[HAS_SHADOW] = 0
        forget(refused, BESIDE)
    elif rules.blocks:
        return 0
    at = next_waiting(queue, hosts, refused, first, _keeps_head(rules) and head.number[JOB] < 0)
    while at >= 0:
        job = np.int64(jobs.at[at])
        started = NOW
        if job != head.number[JOB]:
            started = _start(jobs, rules, hosts, queue, running, head, refused, log, scan, now, job)
        if started == WRONG:
            return NOT_FINITE
        if started == NOT_NOW and _keeps_head(rules) and head.number[JOB] < 0:
            head.number[JOB] = job
            if rules.blocks:
                return 0
        at = next_waiting(queue, hosts, refused, at + 1, _keeps_head(rules) and head.number[JOB] < 0)
    return 0


@inner
def _start(jobs, rules, hosts, queue, running, head, refused, log, scan, now, job):
    """Start `job` if it fits beside what the head is promised: `NOW`, `NOT_NOW` or `WRONG`."""
    demand, tasks, how = jobs.demand[jobs.kind[job]], jobs.tasks[job], ALONE
    for r in range(demand.shape[0]):
        if demand[r] * tasks > hosts.total[r]:
            return NOT_NOW
    if is_refused(jobs, refused, job, ALONE):
        return NOT_NOW
    if head.number[JOB] >= 0:
        if head.number[HAS_SHADOW] == 0:
            find_shadow(jobs, hosts, running, head, now)
        if now + jobs.expected_s[job] > head.amount[SHADOW_S]:
            how = BESIDE
            if is_refused(jobs, refused, job, BESIDE):
                return NOT_NOW
    left = place(jobs, rules, hosts, running, head, scan, job, how)
    if left == WRONG:
        return WRONG
    if left > 0:
        refuse(jobs, refused, job, how, tasks - left)
        return NOT_NOW
    _begin(jobs, running, log, now, job)
    forget(refused, BESIDE)
    leave(jobs, queue, np.int64(jobs.place[job]))
    if queue.lowest[0] == jobs.place[job]:
        queue.lowest[0] += 1
    return NOW


@inner
def _begin(jobs, running, log, now, job):
    """`job` runs from now on, on the hosts that were taken for it."""
    counts = log.counts
    log.start_s[job] = now
    add_end(running.ends, now + jobs.expected_s[job], job)
    counts[RUNNING] = push(running.end_s, running.ending, counts[RUNNING], now + jobs.runtime_s[job], job)
    counts[WAITING] -= 1
    counts[STARTED] += 1
