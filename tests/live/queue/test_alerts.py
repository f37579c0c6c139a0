"""Alerts of a live run: what is worth one, and the operator's command."""

import json
import stat
import sys
import time
from types import SimpleNamespace

import pytest

import loadmaster as lm
from loadmaster.live.queue.alerts import NOTHING_STARTS_S, AlertCommand, Alerts
from loadmaster.live.session.engine import RUNNING
from loadmaster.live.session.report import Report
from loadmaster.model import InputError

WRITES = """#!{python}
import json, os, sys
told = {{name: value for name, value in os.environ.items() if name.startswith("LOADMASTER_")}}
with open({out!r}, "a") as file:
    file.write(json.dumps([sys.argv[1:], told, json.loads(sys.stdin.readline())]) + "\\n")
"""


@pytest.fixture
def program(tmp_path):
    """A command that writes down how it was called, and what reads that."""
    path, out = tmp_path / "alert", tmp_path / "out"
    path.write_text(WRITES.format(python=sys.executable, out=str(out)))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def calls(number):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            lines = out.read_text().splitlines() if out.exists() else []
            if len(lines) >= number:
                return [json.loads(line) for line in lines]
            time.sleep(0.02)
        raise AssertionError("the command was not run in time")

    return path, calls


def test_data_reaches_the_command_as_data_only(program):
    path, calls = program
    message = "job $(touch /tmp/never) `x`; rm -rf \x00 \x1b[31m\nnext"
    AlertCommand(f"{path} 'one word' $HOME ;", 60.0)("engine-down", message)
    ((words, told, read),) = calls(1)
    assert words == ["one word", "$HOME", ";"]
    assert told["LOADMASTER_ALERT"] == read["alert"] == "engine-down"
    assert told["LOADMASTER_MESSAGE"] == read["message"] == "job $(touch /tmp/never) `x`; rm -rf \\x00 \\x1b[31m next"
    assert (told["LOADMASTER_SUPPRESSED"], read["suppressed"]) == ("0", 0)


def test_alerts_of_a_kind_come_no_more_often_than_asked_and_are_counted(program):
    path, calls = program
    clock = SimpleNamespace(s=0.0)
    send = AlertCommand(str(path), 60.0, lambda: clock.s)
    send("denied", "first")
    calls(1)
    for _ in range(3):
        send("denied", "more")
    send("jobs-lost", "another kind")
    calls(2)
    clock.s = 60.0
    while send._running["denied"].poll() is None:
        time.sleep(0.01)
    send("denied", "later")
    assert [(read["message"], read["suppressed"]) for _, _, read in calls(3)] == [
        ("first", 0),
        ("another kind", 0),
        ("later", 3),
    ]


def test_a_command_that_does_not_end_is_not_run_again_beside_itself():
    send = AlertCommand("sleep 60", 0.0)
    send("denied", "first")
    first = send._running["denied"]
    try:
        send("denied", "second")
        assert send._running["denied"] is first
        assert send._suppressed["denied"] == 1
    finally:
        first.kill()
        first.wait()


def test_a_command_that_reads_nothing_is_no_failure():
    send = AlertCommand("true", 0.0)
    send("denied", "x")
    assert send._running["denied"].wait() == 0


@pytest.mark.parametrize("command", ["'open", "/no/such/program", "   "])
def test_a_command_that_cannot_be_run_is_refused_before_the_run(command, tmp_path):
    with pytest.raises(InputError, match=r"not a command|no such program"):
        lm.live.run("fake", on_alert=command, limit=3, out=tmp_path)


def test_no_file_names_the_command(tmp_path):
    (tmp_path / "live.toml").write_text('on-alert = "true"')
    with pytest.raises(InputError, match="works on the command line only"):
        lm.live.run("fake", config=tmp_path / "live.toml")


def test_how_often_is_refused_without_a_command(tmp_path):
    with pytest.raises(InputError, match="it works only with --on-alert"):
        lm.live.run("fake", alert_every="1min", out=tmp_path)


def ledger(waiting, held):
    cluster = {"resources": ("cores",), "capacity": [[10.0], [10.0]]}
    job = {"state": [RUNNING], "host": [0], "demand": [held]}
    listing = {"cluster": cluster, "up": [True, False], "jobs": {"a": job}}
    return SimpleNamespace(waiting=SimpleNamespace(rows=list(range(waiting))), listing=listing)


def test_nothing_starts_is_said_only_where_jobs_wait_and_cores_are_free():
    sent = []
    for waiting, held in ((3, 5.0), (3, 9.0), (0, 5.0)):
        alerts = Alerts(lambda kind, text: sent.append((kind, text)))
        report = Report(starts=2)
        for now_s in (0.0, NOTHING_STARTS_S - 1, NOTHING_STARTS_S):
            alerts.watch(now_s, ledger(waiting, held), None, report)
    assert sent == [("nothing-starts", "no job started for 30 min, while 3 wait and 50 % of the cores are free")]


def test_each_failure_is_an_alert_when_it_happens():
    sent = []
    alerts, report = Alerts(lambda kind, text: sent.append((kind, text))), Report()
    alerts.watch(0.0, ledger(0, 5.0), None, report)
    report.fallbacks, report.lost = 1, ["7", "8"]
    report.refusals["denied"] += 1
    report.refusals["gone"] += 1
    alerts.watch(1.0, ledger(0, 5.0), None, report)
    alerts.watch(2.0, ledger(0, 5.0), None, report)
    report.skipped = 2
    alerts.watch(3.0, ledger(0, 5.0), None, report)
    assert sent == [
        ("rule-fails", "cycles in which the rule failed: 1 more, 1 in this run"),
        ("denied", "actions that the engine denied: 1 more, 1 in this run"),
        ("jobs-lost", "jobs that the engine lost: 2 more, 2 in this run"),
        ("rule-fails", "cycles in which the rule failed: 2 more, 3 in this run"),
    ]


def test_a_run_whose_engine_does_not_answer_runs_the_command(program, tmp_path):
    path, calls = program
    lm.live.run("fake", limit=40, trouble="down=0.3", on_alert=str(path), out=tmp_path / "run")
    assert any(read["alert"] == "engine-down" for _, _, read in calls(1))


def test_a_run_that_ends_by_an_error_runs_the_command(program, tmp_path, monkeypatch):
    path, calls = program

    def lost(*_, **__):
        raise InputError("slurm-lm", "another loadmaster runs this cluster")

    monkeypatch.setattr("loadmaster.live.queue.run_live.run_live", lost)
    with pytest.raises(InputError):
        lm.live.run("fake", limit=3, on_alert=str(path), out=tmp_path / "run")
    ((_, _, read),) = calls(1)
    assert (read["alert"], "another loadmaster" in read["message"]) == ("ended", True)
