"""Exact packing by HiGHS: the compact form (least maximum load) and the paper's form (shares and a level)."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy

from loadmaster.model.arrays import Floats
from loadmaster.packing.bound import ceiling, hopeless, upper_bound
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.instance import Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.packing import Attempt
from loadmaster.packing.stoppable_milp import INFEASIBLE, Milp, Solution, solve

LpForm = Literal["alpha", "y"]

CELLS_A_SECOND, MOST_CELLS = 500_000, 10_000_000
"""Tasks x hosts up to which a program is made, for each second left and in all: it takes less than half the time."""


@dataclass(frozen=True, eq=False)
class Program:
    """A linear program: minimise cost @ x, low <= matrix @ x <= high, lower <= x <= upper; x[:T * H] places tasks.

    `x[i * H + j]` is e_ij, 1 if task i is on host j.
    """

    cost: Floats
    matrix: Any
    low: Floats
    high: Floats
    lower: Floats
    upper: Floats


def compact_form(instance: Instance) -> Program:
    """Variables e_ij and t: minimise t, load of every host at most t times its capacity; not with guarantees.

    No level is above the closed-form bound, so t begins at its inverse: what lies below raises no yield.
    """
    sparse = scipy.sparse
    assert not instance.guaranteed
    tasks, hosts, scaled = instance.tasks, instance.hosts, instance.scaled
    once = sparse.hstack((sparse.kron(sparse.identity(tasks), np.ones((1, hosts))), sparse.csr_array((tasks, 1))))
    rows, low, high = [once], [np.ones(tasks)], [np.ones(tasks)]
    for f in range(scaled.need.shape[1]):
        rows.append(
            sparse.hstack(
                (
                    sparse.kron(scaled.need[None, :, f], sparse.identity(hosts)),
                    sparse.csr_array(-scaled.room[:, f : f + 1]),
                )
            )
        )
        low.append(np.full(hosts, -np.inf))
        high.append(np.zeros(hosts))
    _add_hard(instance, rows, low, high, 1)
    cost = np.concatenate((np.zeros(tasks * hosts), [1.0]))
    upper = np.concatenate((_may_be_on(instance), [np.inf]))
    highest = upper_bound(instance)
    return Program(
        cost,
        _stack(rows),
        np.concatenate(low),
        np.concatenate(high),
        cost / highest if highest > 0 else cost * 0,
        upper,
    )


def paper_form(instance: Instance, lp_form: LpForm = "alpha") -> Program:
    """Variables e_ij, s_ij and Y: maximise Y (Casanova et al. 2008, equations 3 to 11, (11) multiplied out).

    Args:
        instance: what to pack.
        lp_form: `alpha`: s_ij is the share alpha_ij, at most e_ij times the capacity (the paper); `y`: s_ij is the
            yield alpha_ij / alpha_i, at most e_ij, which is tighter. More than one fluid resource needs `y`.
    """
    sparse = scipy.sparse
    tasks, hosts, scaled = instance.tasks, instance.hosts, instance.scaled
    cells, fluid = tasks * hosts, scaled.need.shape[1]
    demand = scaled.need / instance.task_weight[:, None]
    alpha = lp_form == "alpha" and fluid == 1
    sums = sparse.kron(sparse.identity(tasks), np.ones((1, hosts)))
    none, column = sparse.csr_array((tasks, cells)), sparse.csr_array((tasks, 1))
    rows = [sparse.hstack((sums, none, column))]
    low, high = [np.ones(tasks)], [np.ones(tasks)]
    limit = np.tile(scaled.room[:, 0], tasks) if alpha else np.ones(cells)
    rows.append(sparse.hstack((-sparse.diags_array(limit), sparse.identity(cells), sparse.csr_array((cells, 1)))))
    low.append(np.full(cells, -np.inf))
    high.append(np.zeros(cells))
    for f in range(fluid):
        unit = np.ones(tasks) if alpha else demand[:, f]
        rows.append(
            sparse.hstack(
                (
                    sparse.csr_array((hosts, cells)),
                    sparse.kron(unit[None, :], sparse.identity(hosts)),
                    sparse.csr_array((hosts, 1)),
                )
            )
        )
        low.append(np.full(hosts, -np.inf))
        high.append(scaled.room[:, f])
    per_yield = demand[:, 0] if alpha else np.ones(tasks)
    rows.append(sparse.hstack((none, sums, column)))
    low.append(per_yield * instance.task_guarantee)
    high.append(per_yield)
    rows.append(sparse.hstack((none, sums, sparse.csr_array(-(per_yield * instance.task_weight)[:, None]))))
    low.append(np.zeros(tasks))
    high.append(np.full(tasks, np.inf))
    _add_hard(instance, rows, low, high, cells + 1)
    cost = np.concatenate((np.zeros(2 * cells), [-1.0]))
    upper = np.concatenate((_may_be_on(instance), np.full(cells, np.inf), [1.0]))
    return Program(cost, _stack(rows), np.concatenate(low), np.concatenate(high), cost * 0, upper)


def highs(instance: Instance, form: Literal["compact", "paper"] = "compact", time_limit_s: float = 60.0) -> Attempt:
    """Solve by HiGHS to the optimum, or to `time_limit_s`: then the best mapping and its proven bound.

    Where HiGHS does not stop by itself it is stopped, and nothing is left of what it found.
    """
    name, deadline = f"highs-{form}", Deadline.after(time_limit_s)
    lost = hopeless(instance)
    if lost is not None:
        return Attempt(None, "infeasible", name, 0.0, True, lost[0], lost[1])
    if not in_reach(instance, deadline.left_s()):
        return Attempt(None, "limit", name, ceiling(instance), reason=too_large(instance, time_limit_s))
    compact = form == "compact" and not instance.guaranteed
    program = compact_form(instance) if compact else paper_form(instance, "y")
    program.upper[: instance.tasks * instance.hosts] *= _without_mirror_images(instance)
    result = run_milp(program, instance.tasks * instance.hosts, deadline.left_s())
    bound = _level_bound(result, compact, upper_bound(instance))
    if result.x is None:
        if result.status == INFEASIBLE:
            return Attempt(None, "infeasible", name, 0.0, True, reason="the program has no solution")
        reason = "HiGHS gave up" if result.status > INFEASIBLE else f"no mapping within {time_limit_s:g} s"
        return Attempt(None, "limit", name, bound, reason=reason)
    host = result.x[: instance.tasks * instance.hosts].reshape(instance.tasks, -1).argmax(axis=1).astype(np.int32)
    level = level_of(instance, host)
    if np.isnan(level):
        return Attempt(None, "limit", name, bound, reason="the solver's mapping overfills a host by rounding")
    proven = bool(result.status == 0)
    return Attempt(host, "ok" if proven else "limit", name, max(level, level if proven else bound), proven)


def in_reach(instance: Instance, left_s: float, cells_a_second: float = CELLS_A_SECOND) -> bool:
    """Whether a program with a variable for each task and host can be made in a part of the time left."""
    most = min(1.0, cells_a_second / CELLS_A_SECOND) * MOST_CELLS
    return instance.tasks * instance.hosts <= min(most, cells_a_second * left_s)


def too_large(instance: Instance, time_limit_s: float) -> str:
    """Why a program is not made."""
    cells = instance.tasks * instance.hosts
    return f"a program of {cells:,} variables is too large for {time_limit_s:g} s; local-search serves any size"


def run_milp(program: Program, integers: int, time_limit_s: float) -> Solution:
    """HiGHS on `program` with the first `integers` variables whole, stopped at the limit."""
    parts = (program.cost, program.matrix, program.low, program.high, program.lower, program.upper)
    return solve(Milp(*parts, integers), time_limit_s)


def solve_relaxed(program: Program) -> Any:
    """The relaxation solved by HiGHS' dual simplex: a vertex, as the rounding heuristics need."""
    sparse = scipy.sparse
    linprog: Any = scipy.optimize.linprog
    equal = program.low == program.high
    above, below = ~equal & np.isfinite(program.high), ~equal & np.isfinite(program.low)
    matrix = program.matrix.tocsr()
    return linprog(
        program.cost,
        A_ub=sparse.vstack((matrix[above], -matrix[below])),
        b_ub=np.concatenate((program.high[above], -program.low[below])),
        A_eq=matrix[equal],
        b_eq=program.low[equal],
        bounds=np.column_stack((program.lower, program.upper)),
        method="highs-ds",
    )


