"""A running state, the moves that change it, and what they cost."""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.errors import InputError
from loadmaster.packing import Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.packing import Status

Unit = Literal["bytes", "count"]
GAIN = 1e-6
"""A level that is higher by no more than this is not worth a move."""


def within(cost: float, budget: float) -> bool:
    """`cost` is no more than `budget`, but for rounding; an infinite cost never is."""
    return cost < math.inf and cost <= budget * (1 + 1e-9) + 1e-12


@dataclass(frozen=True, eq=False)
class State:
    """Tasks and where they run now.

    Attributes:
        instance: all tasks that are to run; tasks that have left are not in it.
        host: int32[T], the host of every task, -1 for one that has just arrived.
        unit: what the budget counts: `bytes` of memory of the tasks moved, or the `count` of moves.

    Raises:
        InputError: hosts that do not exist, or bytes without a rigid resource to count them in.
    """

    instance: Instance
    host: Ints
    unit: Unit = "bytes"

    def __post_init__(self) -> None:
        if self.host.shape != (self.instance.tasks,):
            raise InputError(self.host.shape, f"host needs a value for each of {self.instance.tasks} tasks")
        if self.instance.tasks and not (self.host.min() >= -1 and self.host.max() < self.instance.hosts):
            raise InputError("host", f"hosts are numbered 0..{self.instance.hosts - 1}, -1 for a new task")
        if self.unit == "bytes" and not self.instance.rigid_names:
            raise InputError("bytes", "the tasks have no memory to count", fix="bound the number of moves instead")

    @property
    def cost(self) -> Floats:
        """float64[T]: what moving each task costs; 0 for new ones, which have to go somewhere."""
        names = self.instance.rigid_names
        memory = names.index("memory") if "memory" in names else 0
        amount = self.instance.rigid[:, memory] if self.unit == "bytes" else np.ones(self.instance.tasks)
        return np.where(self.host >= 0, amount, 0.0)

    @property
    def level(self) -> float:
        """The level of the present mapping; NaN while a task is new or a host is too full."""
        return level_of(self.instance, self.host) if (self.host >= 0).all() else float("nan")

    def spent(self, mapping: Ints) -> float:
        """What it costs to get to `mapping`."""
        return float(self.cost[mapping != self.host].sum())


class TaskTransfer(NamedTuple):
    """A task goes from one host to another.

    Attributes:
        task: its number.
        source: the number of the host that it leaves; -1 of a new task.
        target: the number of the host that it goes to.
        temporary: it will move once more.
    """

    task: int
    source: int
    target: int
    temporary: bool = False


@dataclass(frozen=True, eq=False)
class Change:
    """A new mapping within the budget.

    Attributes:
        status: `ok`; `infeasible`: no mapping within the budget was found, or exists; `limit`: the time was up first.
        host: int32[T], the new mapping; the old one without a mapping.
        level: its level, NaN without one.
        spent: what its moves cost if each task moves once.
        solver: what found it.
        proven: no mapping within the budget is better, or there is none.
    """

    status: Status
    host: Ints
    level: float
    spent: float
    solver: str
    proven: bool = False
