"""Packing by OR-tools' CP-SAT: the best solver for instances that branch and bound cannot prove (extra `exact`)."""

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.errors import MissingExtra
from loadmaster.pack.bound import hopeless, upper_bound
from loadmaster.pack.instance import Instance
from loadmaster.pack.level import level_of
from loadmaster.pack.packing import Attempt

SCALE = 10_000_000


def cp_sat(instance: Instance, time_limit_s: float = 60.0, start: Attempt | None = None, workers: int = 1) -> Attempt:
    """Solve the compact form in whole numbers: the optimum to seven digits, or the best mapping and its bound.

    Demands are scaled to 10^7 a host. Fluid demands are rounded down and capacities up for the bound, so it is
    valid; rigid demands are rounded to the nearest whole number, and the mapping is checked in floating point.

    Raises:
        MissingExtra: OR-tools is not installed.
    """
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise MissingExtra("cp-sat", "exact") from error
    assert not instance.guaranteed
    lost = hopeless(instance)
    if lost is not None:
        return Attempt(None, "infeasible", "cp-sat", 0.0, True, lost[0], lost[1])
    scaled, tasks, hosts = instance.scaled, range(instance.tasks), range(instance.hosts)
    model = cp_model.CpModel()
    on = [[model.new_bool_var("") for _ in hosts] for _ in tasks]
    need, room = np.floor(scaled.need * SCALE).astype(int), np.ceil(scaled.room * SCALE).astype(int)
    hard, hard_room = _whole(scaled.hard, scaled.hard_room)
    # peak: the maximum load in units of 1 / SCALE of a host; at least 1 host, for no level is above 1
    peak = model.new_int_var(SCALE, _highest(need, room), "peak")
    for t in tasks:
        model.add_exactly_one(on[t])
    for h in hosts:
        for f in range(need.shape[1]):
            total = sum(int(need[t, f]) * on[t][h] for t in tasks)
            model.add(total <= peak) if room[h, f] == SCALE else model.add(total * SCALE <= peak * int(room[h, f]))
        for d in range(hard.shape[1]):
            model.add(sum(int(hard[t, d]) * on[t][h] for t in tasks) <= int(hard_room[h, d]))
    model.minimize(peak)
    if start is not None and start.host is not None:
        for t in tasks:
            for h in hosts:
                model.add_hint(on[t][h], int(start.host[t] == h))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = time_limit_s
    solver.parameters.num_workers = workers
    status = solver.solve(model)
    ceiling = upper_bound(instance)
    if status == cp_model.INFEASIBLE:
        return Attempt(None, "infeasible", "cp-sat", 0.0, True, reason="CP-SAT proved that no mapping exists")
    bound = min(ceiling, SCALE / solver.best_objective_bound) if solver.best_objective_bound > 0 else ceiling
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Attempt(None, "limit", "cp-sat", bound, reason=f"no mapping within {time_limit_s:g} s")
    host = np.array([next(h for h in hosts if solver.value(on[t][h])) for t in tasks], np.int32).reshape(-1)
    level = level_of(instance, host)
    if np.isnan(level):
        return Attempt(None, "limit", "cp-sat", bound, reason="the mapping overfills a host by rounding")
    proven = status == cp_model.OPTIMAL
    # Rounding may hide up to one unit a task: the bound stands, the level may lie below it by that much.
    return Attempt(
        host, "ok" if proven else "limit", "cp-sat", max(bound, level), proven, effort=int(solver.num_branches)
    )


def _highest(need: Longs, room: Longs) -> int:
    least = int(room[room > 0].min(initial=SCALE))
    return max(SCALE, int(need.sum(axis=0).max(initial=0)) * SCALE // least + 1)


def _whole(hard: Floats, room: Floats) -> tuple[Longs, Longs]:
    """Rounded to the nearest unit, so that amounts which fill a host exactly still do."""
    return np.rint(hard * SCALE).astype(int), np.floor(room * SCALE + 0.5).astype(int)
