"""Compiled engine for bags of tasks on a fixed number of machines of one type, without interruptions."""
# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np

from loadmaster.jit.kernels import allocating

SLACK = 1e-9
"""As of `HostType.units`."""


@allocating
def run_fixed(duration, most, machines, row, span_s, hosts, cost):
    """A fixed number of machines, up at one moment: whichever is free first takes the next task, the last ones go.

    A heap of the machines by the end of their task, of equal ends the lower number first, takes the place of a look at
    all of them.
    """
    tasks = len(duration)
    number = min(most, tasks)
    ends_s = np.empty(number)
    heap = np.empty(number, np.int64)
    for host in range(number):
        ends_s[host] = machines.boot_s + duration[host] / machines.speed
        heap[host] = host
    for root in range(number // 2 - 1, -1, -1):
        _sink(heap, ends_s, root, number)
    up, now = number, 0.0
    units = np.empty(number)
    for done in range(tasks):
        host = heap[0]
        now = ends_s[host]
        if number + done < tasks:
            ends_s[host] = now + duration[number + done] / machines.speed
        else:
            units[host] = max(machines.least_units, math.ceil(now / machines.unit_s - SLACK))
            up -= 1
            heap[0] = heap[up]
        _sink(heap, ends_s, 0, up)
    total = 0.0
    for host in range(number):
        total += units[host] * machines.unit_price
    span_s[row] = now
    hosts[row] = number
    cost[row] = total


@allocating
def _sink(heap, ends_s, place, size):
    """Let the machine at `place` sink to where none below it is free earlier."""
    while True:
        child = 2 * place + 1
        if child >= size:
            return
        if child + 1 < size and _before(heap[child + 1], heap[child], ends_s):
            child += 1
        if not _before(heap[child], heap[place], ends_s):
            return
        heap[place], heap[child] = heap[child], heap[place]
        place = child


@allocating
def _before(left, right, ends_s):
    return ends_s[left] < ends_s[right] or (ends_s[left] == ends_s[right] and left < right)
