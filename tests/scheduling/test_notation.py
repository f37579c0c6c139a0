"""The one grammar of disciplines: ORDER+BACKFILLING(parameter=value,...)."""

import re

import pytest

from loadmaster.backfilling import Blocking, Conservative, Easy, NetBatch
from loadmaster.model import InputError
from loadmaster.order import ORDERS, FairShare
from loadmaster.rules.part import split_specs
from loadmaster.scheduling.notation import discipline_named, is_discipline, parameters_of


@pytest.mark.parametrize(
    ("spec", "order", "backfilling"),
    [
        ("fcfs", ORDERS["fcfs"], Blocking()),
        ("easy", ORDERS["fcfs"], Easy()),
        ("netbatch", ORDERS["fcfs"], NetBatch()),
        ("fair-share", FairShare(), NetBatch()),
        ("sjf", ORDERS["sjf"], Easy()),
        ("sjf+none", ORDERS["sjf"], Blocking()),
        ("wfp3+easy(heads=2)", ORDERS["wfp3"], Easy(heads=2)),
        (" wfp3 + easy( heads=2 , fill=shortest ) ", ORDERS["wfp3"], Easy(heads=2, fill="shortest")),
        ("netbatch(reservations=2,lookahead=all)", ORDERS["fcfs"], NetBatch(2, None)),
        ("fair-share(shares=1:2.5)+easy", FairShare((1.0, 2.5)), Easy()),
        ("conservative", ORDERS["fcfs"], Conservative("arrival")),
        ("sjf+conservative", ORDERS["sjf"], Conservative("replan")),
    ],
)
def test_a_discipline_is_read_as_it_is_written(spec, order, backfilling):
    made = discipline_named(spec)
    assert (made.order, made.backfilling, made.name) == (order, backfilling, spec)


MINE = """
from dataclasses import dataclass

def rank(job, now):
    return -job.cores

@dataclass(frozen=True)
class Fill:
    depth: int = 3

    def serve(self, this_pass):
        for row in this_pass.rows():
            this_pass.start(row)
"""


@pytest.mark.parametrize("folder", ["plain", "a+b", "c++/d"])
def test_orders_and_backfillings_of_files_are_read_wherever_the_file_lies(tmp_path, folder):
    path = tmp_path / folder / "my.py"
    path.parent.mkdir(parents=True)
    path.write_text(MINE)
    assert discipline_named(f"{path}:rank").backfilling == Easy()
    both = discipline_named(f"{path}:rank+{path}:Fill(depth=7)")
    assert (both.order.name, both.backfilling.depth) == (f"{path}:rank", 7)
    assert discipline_named(f"{path}:Fill").order is ORDERS["fcfs"]


def test_commas_within_parentheses_part_no_disciplines():
    assert split_specs("a(x=1,y=2)+b, c,, c") == ["a(x=1,y=2)+b", "c"]


def test_what_is_a_discipline_is_known_by_its_names():
    assert [is_discipline(spec) for spec in ("sjf", "x.py:f+easy", "mix-fit", "pvm+mosix", "easy(")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_the_parameters_of_both_sides_are_known():
    assert {"shares", "heads"} <= parameters_of("fair-share+easy")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("easy(heads=2", "not as a rule is written"),
        ("+easy", "not as a discipline is written"),
        ("sjf+", "not as a discipline is written"),
        ("", "not as a rule is written"),
        ("easy(heads)", "written once, as name=value"),
        ("easy(heads=1,heads=2)", "written once, as name=value"),
        ("easy(heads=-1)", "a whole number from zero up"),
        ("slurm(bf_interval=-1)", "all or none, for no such number"),
        ("easy(hed=1)", "it has heads"),
        ("conservative(early_end=soon)", "arrival"),
        ("fcfs(x=1)", "fcfs has no parameters"),
        ("sjf+conservative(early_end=now)", "stand behind fcfs alone"),
    ],
)
def test_what_is_not_in_the_grammar_is_refused_in_one_line(spec, says):
    with pytest.raises(InputError, match=re.escape(says)) as stop:
        discipline_named(spec)
    assert "\n" not in str(stop.value)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("esy", "did you mean easy?"),
        ("sjf+easy+none", "more than one order and one backfilling"),
        ("sjf+esy", "did you mean easy?"),
        ("easy+sjf", "write sjf+easy"),
        ("mix-fit", "it is a placement policy"),
        ("mix-fit+easy", "it is a placement policy"),
    ],
)
def test_a_slip_is_answered_by_what_was_meant(spec, says):
    with pytest.raises(InputError, match=re.escape(says)):
        discipline_named(spec, elsewhere={"mix-fit": "it is a placement policy"})


@pytest.mark.parametrize(
    ("spec", "fix"),
    [
        ("easy(heads=0)", "skip promises nothing"), ("stepwise(depth=0)", "skip promises nothing"),
        ("conservative(lookahead=0)", "no job would ever start"), ("netbatch(lookahead=0)", "no job would ever start"),
        ("EASY", "did you mean easy?"),
    ],
)  # fmt: skip
def test_a_backfilling_of_no_job_at_all_and_capitals_are_refused_with_what_is_meant(spec, fix):
    with pytest.raises(InputError) as refusal:
        discipline_named(spec)
    assert fix in str(refusal.value)


@pytest.mark.parametrize(
    ("spec", "notes"),
    [
        ("skip", ["No job has a reservation"]),
        ("f1", ["Arrivals count from the first job"]),
        ("f4+conservative", ["Arrivals count", "Every pass makes all reservations again"]),
        ("easy", []),
        ("sjf+none", []),
    ],
)
def test_what_a_name_does_not_say_is_noted(spec, notes):
    found = discipline_named(spec).notes
    assert len(found) == len(notes)
    assert all(part in note for note, part in zip(found, notes, strict=True))
