"""A packing in words and numbers: a summary, and a row for every task, also of refused jobs."""

from dataclasses import replace
from typing import Any

import numpy as np

from loadmaster.model.arrays import Bools
from loadmaster.packing.bound import ceiling
from loadmaster.packing.card_placement import card_relaxation
from loadmaster.packing.instance import Instance
from loadmaster.packing.packing import Packing
from loadmaster.packing.shortfall import fits_nowhere


def summary(instance: Instance, packing: Packing, asked: Instance, admitted: Bools) -> dict[str, Any]:
    """What there is to say of a packing, plain values by name; None where there is no such value.

    Args:
        instance: what was packed.
        packing: its packing.
        asked: the instance before admission; `instance` itself if no job was refused.
        admitted: bool[J] over the jobs of `asked`.
    """
    placed = packing.placed
    facts: dict[str, Any] = {
        "status": packing.status,
        "solver": packing.solver,
        "tasks": asked.tasks,
        "jobs": asked.jobs,
        "hosts": asked.hosts,
        "placed_tasks": int((packing.host >= 0).sum()),
        "refused": [asked.job_name(int(j)) for j in np.flatnonzero(~admitted)],
        "hosts_used": len(set(packing.host.tolist()) - {-1}),
        "min_yield": packing.min_yield if placed else None,
        "mean_yield": packing.mean_yield if placed else None,
        "min_yield_bound": min_yield_bound(instance, packing),
        "weighted": instance.weighted,
        "level": packing.level if placed else None,
        "bound": packing.bound,
        "gap": packing.gap if np.isfinite(packing.gap) else None,
        "minimise": packing.minimise,
        "cost": packing.cost if placed else None,
        "cost_bound": packing.cost_bound,
        "terms": dict(packing.terms),
        "proven": packing.proven,
        "unplaced": instance.task_name(packing.unplaced) if packing.unplaced >= 0 else None,
        "reason": packing.reason,
        "fits_nowhere": [],
        "left_over": [],
        "place_bound": packing.place_bound,
        "effort": packing.effort,
        "seconds": packing.seconds,
        "synthetic": asked.synthetic,
    }
    if not placed:
        facts["fits_nowhere"] = [asked.task_name(int(t)) for t in fits_nowhere(card_relaxation(asked))]
        facts["left_over"] = [left_over_row(instance, int(t)) for t in packing.left_over]
    return facts


def left_over_row(instance: Instance, task: int) -> dict[str, Any]:
    """A task that is left over, by its name, and what it requests: amounts by resource, and the kinds of GPU."""
    demand = {name: float(instance.fluid[task, f]) for f, name in enumerate(instance.fluid_names)}
    demand |= {name: float(instance.rigid[task, r]) for r, name in enumerate(instance.rigid_names)}
    row: dict[str, Any] = {"task": instance.task_name(task), "demand": {k: v for k, v in demand.items() if v}}
    if instance.cards is not None:
        row["gpu_kind"] = instance.cards.requests[instance.cards.accepts[task]] or None
    return row


def min_yield_bound(instance: Instance, packing: Packing) -> float:
    """What no minimum yield can exceed: with equal weights the bound on the level, else that of equal weights."""
    return float(ceiling(replace(instance, weight=None))) if instance.weighted and packing.placed else packing.bound


def task_rows(asked: Instance, packing: Packing, admitted: Bools) -> list[dict[str, Any]]:
    """A row for every task in the order given: its job, its host, its job's yield and its share of each resource.

    On single GPUs also the numbers of those on the host that the task takes (`cards`); so for NUMA nodes.
    Tasks of refused jobs, and all tasks where there is no placement, have no host, no yield and no share.
    """
    number = np.cumsum(admitted) - 1
    place = iter(range(len(packing.host)))
    rows = []
    for t in range(asked.tasks):
        job = int(asked.job_of[t])
        k = next(place) if admitted[job] else -1
        host = int(packing.host[k]) if k >= 0 else -1
        there = host >= 0
        shares = {name: float(packing.share[k, f]) if there else None for f, name in enumerate(asked.fluid_names)}
        row = {
            "task": asked.task_name(t),
            "job": asked.job_name(job),
            "refused": not admitted[job],
            "host": asked.host_name(host) if there else None,
            "yield": float(packing.job_yield[number[job]]) if there else None,
            "share": shares,
        }
        if packing.cards is not None:
            row["cards"] = np.flatnonzero(packing.cards[k]).tolist() if there else []
        if packing.numa is not None:
            row["on_numa_nodes"] = np.flatnonzero(packing.numa[k]).tolist() if there else []
        rows.append(row)
    return rows
