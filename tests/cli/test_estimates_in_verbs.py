"""Estimates in the verbs: they shape the runs, and what they cannot mean is refused in one line."""

import json
import sys

import pytest

from loadmaster.cli import main

LOG = "submit_s,runtime_s,cores,estimate_s,user\n0,120,2,50,ann\n10,30,4,30,ann\n20,60,2,60,bob\n"
RUN = "simulate log.csv --hosts 1x4c --policy first-fit --discipline easy --interval 0 --json -o run"


@pytest.fixture
def told(tmp_path, monkeypatch, capsys):
    """Runs a command on a small log: exit code, stdout, stderr."""
    (tmp_path / "log.csv").write_text(LOG)
    monkeypatch.chdir(tmp_path)

    def tell(command):
        monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
        try:
            code = main()
        except SystemExit as end:
            code = end.code
        return code, *capsys.readouterr()

    return tell


@pytest.mark.parametrize(
    ("options", "mean_wait_s"),
    [("", 240 / 3), ("--estimates exact", 110 / 3), ("--overrun kill", 100 / 3),
     ("--estimates user(correct=steps,expiry_pass=yes)", 140 / 3)],
)  # fmt: skip
def test_a_run_expects_what_it_is_told_to(told, options, mean_wait_s):
    code, out, _ = told(f"{RUN} {options}")
    row = json.loads(out)
    assert code == 0
    assert row["mean_wait_s"] == pytest.approx(mean_wait_s)
    chosen = {name: row[name] for name in ("estimates", "overrun") if name in row}
    assert chosen == dict([options.removeprefix("--").split(" ")] if options else [])


def test_a_shared_machine_is_set_beside_a_queue_that_expects_the_same(told):
    code, out, _ = told("share log.csv --hosts 1x4c --methods easy --policies first-fit --estimates exact --json")
    row = json.loads(out)["rows"][0]
    assert code == 0
    assert row["mean_wait_s"] == pytest.approx(110 / 3)
    assert "estimates exact" in row["parameters"]


@pytest.mark.parametrize(
    "options",
    ["--estimates last-too", "--estimates 0", "--estimates nan", "--estimates exact(most=1)", "--estimates (",
     "--estimates exact(correct=x)", "--overrun never", "--estimates last-two(expiry_pass=perhaps)"],
)  # fmt: skip
def test_what_estimates_cannot_mean_is_refused_in_one_line(told, options):
    code, out, err = told(f"{RUN} {options}")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert len(err) < 300


@pytest.mark.parametrize(("option", "why"), [("--estimates last-two", "not name users"), ("--overrun kill", "neither")])
@pytest.mark.parametrize("verb", ["simulate bare.csv --discipline easy", "share bare.csv --methods easy"])
def test_what_the_log_does_not_say_enough_for_is_refused_in_one_line(told, verb, option, why, tmp_path):
    (tmp_path / "bare.csv").write_text("submit_s,runtime_s,cores\n0,120,2\n")
    code, out, err = told(f"{verb} --hosts 1x4c {option}")
    assert (code, out) == (2, "")
    assert why in err
    assert len(err.splitlines()) == 1
