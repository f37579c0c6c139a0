"""The scores by which hosts of one row are told apart where their memory alone does not: Mix-Fit and opportunity cost.

The same numbers as in `place/`, to the bit.
"""
# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.keys_kernel import EMPTY, NOBODY, around
from loadmaster.sim.queue.levels_kernel import ABOVE, host_of

LATER = np.int64(2**61)
"""Stands for a host of Mix-Fit that nobody has looked for yet: after all hosts, before `NOBODY`."""


@inner
def balanced(rows, kind, number, cores_left, memory):
    """Mix-Fit. In a row the score falls with free memory up to the point of balance and grows after it.

    So a row's best hosts are those with the most memory up to that point or those with the least beyond it, and
    only these two amounts are rated. With no core left over every host beyond the point rates 1, the worst there is:
    which of them is the lowest is found out when that is the best of all rows.
    """
    index = (np.int64(1) << rows.bits) - 1
    split = (memory + cores_left * kind.memory // kind.cores + 1) << rows.bits
    low, high = around(rows, number, split, kind.limit)
    low = low if low >= memory << rows.bits else EMPTY
    below = rate(kind, cores_left, (low >> rows.bits) - memory) if low >= 0 else np.inf
    above = rate(kind, cores_left, (high >> rows.bits) - memory) if high < ABOVE else np.inf
    host = NOBODY
    if low >= 0 and below <= above:
        host = host_of(rows, low)
    if high < ABOVE and above <= below:
        host = min(host, LATER if cores_left == 0 else high & index)
    return min(below, above), host


@inlined
def rate(kind, cores_left, memory_left):
    """The score of place/mix_fit.py for what would be left, to the bit."""
    x = float(cores_left) * kind.memory
    y = float(memory_left) * kind.cores
    return abs(x - y) / (x + y) if x + y > 0.0 else 0.0


@inner
def cheapest(rows, kind, number, free, cores, memory):
    """Opportunity cost: the lowest score of the open hosts of a row that hold the task, and the lowest such host.

    The score is that of place/opportunity_cost.py, to the bit. What depends on the row alone is worked out once.
    """
    log_base = math.log(max(2.0, float(rows.spot.shape[0])))
    room = float(kind.cores)
    used = (room - float(free)) / room
    growth = 0.0 + math.exp(log_base * used) * math.expm1(log_base * float(cores) / room)
    capacity = float(kind.memory)
    factor = math.expm1(log_base * float(memory) / capacity)
    best, host, row = np.inf, NOBODY, rows.row[number]
    for slot in range(row.start, row.start + row.size):
        key = rows.key[slot]
        if (key >= memory << rows.bits) & (key < kind.limit):
            used = (capacity - float(key >> rows.bits)) / capacity
            score = growth + math.exp(log_base * used) * factor
            if score < best:
                best, host = score, host_of(rows, key)
            elif score == best:
                host = min(host, host_of(rows, key))
    return best, host
