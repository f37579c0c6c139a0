"""Functions and classes as rules: the same as a file's, in every verb that takes rules."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest

import loadmaster as lm
from loadmaster.backfilling import BACKFILLINGS
from loadmaster.rules.by_value import naming
from loadmaster.verbs.rules import name_of, names_of

LIKE_LEFTOVER = 1.0


def leftover(demand, free, capacity):
    return LIKE_LEFTOVER * (free[0] - demand[0])


def weighted(weight):
    def score(demand, free, capacity):
        return weight * free[0]

    return score


def large_first(job, now):
    return -job.cores


def too_many(demand, free, capacity, context, more):
    return 0.0


@dataclass(frozen=True)
class Walk:
    """Whoever fits starts."""

    most: int = 5

    def serve(self, this_pass):
        """Walk the queue."""
        for job in this_pass.waiting():
            this_pass.start(job)


def test_a_function_gives_the_rows_of_the_same_function_in_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def leftover(demand, free, capacity):\n    return 1.0 * (free[0] - demand[0])\n")
    frame = lm.compare(limit=200, policies=[leftover, "mine.py:leftover"], loads=[1.2]).frame
    assert frame["policy"].to_list() == ["@leftover", "mine.py:leftover"]
    assert frame["mean_wait_s"][0] == frame["mean_wait_s"][1]


def test_a_run_with_a_function_is_recorded_with_its_text(tmp_path):
    run = lm.simulate(limit=100, policy=leftover)
    again = lm.open(run.save(tmp_path / "r"))
    assert "LIKE_LEFTOVER = 1.0" in again.record.sources["@leftover"]
    assert again.again(trust=True).same
    with pytest.raises(lm.InputError, match="'@leftover': this record has Python"):
        again.again()


def test_kept_runs_are_known_by_the_text_of_the_function(tmp_path):
    for rule in (leftover, leftover, weighted(2.0), weighted(3.0), weighted(2.0)):
        lm.compare(limit=50, policies=[rule], out=tmp_path)
    with sqlite3.connect(tmp_path / "results.sqlite") as kept:
        assert kept.execute("select count(*) from results").fetchone() == (3,)


def test_what_is_no_sound_rule_is_refused_as_of_a_file():
    with pytest.raises(lm.InputError, match="a policy takes 3 or 4 parameters, this takes 5"):
        lm.compare(limit=50, policies=[too_many])


def test_pairs_classes_and_objects_stand_in_the_one_notation():
    with naming() as name:
        assert names_of(["easy", (large_first, "easy"), ("sjf", Walk)], "--disciplines", name) == [
            "easy",
            "@large_first+easy",
            "sjf+@Walk",
        ]
        assert name_of(Walk(most=7), name) == "@Walk(most=7)"
        assert name_of(("fcfs", BACKFILLINGS["easy"][0](heads=2)), name) == "fcfs+easy(heads=2)"
        assert names_of("sjf+easy(heads=2),fcfs", "--disciplines", name) == ["sjf+easy(heads=2)", "fcfs"]
        with pytest.raises(lm.InputError, match="a pair of an order and a backfilling"):
            name_of(("sjf", "easy", "fcfs"), name)
        with pytest.raises(lm.InputError, match="--policies names nothing"):
            names_of([], "--policies", name)
