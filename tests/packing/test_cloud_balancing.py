"""Cloud balancing of OptaPlanner: files of its form, written here, placed at the least price of computers in use."""

import itertools
import json

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.model import InputError
from loadmaster.packing.cloud_balancing import cloud_balancing_problem
from loadmaster.packing.constrained.annealing import anneal_placement
from loadmaster.packing.constrained.evaluate import evaluate
from loadmaster.packing.constrained.lower_bound import lower_bound
from loadmaster.packing.read import read_tasks


def document(computers, processes):
    """Computers (cores, memory, network, cost) and processes (cores, memory, network, computer or None)."""
    offered = ("id", "cpuPower", "memory", "networkBandwidth", "cost")
    asked = ("id", "requiredCpuPower", "requiredMemory", "requiredNetworkBandwidth", "computer")
    return {
        "computerList": [dict(zip(offered, (k, *row), strict=True)) for k, row in enumerate(computers)],
        "processList": [dict(zip(asked, (k, *row), strict=True)) for k, row in enumerate(processes)],
    }


def at_random(seed, computers=4, processes=5):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(4, 13, (computers, 3))
    needs = [(*row, None) for row in rng.integers(1, 5, (processes, 3)).tolist()]
    return document([(*row, int(price)) for row, price in zip(sizes.tolist(), rng.integers(5, 50, computers))], needs)  # noqa: B905


@pytest.fixture
def write(tmp_path):
    def written(content):
        path = tmp_path / "cloud.json"
        path.write_text(json.dumps(content))
        return path

    return written


@pytest.mark.parametrize("seed", range(12))
def test_the_price_is_the_least_of_all_placements_and_the_bound_is_below_it(write, seed):
    path = write(at_random(seed))
    problem = cloud_balancing_problem(path)
    every = (evaluate(problem, np.array(host)) for host in itertools.product(range(4), repeat=5))
    prices = [made.total for made in every if not made.broken]
    made = anneal_placement(problem, slices=60)
    assert made.placed == bool(prices)
    if prices:
        assert lower_bound(problem) <= made.cost == min(prices)
        assert evaluate(problem, made.host).broken == ()


def test_a_computer_given_for_a_process_is_where_it_runs_now(write):
    small, large = (2, 2, 2, 10), (4, 4, 4, 15)
    path = write(document([small, small, large], [(2, 1, 1, 0), (2, 1, 1, {"id": 1}), (1, 1, 1, None)]))
    made = lm.rebalance(path, time_limit=0.2)
    assert made.problem.now.tolist() == [0, 1, -1]
    assert made.cost in (20, 25)
    assert made.cost_before is None
    assert "1 new tasks are placed" in made.answer


def test_a_cost_equal_to_the_bound_is_called_optimal(write):
    made = lm.rebalance(write(document([(4, 4, 4, 7), (4, 4, 4, 9)], [(4, 4, 4, None)])), time_limit=0.1)
    assert (made.cost, made.bound, made.proven, made.gap) == (7, 7, True, 0.0)
    assert made.answer == "cost 7, optimal (the bound is 7): 1 new tasks are placed"


def test_a_cost_above_the_bound_is_called_best_found(write):
    made = lm.rebalance(write(document([(4, 4, 4, 8)], [(2, 2, 2, None)])), time_limit=0.1)
    assert made.answer == "cost 8, best found, at most 100 % from optimal (bound 4): 1 new tasks are placed"


@pytest.mark.parametrize(
    ("needs", "says"),
    [
        ([(5, 1, 1, None)], "process 0 fits on no host: (cores 5, memory 1, network 1) is more than any has"),
        ([(3, 1, 1, None)] * 3, "all tasks request 9 of cores; all hosts have 8"),
    ],
)
def test_a_file_without_a_placement_says_why(write, needs, says):
    made = lm.rebalance(write(document([(4, 4, 4, 8)] * 2, needs)), time_limit=0.1)
    assert (made.done, made.proven, made.figures["status"]) == (False, True, "infeasible")
    assert made.answer == f"no placement of all tasks exists: {says}"
    assert made.figures["cost"] is None
    assert made.frame.height == 0


def test_a_placement_that_the_search_does_not_find_is_not_called_impossible(write):
    made = lm.rebalance(write(document([(4, 4, 4, 8)] * 3, [(3, 1, 1, None)] * 4)), time_limit=0.1)
    assert (made.done, made.proven, made.figures["status"]) == (False, False, "limit")
    assert made.answer.startswith("no placement of all tasks was found in 0.")


@pytest.mark.parametrize(
    ("computer", "says"), [((4, 4, 4, 8.5), "cost of a computer must be a whole"), ((4.5, 4, 4, 8), "amount must be")]
)
def test_amounts_that_are_not_whole_are_refused(write, computer, says):
    with pytest.raises(InputError, match=says):
        lm.rebalance(write(document([computer], [(1, 1, 1, None)])), time_limit=0.1)


def test_pack_says_that_it_does_not_look_at_costs(write):
    assert "costs were not used" in read_tasks(write(at_random(0))).notes[0]
