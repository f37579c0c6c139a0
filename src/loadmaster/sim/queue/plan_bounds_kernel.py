"""When a job of a class can start on a host at the soonest, compiled: bounds that outlive the decision.

What is learnt of a host for which nothing is planned holds until somebody ends there before it was expected; what is
learnt of the others is put back as the decision ends.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.skyline_kernel import first_on
from loadmaster.backfilling.soon_kernel import LAST, was_enough
from loadmaster.kernels import inner
from loadmaster.sim.queue.plan_state import BLOCK
from loadmaster.sim.queue.starts_kernel import STAMP


@inner
def catch_up(plan, kind, now):
    """Lower the bounds of a class by what was given back since it was last asked for."""
    soon = plan.soon
    known, freed = soon.known[kind], soon.freed[0]
    if known == freed:
        return
    soon.known[kind] = freed
    if freed - known > soon.freed_host.shape[0]:
        soon.soon_s[kind, :] = -np.inf
        plan.block_s[kind, :] = -np.inf
        return
    for entry in range(known, freed):
        at = entry & LAST
        host, from_s = soon.freed_host[at], max(now, soon.freed_s[at] - soon.long_s[kind] - 1.0)  # for rounding
        if from_s < soon.until_s[at] and was_enough(soon, at, kind):
            soon.soon_s[kind, host] = min(soon.soon_s[kind, host], from_s)
            plan.block_s[kind, host // BLOCK] = min(plan.block_s[kind, host // BLOCK], from_s)


@inner
def bound_on(state, plan, kind, host, now, latest_s):
    """The bound of a class, which is no later than `latest_s`, on a host: made exact unless it is later than that."""
    soon = plan.soon
    known_s = soon.soon_s[kind, host]
    bound_s = first_on(plan.ahead, host, soon.need[kind], soon.short_s[kind], max(now, known_s), latest_s)
    if bound_s > known_s:
        _note(state, plan, kind, host, bound_s)
    if bound_s <= latest_s and bound_s <= soon.soon_s[kind, host]:  # and it could be noted
        plan.exact_at[kind, host] = plan.changed_at[host]
    return bound_s


@inner
def _note(state, plan, kind, host, bound_s):
    if state.kept[host] == state.tally[STAMP]:
        at = plan.undo[0]
        if at == plan.undo_s.shape[0]:
            return
        plan.undo_class[at], plan.undo_host[at], plan.undo_s[at] = kind, host, plan.soon.soon_s[kind, host]
        plan.undo[0] += 1
    plan.soon.soon_s[kind, host] = bound_s
    first = host // BLOCK * BLOCK
    least_s = np.inf
    for other in range(first, min(first + BLOCK, state.free.shape[0])):
        least_s = min(least_s, plan.soon.soon_s[kind, other])
    plan.block_s[kind, host // BLOCK] = least_s


@inner
def put_back(plan):
    """Undo what was learnt of hosts for which something was planned."""
    for at in range(plan.undo[0] - 1, -1, -1):
        kind, host, bound_s = plan.undo_class[at], plan.undo_host[at], plan.undo_s[at]
        plan.soon.soon_s[kind, host] = bound_s
        plan.block_s[kind, host // BLOCK] = min(plan.block_s[kind, host // BLOCK], bound_s)
    plan.undo[0] = 0
