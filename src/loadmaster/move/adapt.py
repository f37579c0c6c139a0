"""The best mapping within a migration budget, exactly: the adaptation program of Casanova et al. 2008, section 6.1."""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array, vstack

from loadmaster.move.change import Change, State
from loadmaster.pack.level import level_of
from loadmaster.pack.milp import compact_form, paper_form, run_milp


def adapt_exactly(state: State, budget: float, time_limit_s: float = 60.0) -> Change:
    """Maximise the level with at most `budget` moved (equation 31), by HiGHS.

    New tasks move for nothing. The program is the compact one (fact F1), the paper's where there are guarantees.

    Args:
        state: tasks and where they run.
        budget: in the state's unit; infinite for no limit.
        time_limit_s: then the best mapping found.
    """
    instance = state.instance
    tasks, hosts = instance.tasks, instance.hosts
    program = paper_form(instance, "y") if instance.guaranteed else compact_form(instance)
    stays = state.host[:, None] == np.arange(hosts)[None, :]
    price = np.where(stays, 0.0, state.cost[:, None]).reshape(-1)
    if np.isfinite(budget):
        row = csr_array(np.concatenate((price, np.zeros(len(program.cost) - tasks * hosts)))[None, :])
        program = replace(
            program, matrix=vstack((program.matrix, row)).tocsr(),
            low=np.append(program.low, -np.inf), high=np.append(program.high, budget),
        )  # fmt: skip
    result = run_milp(program, tasks * hosts, time_limit_s)
    if result.x is None:
        return Change("infeasible" if result.status == 2 else "limit", state.host, float("nan"), 0.0, "adapt-exactly",
                      result.status == 2)  # fmt: skip
    host = result.x[: tasks * hosts].reshape(tasks, hosts).argmax(axis=1).astype(np.int32)
    level, done = level_of(instance, host), result.status == 0
    return Change("ok" if done else "limit", host, level, state.spent(host), "adapt-exactly", done)
