"""What constraints say in a pass: which rows of the queue are offered, and which hosts are closed to one.

Every function takes `bound`, None where no constraint binds: then the compiler drops what is asked of it.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.constraint_state import SAVED, SHUT
from loadmaster.sim.queue.engine.state import STAMP


@inner
def may_pass_over(bound):
    """Whether rows that cannot fit may be passed over unseen."""
    if bound is None:
        return True
    return not bound.looks_at_all


@inner
def is_offered(jobs, state, bound, row):
    """Whether the row's turn may come: its job has not started in this pass, nor is it kept back (rules C4 to C6)."""
    if bound is None:
        return True
    stamp = state.tally[STAMP]
    job, partition = bound.row[row].owner, bound.row[row].queue
    bound.tally[SHUT] = 0
    if bound.job[job].started == stamp:
        return False  # what it holds by now keeps nobody back
    limited = bound.shunned[partition] == stamp
    if not limited:
        limited = not _within_limits(jobs, state, row)
        if limited and bound.limits_stop:
            bound.shunned[partition] = stamp
    array = _array_in_queue(bound, row)
    return not (limited or (array >= 0 and bound.passed[array] == stamp))


@inner
def pass_over_array(state, bound, row):
    """The row has not started: in its queue the array that its job is a task of is passed over from now on."""
    if bound is not None:
        array = _array_in_queue(bound, row)
        if array >= 0:
            bound.passed[array] = state.tally[STAMP]


@inner
def note_start(jobs, state, bound, row):
    """The row starts in this pass."""
    if bound is not None:
        bound.job[bound.row[row].owner].started = state.tally[STAMP]
        own = bound.tally
        for use in range(jobs.uses[row], jobs.uses[row + 1]):
            limit = jobs.use_limit[use]
            bound.saved_limit[own[SAVED]] = limit
            bound.saved[own[SAVED]] = state.left[limit]
            own[SAVED] += 1
            state.left[limit] -= jobs.use_amount[use]


@inner
def restore_limits(state, bound):
    """The pass was but a plan: limits have left what they had before."""
    if bound is not None:
        own = bound.tally
        while own[SAVED] > 0:
            own[SAVED] -= 1
            state.left[bound.saved_limit[own[SAVED]]] = bound.saved[own[SAVED]]


@inner
def count_against(jobs, state, row, sign):
    """The row starts (`sign` -1) or ends (1): its limits have less or more left."""
    for use in range(jobs.uses[row], jobs.uses[row + 1]):
        state.left[jobs.use_limit[use]] += sign * jobs.use_amount[use]


@inner
def shut_hosts(bound, row, now, expected_s):
    """Whether hosts are closed to a row that is expected to run so long from now on (rule C7); they are marked."""
    if bound is None:
        return False
    closures, job = bound.closures, bound.row[row].owner
    end_s = max(now + expected_s, np.nextafter(now, np.inf))
    found = False
    for c in range(closures.closure.shape[0]):
        one = closures.closure[c]
        known = one.to_s > now and (not one.unforeseen or one.from_s <= now)
        if known and one.from_s < end_s and closures.shuts[one.who, job]:
            if not found:
                closures.shut[:] = False
            found = True
            for host in range(closures.shut.shape[0]):
                closures.shut[host] |= closures.hosts[c, host]
    bound.tally[SHUT] = 1 if found else 0
    return found


@inner
def close_shut(state, bound):
    """Hosts closed to the row at hand are not usable for it."""
    if bound is not None and bound.tally[SHUT] != 0:
        for host in range(state.usable.shape[0]):
            state.usable[host] &= not bound.closures.shut[host]


@inner
def was_shut_out(bound):
    """Whether the row at hand was tried on fewer hosts than others may use."""
    if bound is None:
        return False
    return bound.tally[SHUT] != 0


@inner
def _array_in_queue(bound, row):
    """Where `passed` speaks of the array of the row in its queue; less than 0 if it is of none."""
    return np.int64(bound.job[bound.row[row].owner].array) * bound.shunned.shape[0] + bound.row[row].queue


@inner
def _within_limits(jobs, state, row):
    for use in range(jobs.uses[row], jobs.uses[row + 1]):
        if state.left[jobs.use_limit[use]] < jobs.use_amount[use]:
            return False
    return True
