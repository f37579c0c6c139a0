"""Compiled engine for bags of tasks on fixed numbers of machines of several types that nothing takes away."""
# mypy: disable-error-code="no-untyped-def"

import math
from typing import NamedTuple

import numpy as np

from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import allocating, cached_njit
from loadmaster.model.arrays import Floats, Longs

SLACK = 1e-9
"""As of `HostType.units`."""


class MixOfMachines(NamedTuple):
    """K types of machines.

    Attributes:
        number: int64[K], machines of each.
        speed, boot_s, unit_s, least_units, unit_price: float64[K], as of `HostType`.
    """

    number: Longs
    speed: Floats
    boot_s: Floats
    unit_s: Floats
    least_units: Floats
    unit_price: Floats


@cached_njit(error_model="numpy", nogil=True)
def run_mix(durations, mix, span_s, hosts, cost):
    """Run every row of `durations` (float64[R, N]) as a bag; write span, machines and cost of each."""
    for row in range(durations.shape[0]):
        span_s[row], hosts[row], cost[row] = _run_one(durations[row], mix)


@allocating
def _run_one(duration, mix):
    """The machine that is free first takes the next task; at equal times ends of tasks come first, then lower numbers.

    The heap has one entry for each machine that is up, so as many places as machines suffice.
    """
    tasks = len(duration)
    up = min(mix.number.sum(), tasks)
    kind = np.empty(up, np.int64)
    times, events = np.empty(up), np.empty(up, np.int64)  # an event is a machine, plus `up` if it boots
    size = started = host = 0
    for k in range(len(mix.number)):
        for _ in range(min(mix.number[k], up - host)):
            kind[host] = k
            if mix.boot_s[k] > 0.0:
                size = push(times, events, size, mix.boot_s[k], up + host)
            else:
                size = push(times, events, size, duration[started] / mix.speed[k], host)
                started += 1
            host += 1
    done, total, now = 0, 0.0, 0.0
    while done < tasks:
        now, event = times[0], events[0]
        size = drop_first(times, events, size)
        host = event % up
        done += event < up
        if started < tasks:
            size = push(times, events, size, now + duration[started] / mix.speed[kind[host]], host)
            started += 1
        else:
            total += _charge(mix, kind[host], now)
    for place in range(size):  # these still boot: the bag is over
        total += _charge(mix, kind[events[place] % up], now)
    return now, up, total


@allocating
def _charge(mix, k, age_s):
    return max(mix.least_units[k], math.ceil(age_s / mix.unit_s[k] - SLACK)) * mix.unit_price[k]
