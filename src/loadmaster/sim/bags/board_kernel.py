"""The machines of a bag under the planner, as its compiled engine holds them, and what they cost."""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import allocating
from loadmaster.sizing import plan_kernel as plan

UP, RENTED, NEXT, LOOK = range(4)
"""Counters: machines at hand, machines ever rented, the next task to hand out, the next look of the clock."""


class Kinds(NamedTuple):
    """Machine types, one entry each: float64[T], and int64[T] for `limit`; see `HostType`."""

    speed: np.ndarray
    boot_s: np.ndarray
    unit_s: np.ndarray
    least: np.ndarray
    price: np.ndarray
    limit: np.ndarray


class PlannerGoal(NamedTuple):
    """A `Goal`; what is not requested is infinite, `guess` says whether a guess was given."""

    budget: float
    deadline_s: float
    waste: float
    guess: bool
    prior_log: float
    prior_sd: float
    prior_weight: float
    levels: np.ndarray
    tick_s: float
    enough: int
    most: int


class MachinesUp(NamedTuple):
    """Machines at hand, in the order of renting, in the first `tally[UP]` entries of each array.

    Attributes:
        number, kind, task: int64[M]; `task` is -1 without one.
        rented_s, started_s, ends_s: float64[M]; `ends_s` is infinite without a task.
        ready, used, leaves: bool[M]; `used`: has done a task; `leaves`: is to be given back now.
        cost: float64[all], money of machines given back, by number.
        tally: int64[4].
        spent: float64[1], money of machines given back, as they went.
    """

    number: np.ndarray
    kind: np.ndarray
    task: np.ndarray
    rented_s: np.ndarray
    started_s: np.ndarray
    ends_s: np.ndarray
    ready: np.ndarray
    used: np.ndarray
    leaves: np.ndarray
    cost: np.ndarray
    tally: np.ndarray
    spent: np.ndarray


@allocating
def cost_of(kinds, kind, age_s):
    """As `HostType.cost`."""
    return plan.units(age_s, kinds.unit_s[kind], kinds.least[kind]) * kinds.price[kind]


@allocating
def paid_left_of(kinds, kind, age_s):
    """As `HostType.paid_left_s`."""
    units = plan.units(age_s, kinds.unit_s[kind], kinds.least[kind])
    return max(0.0, units * kinds.unit_s[kind] - age_s)


@allocating
def rent(b, kinds, kind, now):
    """Put one more machine on the board."""
    place = b.tally[UP]
    b.number[place], b.kind[place], b.task[place] = b.tally[RENTED], kind, -1
    b.rented_s[place], b.started_s[place], b.ends_s[place] = now, 0.0, np.inf
    b.ready[place], b.used[place], b.leaves[place] = kinds.boot_s[kind] == 0.0, False, False
    b.tally[UP] += 1
    b.tally[RENTED] += 1


@allocating
def give_back(b, kinds, now):
    """Take the machines that leave off the board; the others close up in their order."""
    kept = 0
    for place in range(b.tally[UP]):
        if b.leaves[place]:
            cost = cost_of(kinds, b.kind[place], now - b.rented_s[place])
            b.cost[b.number[place]] = cost
            b.spent[0] += cost
            b.leaves[place] = False
            continue
        if kept < place:
            b.number[kept], b.kind[kept], b.task[kept] = b.number[place], b.kind[place], b.task[place]
            b.rented_s[kept], b.started_s[kept], b.ends_s[kept] = b.rented_s[place], b.started_s[place], b.ends_s[place]
            b.ready[kept], b.used[kept] = b.ready[place], b.used[place]
        kept += 1
    b.tally[UP] = kept
