"""A plan of moves in plain values: what to do step by step, and what a better placement lacks."""

import math
from typing import Any

import numpy as np

from loadmaster.move.change import State, TaskTransfer
from loadmaster.move.plan import MovePlan
from loadmaster.move.sequence import SafeOrder
from loadmaster.packing.bound import hard_name, hopeless, upper_bound
from loadmaster.packing.instance import TOLERANCE
from loadmaster.packing.level import host_use
from loadmaster.packing.mcb import mcb
from loadmaster.system.counted import counted


def summary(state: State, plan: MovePlan, budget: float) -> dict[str, Any]:
    """What there is to say of a plan, by name; None where there is no such value."""
    better, blocked = plan.better, plan.blocked
    return {
        "status": plan.status,
        "solver": plan.solver,
        "proven": plan.proven,
        "weighted": state.instance.weighted,
        "unit": state.unit,
        "budget": None if math.isinf(budget) else budget,
        "spent": plan.spent,
        "level_before": _number(state.level),
        "level": _number(plan.level),
        "bound": upper_bound(state.instance),
        "moves": [_row(state, k, move) for k, move in enumerate(plan.moves, start=1)],
        "better": None if better is None else {"level": better.level, "spent": better.spent},
        "stuck": [] if better is None or blocked is None else _blocked_tasks(state, blocked, better.host),
        "missing": _missing(state, plan, budget),
    }


def _row(state: State, step: int, move: TaskTransfer) -> dict[str, Any]:
    return {
        "step": step,
        "task": state.instance.task_name(move.task),
        "from": _host(state, move.source),
        "to": _host(state, move.target),
        "cost": float(state.cost[move.task]) if move.source >= 0 else 0.0,
        "temporary": move.temporary,
    }


def _blocked_tasks(state: State, blocked: SafeOrder, mapping: Any) -> list[dict[str, Any]]:
    """A row for every task that does not get to its host: where it is, where it should be, what is too little there."""
    instance, scaled = state.instance, state.instance.scaled
    running = blocked.host >= 0
    free = scaled.hard_room - host_use(scaled.hard[running], blocked.host[running], instance.hosts)
    rows = []
    for task in blocked.stuck:
        target = int(mapping[task])
        short = scaled.hard[task] - free[target]
        lacks = {
            hard_name(instance, d): float(short[d] * instance.hard_unit[d])
            for d in np.flatnonzero(short > TOLERANCE).tolist()
        }
        rows.append(
            {
                "task": instance.task_name(task),
                "from": _host(state, int(state.host[task])),
                "to": _host(state, target),
                "cost": float(state.cost[task]),
                "lacks": lacks,
            }
        )
    return rows


def _missing(state: State, plan: MovePlan, budget: float) -> list[str]:
    """What would bring a placement, or a better one, within reach, in sentences."""
    blocked = plan.blocked
    if plan.status == "infeasible":
        lost = hopeless(state.instance)
        if lost is not None:
            return [f"{lost[1][0].upper()}{lost[1][1:]}."]
        anyhow = not math.isinf(budget) and mcb(state.instance).host is not None
        return ["There is one for a larger budget."] if anyhow else []
    if blocked is None:
        return []
    if not blocked.stuck:
        more = blocked.spent - budget
        amount = f"{more / 2**30:.4g} GiB" if state.unit == "bytes" else counted(more, "move")
        return [f"The order that was found needs temporary places, for which the budget lacks {amount}."]
    names = [state.instance.task_name(task) for task in blocked.stuck[:10]]
    more_names = f" and {len(blocked.stuck) - 10} more" if len(blocked.stuck) > 10 else ""
    return [
        f"No host has room for {', '.join(names)}{more_names} while the others are where they are: stop them, make the "
        "other moves and start them where they should be, or free a temporary place."
    ]


def _host(state: State, host: int) -> str | None:
    return None if host < 0 else state.instance.host_name(host)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
