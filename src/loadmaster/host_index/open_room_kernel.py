"""Whether an open host has room for a demand, before it is rated: this check costs a tenth of a rating.

    is_infeasible(scores, number, demand, free)   number: that of the demand, as `refresh` takes it

Where hundreds of hosts are shut, many demands fit only on these. Rating all hosts for each such demand would take half
of a run.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.host_index.lanes_kernel import BLOCK
from loadmaster.host_index.scores_kernel import ROOMY, is_remembered, settle
from loadmaster.host_index.shut_kernel import OPEN
from loadmaster.jit.kernels import inlined, inner


@inlined
def is_infeasible(scores, number, demand, free):
    """Whether all hosts would be rated for a demand that no open host can hold."""
    if is_remembered(scores, number):
        return False
    settle(scores, free)
    return not _holds(scores, demand, scores.clock[ROOMY]) and not _is_held(scores, demand)


@inner
def _is_held(scores, demand):
    width = scores.lanes.host.shape[0] // scores.blocks.shape[0]  # is `BLOCK`; a constant would be unrolled
    second = min(1, demand.shape[0] - 1)
    for kind in range(scores.taken.shape[0]):
        for first in range(scores.first[kind], scores.first[kind] + scores.taken[kind], BLOCK):
            if scores.shut.many[first // BLOCK] < BLOCK and _may_hold(scores, demand, first, second, width):
                for lane in range(first, first + BLOCK):
                    if _holds(scores, demand, lane):
                        scores.clock[ROOMY] = lane  # it may hold the next demand too
                        return True
    return False


@inlined
def _may_hold(scores, demand, first, second, width):
    """Whether an open lane of a block has enough of the first two resources."""
    free, least = scores.lanes.free, scores.shut.least
    column = second * scores.lanes.host.shape[0] + first
    x, y = demand[0], demand[second]
    found = np.int64(0)
    for i in range(np.uint64(width)):
        lane = np.uint64(first) + i
        found |= np.int64((free[lane] >= x) & (free[np.uint64(column) + i] >= y) & (least[lane] == OPEN))
    return found != 0


@inlined
def _holds(scores, demand, lane):
    fits = scores.shut.least[lane] == OPEN
    for r in range(demand.shape[0]):
        fits &= scores.lanes.free[r * scores.lanes.host.shape[0] + lane] >= demand[r]
    return fits
