"""Upper bounds on the level: the closed form of Casanova et al. 2008, section 3.1, and its linear program."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from loadmaster.packing.instance import TOLERANCE, Instance, lacking
from loadmaster.packing.level import filled_at
from loadmaster.packing.shortfall import fits_nowhere

_T = TypeVar("_T")


def once(answer: Callable[[Instance], _T]) -> Callable[[Instance], _T]:
    """`answer`, kept for as long as its instance lives: every step of a solver asks for the bounds again."""
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
        return int(over[0]), f"task {instance.task_name(over[0])} asks more than any host has, even when empty"
    asked, given = hard.sum(axis=0), room.sum(axis=0)
    full = np.flatnonzero(asked > given + TOLERANCE * instance.hosts)
    if full.size:
        name = hard_name(instance, int(full[0]))
        return -1, f"all tasks together ask {asked[full[0]] / given[full[0]]:.4g} times the {name} of all hosts"
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


def ceiling(instance: Instance) -> float:
    """The best upper bound on the level that costs nothing to know."""
    return min(upper_bound(instance), pair_bound(instance))
