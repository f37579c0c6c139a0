"""Why a task of a placement is where it is, for people: sentences and a table of hosts."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from loadmaster.packing.instance import Instance
from loadmaster.packing.numa_nodes import shown_nodes
from loadmaster.packing.packing import Packing
from loadmaster.packing.task_reasons import HostForTask, TaskReasons
from loadmaster.report.explanation import amounts


def placement_sentences(instance: Instance, packing: Packing, task: int, reasons: TaskReasons) -> list[str]:
    """Where the task is; on how many other hosts it could be, and what that would change."""
    name, others = instance.task_name(task), instance.hosts - (reasons.own >= 0)
    demand = amounts(names_of(instance), np.concatenate((instance.fluid[task], instance.rigid[task])))
    open_hosts, best = reasons.open_hosts(), next((each for each in reasons.hosts(2) if each.host != reasons.own), None)
    where = "has no host" if reasons.own < 0 else f"is on host {instance.host_name(reasons.own)}"
    said = [f"Task {name}, which requests {demand}, {where}."]
    if packing.numa is not None and reasons.own >= 0:
        said.append(f"It takes {shown_nodes(packing.numa[task])} there.")
    hosts = (
        f"{others:,} host{'s' * (others != 1)}" if reasons.own < 0 else f"{others:,} other host{'s' * (others != 1)}"
    )
    said.append(f"As the other tasks are placed, {open_hosts:,} of {hosts} could hold it.")
    if reasons.closed_nodes:
        said.append(f"Nodes that none of these pods may use, or without processors left: {reasons.closed_nodes:,}.")
    if open_hosts and reasons.own < 0:
        said.append("So there is room for it, and another method may place it.")
    if best is None or math.isnan(best.level):
        return said
    what, there = "lowest yield / weight" if instance.weighted else "minimum yield", instance.host_name(best.host)
    before, after = f"{packing.level:.4f}", f"{best.level:.4f}"
    change = f"stay {before}" if before == after else f"change from {before} to {after}"
    return [*said, f"On host {there}, the best of them, the {what} of the placement would {change}."]


def names_of(instance: Instance) -> tuple[str, ...]:
    """The resources, scalable ones first."""
    return (*instance.fluid_names, *instance.rigid_names)


def host_row(instance: Instance, reasons: TaskReasons, each: HostForTask) -> dict[str, Any]:
    """A host as plain values."""
    return {
        "host": instance.host_name(each.host),
        "own": each.host == reasons.own,
        "room": dict(zip(names_of(instance), each.room.tolist(), strict=True)),
        "why_not": list(each.why_not),
        "level": None if math.isnan(each.level) else each.level,
        "without": instance.task_name(each.without) if each.without >= 0 else None,
    }


def table_of_hosts(instance: Instance, rows: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Heads and cells: a row for each host."""
    with_levels = any(row["level"] is not None for row in rows)
    level = "lowest yield / weight" if instance.weighted else "minimum yield"
    heads = ["host", "room beside the other tasks", *([level] if with_levels else []), "why not", "room without"]
    cells = [
        [
            f"{row['host']} (its own)" if row["own"] else row["host"],
            amounts(names_of(instance), np.array([*row["room"].values()])),
            *(["-" if row["level"] is None else f"{row['level']:.4f}"] if with_levels else []),
            "; ".join(row["why_not"]) or "-",
            row["without"] or "-",
        ]
        for row in rows
    ]
    return heads, cells
