"""Upper bounds on the level: the closed form of Casanova et al. 2008, section 3.1, and its linear program."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.common_unit import common_unit, multiples
from loadmaster.packing.instance import TOLERANCE, Instance, lacking
from loadmaster.packing.level import filled_at
from loadmaster.packing.shortfall import fits_nowhere

_T = TypeVar("_T")


def once(answer: Callable[[Instance], _T]) -> Callable[[Instance], _T]:
    """`answer`, kept for as long as its instance lives: every step of a solver requests the bounds again."""
    known: WeakKeyDictionary[Instance, _T] = WeakKeyDictionary()

    @wraps(answer)
    def remembered(instance: Instance) -> _T:
        if instance not in known:
            known[instance] = answer(instance)
        return known[instance]

    return remembered


@once
def hopeless(instance: Instance) -> tuple[int, str] | None:
    """A task that no host can hold even when empty, or -1 if all together ask too much; None if neither is so."""
    hard, room = instance.scaled.hard, instance.scaled.hard_room
    if instance.tasks == 0 or hard.shape[1] == 0:
        return None
    over = fits_nowhere(instance)
    if over.size:
        return int(over[0]), f"task {instance.task_name(over[0])} requests more than any host has, even when empty"
    asked, given = hard.sum(axis=0), room.sum(axis=0)
    full = np.flatnonzero(asked > given + TOLERANCE * instance.hosts)
    if full.size:
        name = hard_name(instance, int(full[0]))
        return -1, f"all tasks together request {asked[full[0]] / given[full[0]]:.4g} times the {name} of all hosts"
    return None


def hard_name(instance: Instance, column: int) -> str:
    """What column `column` of `Scaled.hard` stands for."""
    names: list[str] = [*instance.rigid_names, *(instance.fluid_names[f] for f in lacking(instance))]
    names += [f"guaranteed {name}" for name in instance.fluid_names]
    return names[column]


@once
def upper_bound(instance: Instance) -> float:
    """min(1, fluid capacity of all hosts / fluid demand of all tasks), 0 if the tasks cannot all be placed.

    With guarantees the largest Y such that the shares of all tasks at level Y add up to what all hosts have. It is
    the optimum of the relaxed linear program where hosts are equal (section 3.1) and never below it elsewhere.
    """
    if instance.tasks == 0:
        return 1.0
    if hopeless(instance) is not None:
        return 0.0
    need, room = instance.scaled.need, instance.scaled.room
    turn = instance.task_guarantee / instance.task_weight
    order = np.argsort(turn, kind="stable")
    totals = room.sum(axis=0)
    return min((filled_at(need[order, f], turn[order], float(totals[f])) for f in range(need.shape[1])), default=1.0)


@once
def pair_bound(instance: Instance) -> float:
    """On H equal hosts two of the H + 1 tasks with the largest need share one; 1 / the least they can add up to.

    The classic second bound of makespan scheduling (Martello and Toth 1990), also for the next multiples of H.
    """
    if not instance.uniform or instance.guaranteed:
        return 1.0
    best = 1.0
    for f in range(instance.scaled.need.shape[1]):
        need = np.sort(instance.scaled.need[:, f])[::-1]
        room = float(instance.scaled.room[0, f])
        for together in range(2, instance.tasks // instance.hosts + 2):
            last = instance.hosts * (together - 1)
            if last < len(need):
                least = float(need[last - together + 1 : last + 1].sum())
                best = min(best, room / least) if least > 0 else best
    return best


@once
def whole_bound(instance: Instance) -> float:
    """The bound from demands in whole multiples of one unit: then every load is one, and room beyond one is lost.

    The largest level at which the whole multiples that the hosts have room for add up to what all tasks request.
    """
    best = 1.0
    if instance.guaranteed:
        return best
    need = instance.fluid * instance.task_weight[:, None]
    for f in range(need.shape[1]):
        unit = common_unit(need[:, f])
        if unit > 0:
            room, hosts = np.unique(instance.fluid_capacity[:, f] / unit, return_counts=True)
            best = min(best, _highest_whole(int(multiples(need[:, f], unit).sum()), room, hosts))
    return best


def _highest_whole(total: int, room: Floats, hosts: Longs) -> float:
    """The largest level Y <= 1 with sum of hosts x floor(room / Y) >= total.

    Args:
        total: what all tasks request, in units.
        room: float64[K], what a host of each kind has, in units.
        hosts: int64[K], how many there are.
    """

    def held(level: float) -> Floats:
        return np.floor(room / level + 1e-9)

    if held(1.0) @ hosts >= total:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if held(middle) @ hosts >= total else (low, middle)
    if low == 0.0:
        return 0.0
    most = held(low)
    return float(min(1.0, (room[most > 0] / most[most > 0]).min()))


def reachable_level(instance: Instance, bound: float) -> float:
    """The highest level up to `bound` that a mapping can have where all loads are whole multiples; else `bound`."""
    if instance.guaranteed or bound >= 1.0:
        return bound
    best = 0.0
    need = instance.fluid * instance.task_weight[:, None]
    for f in range(need.shape[1]):
        unit = common_unit(need[:, f])
        if unit == 0:
            return bound
        room = np.unique(instance.fluid_capacity[:, f] / unit)
        best = max(best, float((room / np.ceil(room / bound - 1e-9)).max()))
    return min(best, bound)


def ceiling(instance: Instance) -> float:
    """The best upper bound on the level that costs nothing to know."""
    return min(upper_bound(instance), pair_bound(instance), whole_bound(instance))
