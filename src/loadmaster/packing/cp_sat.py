"""Packing by OR-tools' CP-SAT: the best solver for instances that branch and bound cannot prove (extra `exact`)."""

from typing import Any

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.model.errors import InputError, MissingExtra
from loadmaster.packing.bound import ceiling, hopeless
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.milp import in_reach, too_large
from loadmaster.packing.packing import Attempt

FLUID_GRAIN = 1e-10
"""Loads are counted in whole multiples of this fraction of a host."""
RIGID_GRAIN = 1e-12
"""Rigid demands are: a thousand tasks on a host stay within the tolerance of what a host may hold."""
CELLS_A_SECOND = 50_000
"""Tasks x hosts for each second of the time left up to which a model is made: it takes less than half."""


def cp_sat(instance: Instance, time_limit_s: float = 60.0, start: Attempt | None = None, workers: int = 1) -> Attempt:
    """Solve the compact form in whole numbers: the optimum to ten digits, or the best mapping and its bound.

    Demands are rounded down and capacities up, so no mapping is lost and the bound is valid; the mapping and its
    level are computed anew in floating point. `proven` is said only if the two meet to 1e-9; an optimum in whole
    numbers that rounding leaves a larger gap to is `ok` with that gap. Not for instances with guarantees.

    Raises:
        InputError: the instance has guarantees.
        MissingExtra: OR-tools is not installed.
    """
    if instance.guaranteed:
        raise InputError("cp-sat", "this packer knows no promised yields", fix="use --exact, or leave min_yield out")
    deadline = Deadline.after(time_limit_s)
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise MissingExtra("cp-sat", "exact") from error
    lost = hopeless(instance)
    if lost is not None:
        return Attempt(None, "infeasible", "cp-sat", 0.0, True, lost[0], lost[1])
    if not in_reach(instance, deadline.left_s(), CELLS_A_SECOND):
        return Attempt(None, "limit", "cp-sat", ceiling(instance), reason=too_large(instance, time_limit_s))
    model = cp_model.CpModel()
    on, peak = _add_program(model, instance)
    if start is not None and start.host is not None:
        for row, own in zip(on, start.host.tolist(), strict=True):
            for host, cell in enumerate(row):
                model.add_hint(cell, host == own)
        level = level_of(instance, start.host)
        if level > 0:
            model.add_hint(peak, int(1 / level / FLUID_GRAIN))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = max(0.01, deadline.left_s())
    solver.parameters.num_workers = workers
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return Attempt(None, "infeasible", "cp-sat", 0.0, True, reason="CP-SAT proved that no mapping exists")
    least_peak = solver.best_objective_bound * FLUID_GRAIN
    bound = min(ceiling(instance), 1.0 / least_peak) if least_peak > 0 else ceiling(instance)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Attempt(None, "limit", "cp-sat", bound, reason=f"no mapping within {time_limit_s:g} s")
    found = np.array([next(h for h, cell in enumerate(row) if solver.boolean_value(cell)) for row in on], np.int32)
    level = level_of(instance, found)
    if np.isnan(level):
        return Attempt(None, "limit", "cp-sat", bound, reason="the mapping overfills a host by rounding")
    done, bound = status == cp_model.OPTIMAL, max(bound, level)
    proven = done and level >= bound * (1 - 1e-9)
    return Attempt(found, "ok" if done else "limit", "cp-sat", bound, proven, effort=int(solver.num_branches))


def _add_program(model: Any, instance: Instance) -> tuple[list[list[Any]], Any]:
    """The compact form: each task on one host, rigid demands within capacities, the largest relative load least.

    Returns the cells, a variable a task and host, and the largest relative load.
    """
    scaled, hosts = instance.scaled, range(instance.hosts)
    on = [[model.new_bool_var("") for _ in hosts] for _ in range(instance.tasks)]
    for row in on:
        model.add_exactly_one(row)
    highest = int(1 / FLUID_GRAIN)  # no level is above 1
    most = float(2**60 // max(1, instance.tasks))  # a task for which a host is tiny; its loads must add up in 64 bits
    loads = []
    for h in hosts:
        column = [row[h] for row in on]
        for d in range(scaled.hard.shape[1]):
            asked = np.floor(scaled.hard[:, d] / RIGID_GRAIN).astype(np.int64)
            room = int(np.ceil((scaled.hard_room[h, d] + TOLERANCE) / RIGID_GRAIN))
            model.add(_sum(column, asked) <= room)
        for f in range(scaled.need.shape[1]):
            if scaled.room[h, f] > 0:  # else only tasks that request none of it may be here
                share = np.floor(np.minimum(scaled.need[:, f] / scaled.room[h, f] / FLUID_GRAIN, most)).astype(np.int64)
                highest = max(highest, int(share.sum()))
                loads.append(_sum(column, share))
    peak = model.new_int_var(int(1 / FLUID_GRAIN), highest, "peak")
    for load in loads:
        model.add(load <= peak)
    model.minimize(peak)
    return on, peak


def _sum(cells: list[Any], amounts: Longs) -> Any:
    from ortools.sat.python import cp_model

    return cp_model.LinearExpr.weighted_sum(cells, amounts.tolist())
