"""Sizers of the user's own, and built-in ones by their names: what they may be, and what is refused."""

import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.model.bag import BagLaw
from loadmaster.model.errors import InputError
from loadmaster.results.progress_file import progress_in
from loadmaster.results.watch import Watch
from loadmaster.sim.bags.repetitions import draws, repeat
from loadmaster.sizing import SIZERS, Actions, FixedHosts, HostType, Planner, Rental, SilvaRule
from loadmaster.sizing.load import BagKnowledge, sizer_named
from loadmaster.sizing.own import OwnSizer
from loadmaster.verbs.size import SizeOptions, size_with

TEXT = """
from dataclasses import dataclass
from loadmaster.sizing import Actions, Rental


@dataclass(frozen=True)
class AsMany:
    hosts: int = 1
    name: str = "as-many"
    tick_s: float = 60.0

    def decide(self, snapshot):
        missing = self.hosts - len(snapshot.hosts)
        return Actions(rent=(Rental(0, missing),)) if snapshot.occasion == "start" else Actions()


class Broken:
    name, tick_s = "broken", 60.0

    def decide(self, snapshot):
        return BODY


def no_class(snapshot):
    return Actions()
"""
KNOWN = BagKnowledge(8, usual={"guess_s": 300.0})
BAGS = draws(BagLaw("normal", (150.0, 30.0), 8), 2)


@dataclass(frozen=True)
class OneForTwo:
    """A machine for every so many tasks."""

    part: int = 2
    name: str = "one-for-two"
    tick_s: float = 60.0

    def decide(self, snapshot):
        """Rent what is missing."""
        missing = snapshot.tasks // self.part - len(snapshot.hosts)
        return Actions(rent=(Rental(0, missing),)) if snapshot.occasion == "start" else Actions()


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(body="Actions()"):
        (tmp_path / "mine.py").write_text(TEXT.replace("BODY", body))
        return "mine.py"

    return write


@pytest.mark.parametrize("name", sorted(set(SIZERS) - {"oracle", "fixed"}))
def test_every_named_sizer_ends_the_bag_and_decides_alike_each_time(name):
    sizer = sizer_named(name, KNOWN)
    first, again = repeat(BAGS, sizer, plain=True), repeat(BAGS, sizer, plain=True)
    assert np.isfinite(first.span_s).all()
    assert (first.span_s > 0).all()
    assert first.cost.tolist() == again.cost.tolist()


def test_parameters_stand_behind_the_name_as_of_every_rule():
    assert sizer_named("silva(overrun=kill,creation_ratio=1)", KNOWN) == SilvaRule(1.0, overrun="kill")
    assert sizer_named("planner(budget=40)", KNOWN) == Planner(budget=40.0, guess_s=300.0)
    assert sizer_named("fixed(count=3)", KNOWN) == FixedHosts(3)


def test_a_class_of_a_file_rents_as_its_parameters_say(file):
    own = sizer_named(f"{file()}:AsMany(hosts=4)", KNOWN)
    fixed = repeat(BAGS, FixedHosts(4, name="fixed"), plain=True)
    assert repeat(BAGS, own).span_s.tolist() == fixed.span_s.tolist()


def test_size_takes_classes_and_objects_beside_names_and_finds_the_same_again(tmp_path):
    asked = {"sizers": ["silva", OneForTwo, OneForTwo(part=4)], "repetitions": 2}
    made = lm.size("normal(150,30)x8", **asked, out=tmp_path)
    assert [point.label for point in made.sizers] == ["silva", "@OneForTwo", "@OneForTwo(part=4)"]
    assert [point.hosts for point in made.sizers[1:]] == [4.0, 2.0]
    assert lm.open(tmp_path).sizers == made.sizers == lm.size("normal(150,30)x8", **asked, out=tmp_path).sizers


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("1 / 0", "this sizer fails: ZeroDivisionError"),
        ("None", "a sizer gives Actions, not NoneType"),
        ("Actions(rent=(Rental(7, 1),))", "rents 1 machines of type 7, of which there are 1"),
        ("Actions(release=(5,))", "gives back machine 5, which is not rented"),
    ],
)
def test_a_sizer_that_cannot_be_believed_is_told_in_one_line(file, body, says):
    with pytest.raises(InputError, match=says):
        repeat(BAGS, sizer_named(f"{file(body)}:Broken", KNOWN))


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("silvia", "did you mean silva"),
        ("oracle", "it knows all durations"),
        ("fixed", "does not say how many machines"),
        ("silva(parts=2)", "silva has no such parameter"),
        ("8(part=2)", "8 has no parameters"),
        ("mine.py:no_class", "a sizer is a class"),
        ("mine.py:AsMany(host=2)", "it has hosts, tick_s"),
        ("mine.py:AsMany(tick_s=0)", "must be more than zero"),
    ],
)
def test_what_names_no_sizer_is_refused(file, spec, says):
    file()
    with pytest.raises(InputError, match=says):
        sizer_named(spec, KNOWN)


def test_an_own_sizer_is_its_name_and_its_text_wherever_it_is_sent(file):
    own = OwnSizer.of(f"{file()}:AsMany(hosts=4)")
    Path("mine.py").unlink()
    sent = pickle.loads(pickle.dumps(own))
    assert sent == own
    assert repeat(BAGS, sent, (HostType(),)).hosts.tolist() == [4, 4]


class Interrupting(Watch):
    """Presses Ctrl-C when the sizers begin."""

    def __init__(self, at):
        self.at, self.seen = at, []

    def phase(self, name, total, unit):
        self.seen.append(name)
        if name == self.at:
            raise KeyboardInterrupt


def test_who_is_stopped_leaves_how_far_it_came_and_goes_on_from_there(tmp_path):
    options = SizeOptions("normal(150,30)x4", sizers="silva", repetitions=2, out=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        size_with(options, Interrupting("sizers that learn"))
    assert progress_in(tmp_path).ended == "stopped"
    watch = Interrupting("")
    size_with(options, watch)
    assert watch.seen == ["numbers of machines", "sizers that learn"]
    assert progress_in(tmp_path) is None
