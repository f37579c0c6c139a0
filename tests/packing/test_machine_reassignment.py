"""The machine reassignment of the challenge of 2012: a model of the documented form, written here."""

import pytest

import loadmaster as lm
from loadmaster.model import InputError
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


def test_what_the_model_has_and_we_have_no_word_for_is_counted(model):
    notes = " ".join(read_tasks(model).notes)
    assert "1 processes share a service" in notes
    assert "1 services must be spread" in notes
    assert "1 dependencies" in notes
    assert "1 resources are held on both machines" in notes
    assert "safety capacities" in notes


def test_moves_are_proposed_for_the_assignment_beside_the_model(model):
    model.with_name("assignment_x.txt").write_text("0 0 1\n")
    made = lm.rebalance(model, moves=1)
    assert made.done
    assert made.frame.height <= 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (MODEL[:40], "it breaks off"),
        ("a b", "only whole numbers"),
        ("0", "there must be resources"),
        ("-1", "zero or more"),
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


def test_machines_of_ones_own_are_refused(model):
    with pytest.raises(InputError, match="names its own machines"):
        read_tasks(model, "2x4c8g")
