"""The machine reassignment of the challenge of 2012: models of the documented form, written here."""

import numpy as np
import pytest
from reassignment_plain import cost_of_assignment, is_allowed, model_at_random

import loadmaster as lm
from loadmaster.model import InputError
from loadmaster.packing.constrained.evaluate import evaluate
from loadmaster.packing.machine_reassignment import read_reassignment, reassignment_problem
from loadmaster.packing.read import read_tasks

MODEL = """2
1 100
0 10
3
0 0 30 400 16 80 0 1 4
0 0 10 240 8 160 1 0 3
1 1 15 100 12 80 4 3 0
2
2 0
1 1 0
3
0 12 10 1000
0 10 20 100
1 6 200 1
1
0 1 20
10
1 10 100
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model_x.txt"
    path.write_text(MODEL)
    return path


def test_machines_processes_and_where_they_run_are_read(model):
    model.with_name("assignment_x.txt").write_text("0 0 1\n")
    read = read_tasks(model)
    assert read.instance.fluid_capacity[:, 0].tolist() == [30.0, 10.0, 15.0]
    assert read.instance.rigid_capacity[:, 0].tolist() == [400.0, 240.0, 100.0]
    assert read.instance.fluid[:, 0].tolist() == [12.0, 10.0, 6.0]
    assert read.instance.rigid[:, 0].tolist() == [10.0, 20.0, 200.0]
    assert read.host.tolist() == [0, 0, 1]
    assert read.instance.host_names == ("m0", "m1", "m2")


def test_what_pack_leaves_out_of_a_model_is_counted(model):
    notes = " ".join(read_tasks(model).notes)
    assert "1 processes share a service" in notes
    assert "1 services must be spread" in notes
    assert "1 dependencies" in notes
    assert "1 resources are held on both machines" in notes
    assert "safety capacities" in notes


@pytest.mark.parametrize("seed", range(30))
def test_costs_and_constraints_are_those_of_the_statement(tmp_path, seed):
    rng = np.random.default_rng(seed)
    text = model_at_random(rng)
    path = tmp_path / "model_random.txt"
    path.write_text(text)
    hosts = rng.integers(0, 4, (300, 8))
    path.with_name("assignment_random.txt").write_text(" ".join(map(str, hosts[0])))
    problem = reassignment_problem(read_reassignment(path))
    for host in hosts:
        made = evaluate(problem, host)
        assert made.total == cost_of_assignment(text, hosts[0].tolist(), host.tolist())
        assert (made.broken == ()) == is_allowed(text, hosts[0].tolist(), host.tolist())


def test_rebalance_lowers_the_cost_of_the_challenge_and_writes_its_assignment(model, tmp_path):
    model.with_name("assignment_x.sol").write_text("0 2 1\n")
    made = lm.rebalance(model, time_limit=0.3, out=tmp_path / "out")
    after = list(map(int, (tmp_path / "out" / "new_assignment_x.sol").read_text().split()))
    assert made.cost_before == cost_of_assignment(MODEL, [0, 2, 1], [0, 2, 1])
    assert made.cost == cost_of_assignment(MODEL, [0, 2, 1], after) <= made.cost_before
    assert is_allowed(MODEL, [0, 2, 1], after)
    assert lm.open(tmp_path / "out").answer == made.answer
    assert made.answer.startswith(f"cost {made.cost:,} instead of {made.cost_before:,}, ")
    assert {row["name"] for row in made.figures["costs"]} == {
        "load over safety capacity",
        "balance",
        "process moves",
        "service moves",
        "machine moves",
    }


def test_constraints_that_the_assignment_breaks_are_named(model):
    model.with_name("assignment_x.txt").write_text("0 0 1\n")
    made = lm.rebalance(model, time_limit=0.1)
    assert "service 0 is in 1 of at least 2 of location" in made.broken_before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (MODEL[:40], "it breaks off"),
        ("a b", "only whole numbers"),
        ("0", "there must be resources"),
        ("-1", "zero or more"),
        (MODEL + "7\n", "1 numbers are left over"),
        (MODEL.replace("1 6 200 1", "2 6 200 1"), "a service is a number from 0 to 1"),
        (MODEL.replace("0 1 20", "0 2 20"), "a resource is a number from 0 to 1"),
    ],
)
def test_a_file_that_is_none_of_the_challenge_is_told(model, text, says):
    model.write_text(text)
    with pytest.raises(InputError, match=says):
        read_tasks(model)


def test_an_assignment_to_a_machine_that_is_not_there_is_told(model):
    model.with_name("assignment_x.txt").write_text("0 0 3\n")
    with pytest.raises(InputError, match="a number from 0 to 2"):
        read_tasks(model)


def test_rebalance_needs_an_assignment(model):
    with pytest.raises(InputError, match="no assignment beside the model"):
        lm.rebalance(model)


@pytest.mark.parametrize("option", [{"moves": 3}, {"budget": "1GiB"}, {"hosts": "2x4c8g"}, {"method": "exact"}])
def test_options_of_states_without_costs_are_refused(model, option):
    model.with_name("assignment_x.txt").write_text("0 2 1\n")
    with pytest.raises(InputError, match="costs and machines of its own"):
        lm.rebalance(model, **option)


def test_machines_of_ones_own_are_refused(model):
    with pytest.raises(InputError, match="names its own machines"):
        read_tasks(model, "2x4c8g")
