"""What constraints say during a pass: which rows of the queue may be tried, and which hosts are closed to a row.

Each function takes `bound`, which is None in a run without constraints; the compiler then drops these calls.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.cluster_amounts_kernel import how_many_amounts
from loadmaster.sim.queue.engine.constraint_state import SHUT
from loadmaster.sim.queue.engine.state import STAMP


@inner
def may_pass_over(bound):
    """Whether rows that cannot fit may be passed over without a look."""
    if bound is None:
        return True
    return not bound.looks_at_all


@inner
def is_offered(jobs, state, bound, row):
    """Whether the row may be tried: its job has not started in this pass, nothing holds it back (rules C4 to C6)."""
    if bound is None:
        return True
    stamp = state.tally[STAMP]
    job, partition = bound.row[row].owner, bound.row[row].queue
    bound.tally[SHUT] = 0
    if bound.job[job].started == stamp:
        return False  # its own use of a limit must not stop its partition
    limited = bound.shunned[partition] == stamp
    if not limited:
        limited = not _within_limits(jobs, state, row)
        if limited and bound.limits_stop:
            bound.shunned[partition] = stamp
    array = _array_in_queue(bound, row)
    return not (limited or (array >= 0 and bound.passed[array] == stamp))


@inner
def pass_over_array(state, bound, row):
    """Pass over the row's job array in its queue from now on: the row has not started."""
    if bound is not None:
        array = _array_in_queue(bound, row)
        if array >= 0:
            bound.passed[array] = state.tally[STAMP]


@inner
def note_start(state, bound, row):
    """Note that the job of the row has started in this pass."""
    if bound is not None:
        bound.job[bound.row[row].owner].started = state.tally[STAMP]


@inner
def shut_hosts(bound, row, now, expected_s):
    """Mark hosts closed to a row that is expected to run so long from now on (rule C7); returns whether any is."""
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
                for host in range(closures.shut.shape[0]):
                    closures.shut[host] = False
            found = True
            for host in range(closures.shut.shape[0]):
                closures.shut[host] |= closures.hosts[c, host]
    bound.tally[SHUT] = 1 if found else 0
    return found


@inner
def exclude_closed_hosts(state, bound):
    """Make hosts that are closed to the row at hand unusable for it."""
    if bound is not None and bound.tally[SHUT] != 0:
        for host in range(state.usable.shape[0]):
            state.usable[host] &= not bound.closures.shut[host]


@inner
def was_restricted(bound):
    """Whether the row at hand was tried on fewer hosts than others of its set may use."""
    if bound is None:
        return False
    return bound.tally[SHUT] != 0


@inner
def _array_in_queue(bound, row):
    """The index of the row's array and queue in `passed`; negative if the row is of no array."""
    return np.int64(bound.job[bound.row[row].owner].array) * bound.shunned.shape[0] + bound.row[row].queue


@inner
def _within_limits(jobs, state, row):
    """Whether the row stays within its limits; one that lacks an amount of the cluster does not fit (rule C13)."""
    for use in range(jobs.uses[row], jobs.uses[row + 1]):
        limit = jobs.use_limit[use]
        if limit >= how_many_amounts(state) and state.left[limit] < jobs.use_amount[use]:
            return False
    return True
