"""The best mapping within a migration budget, exactly: the adaptation program of Casanova et al. 2008, section 6.1."""

from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from loadmaster.jit.first_compilation import FIRST_TIME
from loadmaster.model.arrays import Floats, Ints
from loadmaster.move.change import Change, State, within
from loadmaster.packing.level import level_of
from loadmaster.packing.milp import Program, compact_form, in_reach, paper_form, run_milp

NAME = "adapt-exactly"


def adapt_exactly(state: State, budget: float, time_limit_s: float = 60.0) -> Change:
    """Maximise the level with at most `budget` moved (equation 31), then move as little as that level takes; HiGHS.

    New tasks move for nothing. The program is the compact one (rule K5), the paper's where there are guarantees.

    Args:
        state: tasks and where they run.
        budget: in the state's unit; infinite for no limit.
        time_limit_s: then the best mapping found.
    """
    ends = FIRST_TIME.clock_s() + time_limit_s
    instance = state.instance
    cells = instance.tasks * instance.hosts
    if not in_reach(instance, time_limit_s):
        return Change("limit", state.host, float("nan"), 0.0, NAME, False)
    program = paper_form(instance, "y") if instance.guaranteed else compact_form(instance)
    stays = state.host[:, None] == np.arange(instance.hosts)[None, :]
    unit = float(state.cost.max(initial=0.0)) or 1.0  # the solver's tolerance is absolute
    price = np.zeros(len(program.cost))
    price[:cells] = np.where(stays, 0.0, state.cost[:, None] / unit).reshape(-1)
    if np.isfinite(budget):
        program = replace(
            program,
            matrix=scipy.sparse.vstack((program.matrix, scipy.sparse.csr_array(price[None, :]))).tocsr(),
            low=np.append(program.low, -np.inf),
            high=np.append(program.high, budget / unit),
        )
    result = run_milp(program, cells, ends - FIRST_TIME.clock_s())
    lost = Change(
        "infeasible" if result.status == 2 else "limit", state.host, float("nan"), 0.0, NAME, result.status == 2
    )
    if result.x is None:
        return lost
    host, done = _mapping(state, result), result.status == 0
    level = level_of(instance, host)
    if np.isnan(level) or not within(state.spent(host), budget):  # too much by the solver's rounding
        return lost
    left = ends - FIRST_TIME.clock_s()
    if done and left > 0 and state.spent(host) > 0:
        thrifty = run_milp(_at_least(program, level, price, instance.guaranteed), cells, left)
        fewer = host if thrifty.x is None else _mapping(state, thrifty)
        if level_of(instance, fewer) >= level * (1 - 1e-8) and state.spent(fewer) < state.spent(host):
            host = fewer
    return Change("ok" if done else "limit", host, level_of(instance, host), state.spent(host), NAME, done)


def _mapping(state: State, result: Any) -> Ints:
    tasks, hosts = state.instance.tasks, state.instance.hosts
    return np.asarray(result.x[: tasks * hosts].reshape(tasks, hosts).argmax(axis=1), np.int32)


def _at_least(program: Program, level: float, price: Floats, by_level: bool) -> Program:
    """The cheapest mapping of at least `level`; the last variable is the level, or in the compact form its inverse."""
    lower, upper = program.lower.copy(), program.upper.copy()
    if by_level:
        lower[-1] = level * (1 - 1e-9)
    elif level > 0:
        upper[-1] = 1 / level * (1 + 1e-9)
    return replace(program, cost=price, lower=lower, upper=upper)
