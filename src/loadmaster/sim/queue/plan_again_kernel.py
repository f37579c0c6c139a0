"""When a job that was promised a start before may start beside the plan of a new decision, compiled.

Only hosts that have more free than when it was promised can make it earlier, and only its own host later.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.skyline_kernel import is_free, least, until
from loadmaster.kernels import inner
from loadmaster.sim.queue.plan_bounds_kernel import catch_up
from loadmaster.sim.queue.plan_earliest_kernel import first_for_one, first_or_later
from loadmaster.sim.queue.plan_unlike_kernel import is_promised


@inner
def first_again(jobs, rules, state, plan, job, now):
    """As `first_for_one`, and whether nothing at all has changed for the job: it needs no choice."""
    promised, unlike, demand = plan.promised, plan.unlike, jobs.demand[jobs.kind[job]]
    start_s, host = promised.start_s[job], np.int64(promised.host[jobs.first_task[job]])
    if not is_promised(plan, job) or not promised.alone[job] or start_s <= now:
        start_s, able = first_for_one(jobs, state, plan, job, now)
        return start_s, able, False
    end_s, kind = until(start_s, state.expected_s[job]), plan.soon.of[job]
    less = unlike.less_from_s[host] < end_s and start_s < unlike.less_until_s[host]
    if less and not is_free(plan.ahead, host, start_s, end_s, demand):
        start_s, able = first_for_one(jobs, state, plan, job, now)
        return start_s, able, False
    catch_up(plan, kind, now)
    best_s, able = start_s, 1
    plan.hand.able[0] = host
    if _lets_start(plan, kind, host, start_s, end_s):
        best_s, able = first_or_later(jobs, state, plan, job, kind, host, now, start_s, 0)
    for i in range(unlike.many[0]):
        other = np.int64(unlike.hosts[i])
        if other != host and _lets_start(plan, kind, other, best_s, end_s):
            best_s, able = first_or_later(jobs, state, plan, job, kind, other, now, best_s, able)
    more = unlike.more_from_s[host] < end_s and start_s < unlike.more_until_s[host]
    if best_s == start_s and able == 1 and not (less or more or rules.varies):
        return best_s, able, True
    for i in range(able):
        least(plan.ahead, plan.hand.able[i], best_s, until(best_s, state.expected_s[job]), plan.hand.window)
    return best_s, able, False


@inner
def _lets_start(plan, kind, host, best_s, end_s):
    """Whether what is added on a host might let a job of the class start by `best_s`."""
    soon_s = plan.soon.soon_s[kind, host]
    return plan.unlike.more_from_s[host] < end_s and soon_s <= best_s and soon_s < plan.unlike.more_until_s[host]
