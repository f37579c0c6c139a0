"""Rules with parameters: one grammar for movers, sharing models and packers, built in or the user's."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from loadmaster.model.errors import InputError
from loadmaster.move.mosix import Mosix
from loadmaster.packing import Instance
from loadmaster.packing.solve import PackOptions, packer_named
from loadmaster.rules.by_value import naming
from loadmaster.rules.parameters import instance_of
from loadmaster.rules.part import Part
from loadmaster.scheduling.time_shared import method_named, parts_of
from loadmaster.sharing.load import sharing_named
from loadmaster.verbs.rules import name_of

TEXT = """
from dataclasses import dataclass


@dataclass(frozen=True)
class Still:
    budget: int = 3
    period_s: float = 5.0
    fanout: int = 1
    name: str = "still"

    def turn(self, hosts, host, contacts, demand, pick):
        return None


@dataclass(frozen=True)
class Parts:
    most: float = 1.0

    def yields(self, demand, capacity):
        return demand[:, 0] * 0 + self.most / len(demand)


@dataclass(frozen=True)
class OnOne:
    host: int = 0

    def pack(self, instance):
        return [self.host] * instance.tasks


def score(demand, free, capacity):
    return 0.0
"""


@dataclass(frozen=True)
class Taking:
    """Of several types."""

    count: int = 1
    part: float = 0.5
    strict: bool = False
    steps: tuple[float, ...] = ()


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(TEXT)
    Path("a+b.py").write_text(TEXT)


def test_a_mover_takes_its_parameters_behind_its_name():
    assert method_named("pvm+mosix(period_s=5)").mover == Mosix(period_s=5.0)
    assert repr(method_named("mine.py:score+a+b.py:Still(budget=7)").mover).startswith("Still(budget=7,")


def test_an_object_is_named_by_those_parameters_that_are_not_the_usual_ones():
    with naming() as name:
        assert name_of(("pvm", Mosix(period_s=5.0, fanout=3)), name) == "pvm+mosix(period_s=5.0,fanout=3)"
        assert name_of(Mosix(), name) == "mosix"


def test_a_sharing_model_may_be_a_class_with_parameters():
    import numpy as np

    model = sharing_named("mine.py:Parts(most=0.5)")
    assert model.yields(np.ones((2, 2)), np.ones(2), None).tolist() == [0.25, 0.25]


def test_a_packer_may_be_a_class_with_parameters():
    two = Instance.of(hosts=2, cpu=[0.1, 0.1], memory=[0.1, 0.1])
    assert packer_named("mine.py:OnOne(host=1)").solve(two, PackOptions()).host.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: method_named("pvm+mosix(budget=3)"), "mosix has no such parameter; it has period_s"),
        (lambda: method_named("pvm+mine.py:Parts"), "has no method turn or next_move"),
        (lambda: sharing_named("mine.py:score(part=1)"), "has no parameters"),
        (lambda: sharing_named("mine.py:Still"), "has no method yields"),
        (lambda: packer_named("mcb8(host=1)"), "mcb8 has no parameters"),
        (lambda: packer_named("mine.py:Still"), "has no method pack"),
        (lambda: method_named("mixfit+mosix"), "did you mean mix-fit"),
    ],
)
def test_what_is_no_such_rule_or_parameter_is_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()


def test_values_are_read_by_the_types_of_the_fields():
    part = Part.of("taking(count=3,part=.25,strict=yes,steps=1:2.5)")
    found = instance_of(Taking, part, {"count": 9}, "thing", "__repr__")
    assert found == Taking(3, 0.25, True, (1.0, 2.5))


def test_a_method_and_its_mover_are_told_apart_whatever_their_paths_are():
    assert parts_of("mine.py:score+a+b.py:Still(budget=7)") == ("mine.py:score", "+", "a+b.py:Still(budget=7)")
    assert parts_of("a+b.py:score") == ("a+b.py:score", "", "")
