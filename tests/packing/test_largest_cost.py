"""The largest amount that a cost can have: no placement exceeds it, and large clusters stay within 64 bits."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from loadmaster.packing.constrained.constraints import Capacity
from loadmaster.packing.constrained.evaluate import evaluate
from loadmaster.packing.constrained.largest_cost import largest_cost
from loadmaster.packing.constrained.model_arrays import search_model
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.weighted_sum import WeightedSum
from loadmaster.packing.objective import Objective


def problem_at_random(rng, hosts, tasks, bound):
    demand, now = rng.integers(0, 5, (tasks, 2)), rng.integers(-1, hosts, tasks)
    room = (Capacity(np.zeros(2, bool)),) if bound else ()
    return ConstrainedProblem(("cores", "disk"), demand, rng.integers(6, 12, (hosts, 2)), now, room)


@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize("name", ["imbalance", "stranded"])
@pytest.mark.parametrize("seed", range(10))
def test_no_placement_costs_more(seed, name, bound):
    rng = np.random.default_rng(seed)
    problem = problem_at_random(rng, 3, 5, bound)
    full = rng.integers(0, 9, (3, 2)) + (rng.random((3, 2)) < 0.8)
    total = WeightedSum(Objective.parse(name), problem, full)
    (cost,) = total.costs()
    priced = replace(problem, costs=(cost,))
    for host in itertools.product(range(3), repeat=5):
        found = evaluate(priced, np.array(host))
        if not found.broken:
            assert found.total <= largest_cost(problem, cost)


@pytest.mark.parametrize("name", ["imbalance", "stranded"])
def test_ten_thousand_tasks_on_a_thousand_hosts_stay_within_64_bits(name):
    problem = problem_at_random(np.random.default_rng(0), 1_000, 10_000, bound=True)
    problem = replace(problem, capacity=problem.capacity * 4)
    total = WeightedSum(Objective.parse(name), problem, problem.capacity)
    search_model(replace(problem, costs=tuple(total.costs())))
