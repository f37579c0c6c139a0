# mypy: disable-error-code="no-untyped-def"
"""Single moves off the host with the least yield, compiled; plain: tests/sim/fractional/level_out_plain.py."""

from typing import NamedTuple

from loadmaster.jit.kernels import cached_njit
from loadmaster.model.arrays import Floats


class MovableTasks(NamedTuple):
    """What T tasks request: float64[T] fluid, float64[T, M] rigid, float64[T] cost of a move."""

    fluid: Floats
    rigid: Floats
    cost: Floats


class FluidLoads(NamedTuple):
    """H hosts: float64[H] fluid capacity and load, float64[H, M] rigid demands used and room for them."""

    capacity: Floats
    load: Floats
    used: Floats
    room: Floats


@cached_njit(nogil=True, error_model="numpy")
def level_out(host, tasks, loads, budget):
    """Change `host` int64[T], and with it `loads.load` and `loads.used`, in place."""
    fluid, rigid, cost = tasks
    capacity, load, used, room = loads
    hosts, resources = used.shape
    for _ in range(host.shape[0]):
        fullest = 0
        for h in range(hosts):
            if load[h] / capacity[h] > load[fullest] / capacity[fullest]:
                fullest = h
        if load[fullest] <= capacity[fullest]:
            return  # every task has all it requests
        best, target, best_load = -1, -1, load[fullest] / capacity[fullest] - 1e-9
        for task in range(host.shape[0]):
            if host[task] != fullest or fluid[task] <= 0.0 or cost[task] > budget:
                continue
            calmest, there = -1, 1e300
            for h in range(hosts):
                after = (load[h] + fluid[task]) / capacity[h]
                if after < there and h != fullest:
                    fits = True
                    for m in range(resources):
                        fits &= used[h, m] + rigid[task, m] <= room[h, m]
                    if fits:
                        calmest, there = h, after
            if calmest >= 0:
                larger = max(there, (load[fullest] - fluid[task]) / capacity[fullest])
                if larger < best_load:
                    best, target, best_load = task, calmest, larger
        if best < 0:
            return
        load[fullest] -= fluid[best]
        load[target] += fluid[best]
        for m in range(resources):
            used[fullest, m] -= rigid[best, m]
            used[target, m] += rigid[best, m]
        host[best] = target
        budget -= cost[best]
