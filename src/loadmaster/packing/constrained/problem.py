"""A constrained placement problem: hosts, tasks, where tasks run now, constraints and costs."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Longs, frozen_longs
from loadmaster.model.errors import InputError
from loadmaster.model.units import MEMORY, show_bytes
from loadmaster.packing.constrained.constraints import Capacity, PlacementConstraint
from loadmaster.packing.constrained.costs import PlacementCost

LARGEST = 1 << 53
"""Amounts and costs, weighted and summed over all tasks, stay below this."""


@dataclass(frozen=True, eq=False)
class ConstrainedProblem:
    """T tasks, H hosts, R resources; all amounts are whole numbers.

    Attributes:
        resources: their names.
        demand: int64[T, R].
        capacity: int64[H, R].
        now: int64[T], the host where each task runs now; -1 for a task that runs nowhere.
        constraints: all must hold. Without a `Capacity`, capacities bind nothing.
        costs: their weighted sum is minimised.
        task_names, host_names: shown to the user; empty for p0, p1, ... and m0, m1, ...
        source: the name of the file.
        units: float[R], how much of each resource one unit of the whole numbers is, in the unit that is shown; empty
            for 1. With units, memory is in bytes.

    Raises:
        InputError: arrays that do not match, a negative amount, or a host that is not there.
    """

    resources: tuple[str, ...]
    demand: Longs
    capacity: Longs
    now: Longs
    constraints: tuple[PlacementConstraint, ...] = ()
    costs: tuple[PlacementCost, ...] = ()
    task_names: tuple[str, ...] = ()
    host_names: tuple[str, ...] = ()
    source: str = ""
    units: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for name in ("demand", "capacity", "now"):
            object.__setattr__(self, name, frozen_longs(getattr(self, name)))
        if not self.task_names:
            object.__setattr__(self, "task_names", tuple(f"p{number}" for number in range(self.tasks)))
        if not self.host_names:
            object.__setattr__(self, "host_names", tuple(f"m{number}" for number in range(self.hosts)))
        _check(self)

    @property
    def tasks(self) -> int:
        """Number of tasks, T."""
        return int(self.demand.shape[0])

    @property
    def hosts(self) -> int:
        """Number of hosts, H."""
        return int(self.capacity.shape[0])

    def amount(self, resource: int, number: int) -> str:
        """`number` units of a resource in words."""
        if not self.units:
            return f"{number:,}"
        value = number * self.units[resource]
        in_bytes = self.resources[resource] == MEMORY and self.units[resource] >= 1
        return show_bytes(value) if in_bytes else f"{value:,g}"

    @property
    def transient(self) -> tuple[bool, ...]:
        """For each resource, whether a task that moves holds it on both hosts."""
        flags = [each.transient for each in self.constraints if isinstance(each, Capacity)]
        return tuple(np.any(flags, axis=0).tolist()) if flags else (False,) * len(self.resources)


def _check(problem: ConstrainedProblem) -> None:
    kinds = len(problem.resources)
    if problem.demand.shape[1:] != (kinds,) or problem.capacity.shape[1:] != (kinds,):
        shapes = f"{problem.demand.shape}, {problem.capacity.shape}"
        raise InputError(shapes, f"there must be {kinds} columns of amounts")
    if problem.now.shape != (problem.tasks,):
        raise InputError(str(problem.now.shape), f"there must be a host, or -1, for each of {problem.tasks} tasks")
    if problem.now.size and not -1 <= problem.now.min() <= problem.now.max() < problem.hosts:
        raise InputError(int(problem.now.max()), f"a host is a number from 0 to {problem.hosts - 1}, or -1 for none")
    for amounts in (problem.demand, problem.capacity):
        if amounts.size and not 0 <= amounts.min() <= amounts.sum(axis=0, dtype=float).max() < LARGEST:
            raise InputError(int(amounts.min()), f"amounts are zero or more, and their sum is below {LARGEST}")
