"""Limits on work, compiled: as `loadmaster.scheduling.resource_time_limits`, the specification (rule C10)."""
# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.order.multifactor.ledger_kernel import faded, lasting

LN2 = math.log(2.0)
AGAIN_S = 300.0
"""As `resource_time_limits.AGAIN_S`."""


@inner
def begin_work(work, row, job, now):
    """Count the start of `job` as that row."""
    if work.most.shape[0] == 0:
        return
    _work_until(work, now)
    work.running[work.many[0]] = job
    work.many[0] += 1
    work.over_s[job] = now + work.limit_s[job]
    for use in range(work.first[row], work.first[row + 1]):
        work.rate[work.limit[use]] += work.amount[use]


@inner
def end_work(work, row, job, time_s):
    """Count the end of `job`, which started as that row."""
    if work.most.shape[0] == 0:
        return
    _work_until(work, time_s)
    for use in range(work.first[row], work.first[row + 1]):
        work.rate[work.limit[use]] -= work.amount[use]
    many = np.int64(0)
    for i in range(work.many[0]):
        if work.running[i] != job:
            work.running[many] = work.running[i]
            many += 1
    work.many[0] = many
    if many == 0:
        work.rate[:] = 0.0


@inner
def find_left(work, started_as, now):
    """Write what is left of each limit into `left`; `started_as` int32[J] is the row of each running job."""
    _work_until(work, now)
    for limit in range(work.most.shape[0]):
        work.left[limit] = work.used[limit] if work.counts_use[limit] else 0.0
    for i in range(work.many[0]):
        job = work.running[i]
        for use in range(work.first[started_as[job]], work.first[started_as[job] + 1]):
            if work.looks_ahead[work.limit[use]]:
                work.left[work.limit[use]] += work.amount[use] * max(work.over_s[job] - now, 0.0)
    for limit in range(work.most.shape[0]):
        work.left[limit] = work.most[limit] - work.left[limit]


@inner
def work_again_s(work, started_as, queue, many, now):
    """When to look again at the first `many` rows of `queue` that a limit holds back; infinite if never."""
    if work.most.shape[0] == 0:
        return np.inf
    find_left(work, started_as, now)
    short, fades_s = False, np.inf
    for i in range(many):
        for use in range(work.first[queue[i]], work.first[queue[i] + 1]):
            if work.left[work.limit[use]] < work.need[use]:
                short = True
                fades_s = min(fades_s, _faded_s(work, work.limit[use], work.need[use]))
    if not short:
        return np.inf
    if work.many[0] > 0:
        return (np.floor(now / AGAIN_S) + 1.0) * AGAIN_S
    return now + max(fades_s, AGAIN_S)


@inner
def _faded_s(work, limit, need):
    """How long use takes to fade until `need` is left, if nothing runs; infinite if it never does."""
    allowed = work.most[limit] - need
    if work.half_life_s <= 0.0 or allowed <= 0.0 or work.many[0] > 0:
        return np.inf
    return work.half_life_s / LN2 * math.log(work.used[limit] / allowed)


@inner
def _work_until(work, now):
    passed_s = now - work.clock_s[0]
    if passed_s > 0.0:
        kept, worth = faded(passed_s, work.half_life_s), lasting(passed_s, work.half_life_s)
        for limit in range(work.most.shape[0]):
            work.used[limit] = work.used[limit] * kept + work.rate[limit] * worth
        work.clock_s[0] = now
