"""Packing by a weighted sum of amounts: MCB8 or the placement now, then the search over constrained placements."""

from dataclasses import replace

import numpy as np

from loadmaster.model.arrays import Ints
from loadmaster.model.errors import InputError
from loadmaster.packing.cheapest_hosts import all_rigid
from loadmaster.packing.constrained.annealing import anneal_placement
from loadmaster.packing.constrained.instance_problem import instance_problem
from loadmaster.packing.constrained.weighted_sum import WeightedSum
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.incumbent import Incumbent
from loadmaster.packing.instance import Instance
from loadmaster.packing.mcb import mcb
from loadmaster.packing.objective import Objective
from loadmaster.packing.packing import Attempt, Packing
from loadmaster.packing.solve import PackOptions, finish, pack_what_fits

NAME = "annealing"


def pack_by_objective(
    instance: Instance,
    objective: Objective,
    options: PackOptions = PackOptions(),
    now: Ints | None = None,
    slices: int | None = None,
) -> Packing:
    """The placement of all tasks with the least weighted sum found; each demand is met in full (rule B10).

    Where no placement of all tasks is found, MCB8 places as many as it can.

    Args:
        instance: tasks and hosts.
        objective: the sum.
        options: time limit, seed and report.
        now: int32[T], where each task runs; -1 for none. None where nothing runs.
        slices: so many slices of fixed length instead of the time limit; then one seed gives one result.

    Raises:
        InputError: the sum has prices or moves, and the tasks and hosts have none; or tasks take single GPUs.

    Example:
        >>> two = Instance.of(hosts=2, cpu=[0.4, 0.3, 0.1], memory=[0.1, 0.2, 0.5])
        >>> packing = pack_by_objective(two, Objective.parse("stranded"), slices=4)
        >>> packing.host.tolist(), round(packing.cost, 3), packing.proven
        ([0, 0, 0], 0.0, True)
    """
    check_terms(objective, instance, now is not None)
    deadline = Deadline.after(options.time_limit_s)
    rigid = all_rigid(instance)
    made = instance_problem(rigid, np.full(instance.tasks, -1, np.int32) if now is None else now)
    total = WeightedSum(objective, made.problem, made.full, instance.price)
    start = mcb(rigid).host if now is None else None
    annealed = anneal_placement(
        replace(made.problem, costs=tuple(total.costs())),
        max(deadline.left_s(), 0.01),
        options.seed,
        lambda _, cost: options.report(Incumbent(objective.text, total.reached(cost), total.bound)),
        slices,
        total.enough,
        None if start is None else start.astype(np.int64),
    )
    if not annealed.placed:
        without = replace(options, minimise="hosts")
        return replace(pack_what_fits(instance, "mcb8", without), interrupted=annealed.interrupted)
    value, bound = total.value(annealed.host), total.bound
    attempt = Attempt(
        annealed.host.astype(np.int32), "ok", NAME, effort=annealed.steps, interrupted=annealed.interrupted
    )
    return replace(
        finish(instance, attempt),
        minimise=objective.text,
        cost=value,
        cost_bound=min(bound, value),
        proven=value <= bound * (1 + 1e-9) + 1e-12,
        terms=total.amounts(annealed.host),
        seconds=annealed.seconds,
    )


def check_terms(objective: Objective, instance: Instance, running: bool) -> None:
    """Refuse a sum that the tasks and hosts cannot have.

    Raises:
        InputError: prices or moves are in the sum, and there are none; or tasks take single GPUs.
    """
    option = f"--minimise {objective.text!r}"
    if "cost" in objective.weights and instance.price is None:
        fix = "give them, as in --hosts 20x16c64g@0.8,10x32c128g@1.5, or as a column price_per_hour of the hosts' file"
        raise InputError(option, "the hosts have no prices", fix=fix)
    if "moves" in objective.weights and not running:
        raise InputError(option, "no column host: where does each task run now?", fix="add it, or leave moves out")
    if instance.cards is not None:
        raise InputError(option, "the tasks take single GPUs, which this search does not know", fix="use hosts or cost")