def _level_bound(result: Solution, compact: bool, highest: float) -> float:
    dual = result.bound
    if dual is None or not np.isfinite(dual):
        return highest
    if compact:
        return min(highest, 1.0 / dual) if dual > 0 else highest
    return min(highest, -float(dual))


def _may_be_on(instance: Instance) -> Floats:
    """float64[T * H]: 0 where a task requests a fluid resource that the host has none of, else 1."""
    barred = (instance.fluid[:, None, :] > 0) & (instance.fluid_capacity[None, :, :] <= 0)
    return np.where(barred.any(axis=2), 0.0, 1.0).reshape(-1)


def _without_mirror_images(instance: Instance) -> Floats:
    """float64[T * H]: 0 where a host of equal kind with a lower index stands for this one, else 1.

    Task i needs only the first i + 1 of a group of equal hosts.
    """
    scaled = instance.scaled
    kinds = np.unique(np.hstack((scaled.room, scaled.hard_room)), axis=0, return_inverse=True)[1].reshape(-1)
    rank = np.array([np.count_nonzero(kinds[:h] == kinds[h]) for h in range(instance.hosts)])
    return (rank[None, :] <= np.arange(instance.tasks)[:, None]).astype(np.float64).reshape(-1)


def _add_hard(instance: Instance, rows: list[Any], low: list[Floats], high: list[Floats], spare: int) -> None:
    sparse = scipy.sparse
    hosts, scaled = instance.hosts, instance.scaled
    for d in range(instance.rigid.shape[1]):
        rows.append(
            sparse.hstack(
                (sparse.kron(scaled.hard[None, :, d], sparse.identity(hosts)), sparse.csr_array((hosts, spare)))
            )
        )
        low.append(np.full(hosts, -np.inf))
        high.append(scaled.hard_room[:, d])


def _stack(rows: list[Any]) -> Any:
    return scipy.sparse.vstack(rows).tocsr()
