"""Least demands of the waiting jobs below each node of the queue tree.

Invariant: a node never states more than the least demand below it. A job that joins lowers the nodes above it. A job
that leaves only marks them as loose: their values still hold, but may be too low. A loose node is computed again, with
its children, only when a search looks at it and its value does not settle the question. Most jobs leave the front of
the queue, where no search looks again, so most marks cost nothing.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.cluster_amounts_kernel import asked_of
from loadmaster.sim.queue.engine.state import AMOUNTS, EXPECTED, FAN, LANES, LOW, MEMORY, MID, TOP, WHOLE


@inlined
def come_below(jobs, waiting, position, job):
    """Lower the nodes above `position`, where `job` waits from now on."""
    node = position // FAN
    _lower(jobs, waiting.low, node, job)
    _lower(jobs, waiting.mid, node // FAN, job)
    _lower(jobs, waiting.top, node // (FAN * FAN), job)


@inlined
def leave_from(waiting, position):
    """Mark the nodes above `position` as loose: the job there has left."""
    node = position // FAN
    waiting.loose[LOW, node] = True
    waiting.loose[MID, node // FAN] = True
    waiting.loose[TOP, node // (FAN * FAN)] = True


@inner
def _lower(jobs, least, node, job):
    """Lower the values of a node to the demand of `job`, which is below it."""
    demand = jobs.demand[jobs.kind[job]]
    lane = lane_of(demand[0])
    least[node, MEMORY, lane] = min(least[node, MEMORY, lane], demand[1] if demand.shape[0] > 1 else 0.0)
    least[node, EXPECTED, lane] = min(least[node, EXPECTED, lane], jobs.expected_s[job])
    if least.shape[1] > WHOLE:
        least[node, WHOLE, lane] = min(least[node, WHOLE, lane], demand[0] * jobs.tasks[job])
        for part in range(AMOUNTS, least.shape[1]):
            least[node, part, lane] = min(least[node, part, lane], asked_of(jobs, job, part - AMOUNTS))


@inner
def lane_of(cores):
    """The lane of jobs with so many cores a task; the number of cores doubles from lane to lane."""
    lane = np.int64(0)
    while lane < LANES - 1 and cores >= np.int64(1) << lane:
        lane += 1
    return lane


@inner
def tighten_low(jobs, waiting, node):
    """Make a lowest block exact; returns whether it was loose."""
    if not waiting.loose[LOW, node]:
        return False
    update_block(waiting, jobs, node)
    return True


@inner
def tighten_mid(jobs, waiting, node):
    """As `tighten_low`, for a block of lowest blocks."""
    if not waiting.loose[MID, node]:
        return False
    for child in range(node * FAN, min((node + 1) * FAN, waiting.low.shape[0])):
        tighten_low(jobs, waiting, child)
    update_node(waiting.low, waiting.mid, node)
    waiting.loose[MID, node] = False
    return True


@inner
def tighten_top(jobs, waiting, node):
    """As `tighten_low`, for a block of middle blocks."""
    if not waiting.loose[TOP, node]:
        return False
    for child in range(node * FAN, min((node + 1) * FAN, waiting.mid.shape[0])):
        tighten_mid(jobs, waiting, child)
    update_node(waiting.mid, waiting.top, node)
    waiting.loose[TOP, node] = False
    return True


@inner
def update_block(waiting, jobs, node):
    """Compute the least demands of a lowest block from its waiting jobs."""
    waiting.loose[LOW, node] = False
    for part in range(waiting.low.shape[1]):
        for lane in range(LANES):
            waiting.low[node, part, lane] = np.inf
    for position in range(node * FAN, min((node + 1) * FAN, waiting.here.shape[0])):
        if waiting.here[position]:
            _lower(jobs, waiting.low, node, np.int64(waiting.at[position]))


@inner
def update_node(below, above, node):
    """Compute the least demands of a higher block from its children."""
    parts = below.shape[1]
    for part in range(parts):
        for lane in range(LANES):
            above[node, part, lane] = np.inf
    for child in range(node * FAN, min((node + 1) * FAN, below.shape[0])):
        for part in range(parts):
            for lane in range(LANES):
                above[node, part, lane] = min(above[node, part, lane], below[child, part, lane])
