"""Whether a larger budget is ever worse: plans of `rebalance` for random states, each under five random budgets.

Run: python benchmarks/budget_pairs.py [--pairs 10000] [--seed 0]. Five budgets of a state make ten pairs. It prints the
pairs done, those in which the larger budget is worse, those in which it is better, and the plans that a limit of 60 s
cut short.
"""

import argparse
import itertools
import time

import numpy as np

from loadmaster.model.arrays import Ints
from loadmaster.move.change import GAIN, State
from loadmaster.move.plan import MovePlan, plan_moves
from loadmaster.packing.instance import Instance

BUDGETS = 5
EXACT_UP_TO = 30
"""Tasks x hosts up to which the plan is exact, as with `--method auto`; beyond, the heuristic is tried."""
EVERY = 500
"""Pairs between two lines of output."""


def random_state(rng: np.random.Generator) -> State:
    """4 to 16 tasks on 2 to 6 hosts with half to 95 % of the memory in use; bytes or moves are counted."""
    hosts, tasks = int(rng.integers(2, 7)), int(rng.integers(4, 17))
    cpu, memory = rng.uniform(0.05, 0.6, tasks), rng.uniform(0.05, 0.5, tasks)
    memory *= rng.uniform(0.5, 0.95) * hosts / memory.sum()
    cpu *= rng.uniform(0.9, 1.5) * hosts / cpu.sum()
    instance = Instance.of(hosts, cpu=cpu, memory=memory)
    return State(instance, _random_hosts(instance, rng), str(rng.choice(["bytes", "count"])))


def _random_hosts(instance: Instance, rng: np.random.Generator) -> Ints:
    """int32[T]: a host with room for each task, the largest first; -1 for a task that none has room for."""
    host, free = np.full(instance.tasks, -1, np.int32), np.ones(instance.hosts)
    for task in np.argsort(-instance.rigid[:, 0]):
        able = np.flatnonzero(free >= instance.rigid[task, 0])
        if able.size:
            host[task] = rng.choice(able)
            free[host[task]] -= instance.rigid[task, 0]
    return host


def worth(state: State, plan: MovePlan) -> float:
    """The level that the plan leaves, -1 while a task has no host."""
    level = plan.level if plan.status in ("ok", "limit") else state.level
    return -1.0 if np.isnan(level) else level


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    pairs = worse = better = late = 0
    for number in itertools.count():
        rng = np.random.default_rng([options.seed, number])
        state = random_state(rng)
        budgets = np.sort(rng.uniform(0, 1, BUDGETS) ** 2) * float(state.cost.sum())
        method = "auto" if state.instance.tasks * state.instance.hosts <= EXACT_UP_TO else "heuristic"
        plans = [plan_moves(state, budget, method) for budget in budgets]
        late += sum(plan.status == "limit" for plan in plans)
        for small, large in itertools.combinations(range(BUDGETS), 2):
            low, high = worth(state, plans[small]), worth(state, plans[large])
            pairs, worse, better = pairs + 1, worse + (high < low - GAIN), better + (high > low + GAIN)
            if high < low - GAIN:
                print(f"state {number}: {high:.9f} for {budgets[large]:.6g}, {low:.9f} for {budgets[small]:.6g}")
        if pairs % EVERY == 0 or pairs >= options.pairs:
            cpu_s = time.process_time()
            print(f"{pairs:,} pairs: {worse} worse, {better} better, {late} cut short, {cpu_s:.0f} CPU s", flush=True)
        if pairs >= options.pairs:
            return


if __name__ == "__main__":
    main()
