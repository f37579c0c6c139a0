"""Orders by their names in the verbs, a user's own among them; what must be said of them is said."""

import json
import sys

import pytest

from loadmaster.cli import main

LOG = "submit_s,runtime_s,cores\n0,600,4\n10,600,2\n20,60,4\n30,300,1\n40,300,3\n"
RULES = """
import random

def shortest(job, now):
    return max(job.expected_s, 1.0)

def dice(job, now):
    return random.random()

def newest(job, now):
    return 1.0 / (now - job.submit_s)
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Exit code, rows by discipline, notes and stderr of `compare` under some disciplines."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "mine.py").write_text(RULES)

    def compare(disciplines):
        words = ["compare", "log.csv", "--hosts", "1x4c", "--policies", "first-fit", "--json", "--disciplines"]
        monkeypatch.setattr(sys, "argv", ["loadmaster", *words, disciplines])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        answer = json.loads(out) if ended.value.code == 0 else {"rows": [], "notes": []}
        return ended.value.code, {row["discipline"]: row for row in answer["rows"]}, answer["notes"], err

    return compare


def test_an_order_of_ones_own_is_worth_as_much_as_the_same_built_in(run):
    code, rows, notes, _ = run("sjf+skip,mine.py:shortest+skip,fcfs+skip")
    assert code == 0
    assert rows["sjf+skip"]["mean_wait_s"] == rows["mine.py:shortest+skip"]["mean_wait_s"]
    assert rows["sjf+skip"]["mean_wait_s"] < rows["fcfs+skip"]["mean_wait_s"]
    assert all(note.startswith("sjf+skip, mine.py:shortest+skip, fcfs+skip: ") for note in notes), "said of all alike"


def test_what_draws_at_random_and_what_has_no_accounts_is_said(run):
    code, _, notes, _ = run("mine.py:dice+easy,multifactor")
    assert code == 0
    assert "mine.py:dice draws at random without a seed, so a run with it cannot be repeated." in notes
    assert any("no table of accounts" in note for note in notes)


def test_an_order_that_divides_by_a_wait_of_zero_ends_in_one_line(run):
    code, _, _, err = run("mine.py:newest")
    assert code == 2
    assert "'mine.py:newest': a rank must be a finite number; check its formula for" in err
    assert "Traceback" not in err
