"""The host that a rule takes, found by a look at every host."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.ratings_kernel import rate

FIRST_FIT, BEST_CORES, BEST_MEMORY, WORSE_CORES, WORSE_MEMORY, MIX_FIT, OPPORTUNITY, ROUND_ROBIN = range(8)
"""The rules that `find` knows; answers are remembered for those before `ROUND_ROBIN`."""


@inner
def among_all(rows, rule, cores, memory):
    """The host that `rule` takes for a task, -1 if none fits: the quickest way where hosts are fewer than rows."""
    best, found = np.inf, np.int64(-1)
    least = memory << rows.bits
    for host in range(np.uint64(rows.spot.shape[0])):
        spot = rows.spot[host]
        key = rows.key[spot.slot]
        kind = rows.kind[spot.kind]
        if spot.free >= cores and key >= least and key < kind.limit:
            rank = _rank(rule, kind, np.int64(spot.free) - cores, (key >> rows.bits) - memory)
            if rank < best:
                best, found = rank, np.int64(host)
                if rule == FIRST_FIT:
                    break
    return found


@inlined
def _rank(rule, kind, cores_left, memory_left):
    """What a rule thinks of a host on which so much would be left; less is better."""
    if rule == BEST_CORES:
        return float(cores_left)
    if rule == WORSE_CORES:
        return -float(cores_left)
    if rule == BEST_MEMORY:
        return float(memory_left)
    if rule == WORSE_MEMORY:
        return -float(memory_left)
    if rule == MIX_FIT:
        return rate(kind, cores_left, memory_left)
    return 0.0
