"""Backfillings of one's own in the verbs: they run, their rate is said before, their mistakes end in one line."""

import json
import re
import sys

import pytest

from loadmaster.cli import main
from loadmaster.runs import plain_engine_rate

RULES = """
from dataclasses import dataclass


@dataclass(frozen=True)
class Plain:
    most: int = 5

    def serve(self, this_pass):
        for tried, row in enumerate(this_pass.rows()):
            if not this_pass.start(row) and tried < self.most:
                this_pass.promise(row)


class Twice:
    def serve(self, this_pass):
        for row in this_pass.rows():
            this_pass.start(row) and this_pass.start(row)


class Late:
    def serve(self, this_pass):
        for row in this_pass.rows():
            this_pass.start(row) and this_pass.promise(row)


class Again:
    def serve(self, this_pass):
        for row in this_pass.rows():
            this_pass.start(row) or (this_pass.promise(row) and this_pass.promise(row))


class Beyond:
    def serve(self, this_pass):
        this_pass.start(10**6)


class Fails:
    def serve(self, this_pass):
        raise KeyError("row " * 200)


class Soon:
    def serve(self, this_pass):
        this_pass.wake_s = "soon"


class Unknown:
    def serve(self, this_pass):
        this_pass.wake_s = float("nan")


class Nothing:
    pass
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Exit code, answer and stderr of `compare` under some disciplines."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(RULES)
    rows = "".join(f"{second},600,{1 + second % 4}\n" for second in range(3000))
    (tmp_path / "log.csv").write_text("submit_s,runtime_s,cores\n" + rows)

    def compare(disciplines, *more):
        words = ["compare", "log.csv", "--hosts", "2x4c", "--policies", "first-fit", "--json", *more, "--disciplines"]
        monkeypatch.setattr(sys, "argv", ["loadmaster", *words, disciplines])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code, json.loads(out) if ended.value.code == 0 else {}, err

    return compare


def test_one_from_a_file_runs_with_its_parameters_behind_any_order(run):
    code, answer, _ = run("mine.py:Plain(most=2),sjf+mine.py:Plain,easy", "--limit", "40")
    assert code == 0
    assert {row["unstarted"] for row in answer["rows"]} == {0}


def test_how_fast_the_plain_engine_begins_is_said_before_a_long_run(run, monkeypatch):
    monkeypatch.setattr(plain_engine_rate, "TRIAL_S", 0.0)  # every run lasts longer than that, on any machine
    code, _, err = run("mine.py:Plain", "--limit", "40")
    assert code == 0
    said = re.search(r"mine\.py:Plain: not compiled, about ([\d,]+) jobs a second at first", err.replace("\n", " "))
    assert said
    assert int(said[1].replace(",", "")) > 0


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Twice", "started twice in one pass"),
        ("Late", "promised a start after it has started"),
        ("Again", "promised something twice in one pass"),
        ("Beyond", "no row of the queue"),
        ("Fails", "this backfilling fails: KeyError"),
        ("Soon", "`wake_s` of a pass is a moment in seconds, and this backfilling sets 'soon'"),
        ("Unknown", "`wake_s` of a pass is a moment in seconds, and this backfilling sets 'nan'"),
        ("Nothing", "this backfilling has no method serve"),
    ],
)
def test_what_makes_no_sense_ends_in_one_line(run, name, why):
    code, _, err = run(f"mine.py:{name}", "--limit", "20")
    line = [line for line in err.splitlines() if line.startswith("loadmaster: ")]
    assert code == 2
    assert len(line) == 1
    assert why in line[0]
    assert len(line[0]) < 320
    assert "Traceback" not in err


def test_promises_that_cannot_stand_behind_an_order_are_refused_or_made_anew_and_said(run):
    code, answer, _ = run("sjf+conservative", "--limit", "20")
    assert code == 0
    assert any("Every pass makes all reservations again" in note for note in answer["notes"])
    code, _, err = run("sjf+conservative(early_end=arrival)", "--limit", "20")
    assert code == 2
    assert "they stand behind fcfs alone" in err
