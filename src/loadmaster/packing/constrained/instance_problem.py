"""The tasks and hosts of a table as a constrained problem: whole amounts, and capacity as its one constraint."""

from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Ints, Longs
from loadmaster.packing.constrained.constraints import Capacity
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.whole_amounts import WholeAmounts, whole_amounts
from loadmaster.packing.instance import TOLERANCE, Instance

_FINER = 1e9


class InstanceProblem(NamedTuple):
    """A constrained problem, and int64[H, R], amounts at which a host counts as full."""

    problem: ConstrainedProblem
    full: Longs


def instance_problem(instance: Instance, now: Ints, source: str = "") -> InstanceProblem:
    """The problem of `instance`; a host takes at most the share of a fluid resource that the most loaded host has now.

    So no move lowers the least part that a task gets. Without a running task a host takes its capacity.

    Args:
        instance: tasks and hosts.
        now: int[T], where each task runs; -1 for none.
        source: the name of the file.
    """
    resources = (*instance.fluid_names, *instance.rigid_names)
    amounts = _amounts(instance, resources)
    fluid = np.arange(len(resources)) < len(instance.fluid_names)
    problem = ConstrainedProblem(
        resources,
        amounts.demand,
        _shared_limits(amounts, now, fluid),
        now.astype(np.int64),
        (Capacity(np.zeros(len(resources), bool)),),
        (),
        tuple(instance.task_name(t) for t in range(instance.tasks)),
        tuple(instance.host_name(h) for h in range(instance.hosts)),
        source,
        amounts.units,
    )
    return InstanceProblem(problem, amounts.capacity)


def _amounts(instance: Instance, resources: tuple[str, ...]) -> WholeAmounts:
    """Demands and capacities in whole units; where hosts have at most 1 of a resource, in parts of 10^-12.

    Such a host has 10^-9 more of it, as for the other packers, so that three thirds fit.
    """
    demand = np.hstack((instance.fluid, instance.rigid))
    capacity = np.hstack((instance.fluid_capacity, instance.rigid_capacity))
    finer = np.where(capacity.max(axis=0) <= 1.0, _FINER, 1.0)
    names = tuple(name if factor == 1.0 else "" for name, factor in zip(resources, finer.tolist(), strict=True))
    slack = np.where(finer > 1.0, TOLERANCE * finer, 0.0)
    amounts = whole_amounts(names, demand * finer, capacity * finer + slack)
    units = tuple(unit / factor for unit, factor in zip(amounts.units, finer.tolist(), strict=True))
    return amounts._replace(units=units)


def _shared_limits(amounts: WholeAmounts, host: Ints, fluid: Bools) -> Longs:
    """int64[H, R], the capacities; of a fluid resource as much more as the most loaded host shares now."""
    use, there = np.zeros_like(amounts.capacity), host >= 0
    np.add.at(use, host[there], amounts.demand[there])
    shared = (use / np.maximum(amounts.capacity, 1)).max(axis=0, initial=1.0)
    limits: Longs = np.where(fluid, np.floor(amounts.capacity * np.maximum(shared, 1.0) + 1e-6), amounts.capacity)
    return limits.astype(np.int64)
