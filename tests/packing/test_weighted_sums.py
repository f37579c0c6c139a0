"""Sums that `--minimise` names: how they are read, what they count, their bounds beside all placements, and `pack`."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import loadmaster
from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.packing import Instance
from loadmaster.packing.by_objective import pack_by_objective
from loadmaster.packing.constrained.annealing import anneal_placement
from loadmaster.packing.constrained.constraints import Capacity
from loadmaster.packing.constrained.evaluate import evaluate
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.weighted_sum import UNIT, WeightedSum, least_imbalance, least_stranded
from loadmaster.packing.objective import TERMS, Objective

EVERY_TERM = "hosts + 0.5*cost + 0.25*moves + 3*imbalance + 2*stranded"


def sum_at_random(seed, text=EVERY_TERM):
    """5 tasks on 3 hosts, equal or not, some of which run."""
    rng = np.random.default_rng(seed)
    demand, now = rng.integers(0, 5, (5, 2)), rng.integers(-1, 3, 5)
    capacity = np.full((3, 2), 9) if seed % 2 else rng.integers(7, 12, (3, 2))
    problem = ConstrainedProblem(("cores", "disk"), demand, capacity, now, (Capacity(np.zeros(2, bool)),))
    return WeightedSum(Objective.parse(text), problem, capacity, rng.integers(1, 9, 3) / 4)


def placements(problem):
    for host in itertools.product(range(problem.hosts), repeat=problem.tasks):
        if not evaluate(problem, np.array(host)).broken:
            yield np.array(host)


@pytest.mark.parametrize("seed", range(20))
def test_no_placement_is_below_the_bound_of_any_amount(seed):
    total = sum_at_random(seed)
    bounds, bound = total.bounds(), total.bound
    for host in placements(total.problem):
        amounts = total.amounts(host)
        assert all(amounts[name] >= bounds[name] - 1e-9 for name in TERMS)
        assert total.value(host) >= bound - 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_the_search_counts_what_the_sum_is_and_finds_the_least(seed):
    total = sum_at_random(seed)
    problem = replace(total.problem, costs=tuple(total.costs()))
    if (problem.now >= 0).all() and evaluate(problem, problem.now).broken:
        pytest.skip("the search may start from a placement that breaks a capacity")
    annealed = anneal_placement(problem, slices=40)
    assert total.value(annealed.host) == pytest.approx(min(map(total.value, placements(problem))), abs=1e-4)
    assert total.value(annealed.host) == pytest.approx(annealed.cost / UNIT, abs=1e-4)


def test_imbalance_and_stranded_amounts_by_hand():
    """Loads (3/4, 1/4) and (1/4, 1/4); the means are 1/2 and 1/4, and only the first host strands anything: 1/2."""
    demand, full = np.array([[3, 1], [1, 1]]), np.full((2, 2), 4)
    problem = ConstrainedProblem(("cores", "disk"), demand, full, np.array([0, 1]))
    total = WeightedSum(Objective.parse("imbalance + stranded"), problem, full)
    assert total.amounts(np.array([0, 1])) == pytest.approx({"imbalance": 0.125, "stranded": 0.5})
    assert total.amounts(np.array([0, 0])) == pytest.approx({"imbalance": 0.625, "stranded": 0.5})
    assert total.bounds() == pytest.approx({"imbalance": 0.125, "stranded": 0.5})


def test_bounds_of_imbalance_by_hand():
    """Two tasks on four hosts: two stay empty. Seven whole cores on two hosts: one has four, one three."""
    assert least_imbalance(np.array([[1], [1]]), np.full((4, 1), 2)) == pytest.approx(4 * 0.25**2)
    assert least_imbalance(np.ones((7, 1), int), np.full((2, 1), 8)) == pytest.approx(2 * (0.5 / 8) ** 2)
    assert least_stranded(np.array([[2, 1]]), np.full((1, 2), 4)) == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("level + moves", "stands alone"),
        ("cost + cots", "'cots' is no amount"),
        ("moves + 2*moves", "there twice"),
        ("0.0001*moves", "a weight is a number from 0.001"),
        ("1.2.3*moves", "a weight is a number"),
        ("", "'' is no amount"),
        ("moves*2", "'moves*2' is no amount"),
    ],
)
def test_a_sum_that_cannot_be_read_is_refused_by_name(text, part):
    with pytest.raises(InputError, match=r".") as error:
        Objective.parse(text)
    assert part in str(error.value)


def test_prices_moves_and_single_gpus_must_be_there():
    two = Instance.of(hosts=2, cpu=[0.4], memory=[0.1])
    for text, part in (("cost", "no prices"), ("0.5*moves", "no column host")):
        with pytest.raises(InputError) as error:
            pack_by_objective(two, Objective.parse(text + " + hosts"))
        assert part in str(error.value)


@pytest.fixture
def vms(tmp_path):
    path = tmp_path / "vms.csv"
    path.write_text("name,cores,memory,tasks\nsmall,2,4GiB,8\nwide,12,24GiB,2\nfat,4,48GiB,2\n")
    return path


def test_pack_prints_the_sum_its_amounts_and_its_bound(vms):
    given = ["pack", str(vms), "--hosts", "6x16c64g@0.8", "--minimise", "cost+0.5 * stranded", "--time-limit", "1"]
    shown = CliRunner().invoke(app, given)
    assert shown.exit_code == 0, shown.output
    assert [line.split("  ")[0] for line in shown.stdout.splitlines()[3:7]] == [
        "cost + 0.5*stranded",
        "cost",
        "stranded",
        "bound on that",
    ]
    facts = json.loads(CliRunner().invoke(app, [*given, "--json"]).stdout)
    assert facts["minimise"] == "cost + 0.5*stranded"
    assert facts["cost"] == pytest.approx(facts["terms"]["cost"] + 0.5 * facts["terms"]["stranded"])
    assert 0 < facts["cost_bound"] <= facts["cost"]


def test_a_placement_that_meets_its_bound_is_called_optimal_and_another_is_not(vms, tmp_path):
    (tmp_path / "two.csv").write_text("name,cores,memory\na,8,16GiB\nb,4,32GiB\n")
    made = loadmaster.pack(tmp_path / "two.csv", hosts="2x16c64g", minimise="stranded", time_limit=5.0)
    assert made.figures["proven"]
    assert "optimal" in made.answer
    rough = loadmaster.pack(vms, hosts="6x16c64g", minimise="imbalance", time_limit=0.2)
    assert not rough.figures["proven"]
    assert "at most" in rough.answer


def test_running_tasks_stay_where_each_move_counts(tmp_path):
    path = tmp_path / "state.csv"
    path.write_text("name,cores,memory_gb,host\na,4,8,0\nb,4,8,0\nc,8,16,1\nnew,2,2,\n")
    made = loadmaster.pack(path, hosts="3x16c64g", minimise="moves", time_limit=1.0)
    assert made.packing.host[:3].tolist() == [0, 0, 1]
    assert made.answer.endswith("moves = 0, optimal; minimum yield 1.0000.")


def test_options_of_other_searches_are_refused(vms):
    for more in ({"method": "mcb8"}, {"exact": True}):
        with pytest.raises(InputError, match="one search serves such a sum"):
            loadmaster.pack(vms, hosts="6x16c64g", minimise="imbalance", **more)
