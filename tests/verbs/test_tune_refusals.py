"""`tune` on the wrong foot: one line, and nothing that was there before is lost."""

import sys

import pytest
from weekly_log import weekly_log

import loadmaster as lm
from loadmaster.cli import main
from loadmaster.tuning.space import FILE

HOSTS = lm.hosts("1x8c")
SMALL = {"hosts": HOSTS, "trials": 6, "runs": 2, "samples": 5}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--search colour", "--search takes one or several of order, placement, tree, backfilling"),
        ("--search ,", "--search takes one or several of order, placement, tree, backfilling"),
        ("--search placement,tree", "a placement is a weighted sum or a tree, not both"),
        ("--for speed", "--for takes one or several of mean_wait_s"),
        ("--longest-wait-limit 0.5", "1"),
        ("--trials 0", "1"),
        ("--search backfilling --discipline sjf+skip", "no parameters to search"),
        ("--search slurm", "give the site's configuration: --site slurm.conf"),
        ("--search slurm,order", "searched by themselves"),
        ("--discipline twin", "not an order with a backfilling"),
        ("--discipline nosuch+easy", "nosuch"),
        ("--policy nosuch", "nosuch"),
        ("--interval soon", "soon"),
        ("--limit 20", "a search needs weeks"),
    ],
)
def test_bad_input_is_one_line(options, words, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["loadmaster", "tune", *options.split(), "-o", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as stop:
        main()
    printed = capsys.readouterr()
    assert stop.value.code == 2
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 1
    assert words in printed.err


def test_a_file_of_the_winners_name_is_refused(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / FILE).write_text("def score(demand, free, capacity):\n    return free[0]\n")
    with pytest.raises(lm.InputError, match="the winner is written under this name"):
        lm.tune(weekly_log(), **SMALL, policy=f"{FILE}:score")


@pytest.mark.parametrize("name", [FILE, "front/candidate-3.py"])
def test_a_rule_that_the_search_starts_from_is_not_replaced_by_what_it_finds(tmp_path, name):
    earlier = tmp_path / name
    earlier.parent.mkdir(exist_ok=True)
    earlier.write_text("def rank(job, now):\n    return job.cores\n")
    with pytest.raises(lm.InputError, match=r"would write its own in its place; give another folder"):
        lm.tune(weekly_log(), **SMALL, search="placement", discipline=f"{earlier}:rank+easy", out=tmp_path)
    assert "job.cores" in earlier.read_text()


def test_trials_that_are_no_database_are_refused(tmp_path):
    (tmp_path / "trials.sqlite").write_text("this is no database, and long enough to be taken for a broken one" * 20)
    with pytest.raises(lm.InputError, match="trials cannot be kept there"):
        lm.tune(weekly_log(weeks=4, jobs_a_week=10), **SMALL, out=tmp_path)
