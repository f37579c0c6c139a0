"""Bags of real shell commands on real Dask workers: whatever dies, no task is lost and none is silently run twice."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from patience import PATIENCE_S, until

pytest.importorskip("distributed")

from bag_replay import decide_again, sessions

from loadmaster.live.bag.config import BagConfig, task_folder
from loadmaster.live.dask.machine_source import DaskMachineSource, machines
from loadmaster.live.dask.run_commands import run_commands
from loadmaster.live.session.record_file import RecordFile, described
from loadmaster.model.errors import InputError
from loadmaster.sizing import FixedHosts, HostType, Planner, SilvaRule

SECOND = HostType("second", 1.0, unit_s=1.0, limit=2)
SIZERS = [Planner(tick_s=0.5), SilvaRule(tick_s=1.0, host_time_s=60.0)]
SOURCE = Path(__file__).parents[3] / "src"


@pytest.fixture(scope="module")
def place():
    with machines(DaskMachineSource()) as found:
        yield found


def run(place, commands, folder, sizer=None, **config):
    said = []
    report = run_commands(commands, BagConfig(folder, sizer or FixedHosts(2), SECOND, **config), place, say=said.append)
    return report, said


def test_output_and_exit_codes_are_kept_whatever_a_command_does(place, tmp_path):
    commands = [
        "echo out; echo err >&2",
        "exit 3",
        "no-such-program",
        "head -c 3000000 /dev/zero",
        "sleep 600",
        "kill -9 $$",
    ]
    report, said = run(place, commands, tmp_path, timeout_s=5.0)  # a busy machine may need one for echo
    assert report.exits == {1: 0, 2: 3, 3: 127, 4: 0, 5: 124, 6: -9}
    assert report.failed == [2, 3, 5, 6]
    assert (task_folder(tmp_path, 1, 1) / "stdout").read_text() == "out\n"
    assert (task_folder(tmp_path, 1, 1) / "stderr").read_text() == "err\n"
    assert (task_folder(tmp_path, 4, 1) / "stdout").stat().st_size == 3_000_000
    assert "not found" in (task_folder(tmp_path, 3, 1) / "stderr").read_text()
    assert any("limit of 5 s" in line for line in said)


def test_a_command_that_cannot_even_be_started_is_given_up_and_says_why(place, tmp_path):
    for attempt in (1, 2):  # nobody can make a folder there
        blocked = task_folder(tmp_path, 1, attempt)
        blocked.parent.mkdir(parents=True, exist_ok=True)
        blocked.touch()
    report, said = run(place, ["echo never", "echo fine"], tmp_path, retries=1)
    assert report.exits == {1: 126, 2: 0}
    assert sum("task 1 could not be run: FileExistsError" in line for line in said) == 2
    assert report.hosts == 2  # both workers lived on


def test_a_failing_command_is_tried_again_as_often_as_asked(place, tmp_path):
    flaky = f"test -e {tmp_path}/once || {{ touch {tmp_path}/once; exit 1; }}"
    report, said = run(place, [flaky, "false"], tmp_path, retries=1)
    assert report.exits == {1: 0, 2: 1}
    assert sorted(task for task, _ in report.again) == [1, 2]
    assert any("tried again" in line for line in said)


def test_finished_tasks_are_not_run_again(place, tmp_path):
    commands = [f"echo run >> {tmp_path}/count-{n}" for n in range(3)]
    run(place, commands, tmp_path)
    report, _ = run(place, commands, tmp_path)
    assert report.skipped == 3
    assert [(tmp_path / f"count-{n}").read_text() for n in range(3)] == ["run\n"] * 3
    with pytest.raises(InputError, match="not those of the run"):
        run(place, ["echo other"], tmp_path)


def test_what_failed_for_good_is_tried_again_only_when_asked(place, tmp_path):
    commands = [f"echo run >> {tmp_path}/fine", f"echo run >> {tmp_path}/bad; test -e {tmp_path}/mended", "exit 4"]
    assert run(place, commands, tmp_path)[0].failed == [2, 3]
    assert run(place, commands, tmp_path)[0].skipped == 3
    (tmp_path / "mended").touch()
    report, said = run(place, commands, tmp_path, retry_failed=True)
    assert report.exits == {1: 0, 2: 0, 3: 4}
    assert report.skipped == 1
    assert "task 2 ended with 1 in an earlier run, is to be tried again" in said
    assert (tmp_path / "fine").read_text() == "run\n"
    assert (tmp_path / "bad").read_text() == "run\nrun\n"
    assert json.loads((task_folder(tmp_path, 2, 2) / "result.json").read_text())["exit_code"] == 0
    assert run(place, commands, tmp_path)[0].failed == [3]


def test_a_budget_holds_over_all_starts(place, tmp_path):
    kind = HostType("unit", 3600.0, unit_s=3.0, limit=2)
    commands = [f"until test -e {tmp_path}/go; do sleep 0.05; done"] * 2

    def start(budget):
        config = BagConfig(tmp_path / "out", Planner(budget=budget, tick_s=0.5, guess_s=1.0), kind)
        return run_commands(commands, config, place, say=lambda _: None)

    first = start(6.0)
    assert (first.exits, first.unpaid) == ({}, [1, 2])
    assert 0 < first.spent <= 6.0
    spent = start(first.spent)
    assert (spent.hosts, spent.again, spent.unpaid) == (0, [], [1, 2])
    (tmp_path / "go").touch()
    again = start(6.0)
    assert again.spent <= 6.0
    enough = start(60.0)
    assert (enough.exits, enough.unpaid) == ({1: 0, 2: 0}, [])
    assert enough.spent_before == again.spent


def test_a_deadline_counts_from_the_first_start(place, tmp_path):
    log = RecordFile(tmp_path / "log.jsonl")
    log.open()
    log.append([{"session": time.time() - 100, "commands": ["true"], "type": described(SECOND)}])
    log.close()
    report, _ = run(place, ["true"], tmp_path, Planner(deadline_s=1000.0))
    assert report.elapsed_s >= 100 > report.span_s
    assert [line["sizer"]["deadline_s"] <= 900.0 for line in log.lines() if "sizer" in line] == [True]


def test_a_straggler_gets_a_copy_the_first_to_end_counts_and_the_other_is_killed(place, tmp_path):
    first = f"test -e {tmp_path}/begun || {{ touch {tmp_path}/begun; sleep 600; touch {tmp_path}/late; }}; echo copy"
    kind = HostType("minute", 1.0, unit_s=60.0, limit=2)
    said = []
    config = BagConfig(tmp_path / "out", Planner(deadline_s=1.0, tick_s=0.2, guess_s=0.1, replicate=True), kind)
    commands = [first, *["sleep 0.05"] * 12]
    report = run_commands(commands, config, place, say=said.append)
    assert set(report.exits.values()) == {0}
    assert report.again == [(1, "lasts far longer than others, a copy is started")]
    assert "task 1 ended on its attempt 2; attempt 1 is killed" in said
    assert not (tmp_path / "late").exists()
    (session,) = sessions(RecordFile(tmp_path / "out" / "log.jsonl"))
    again = decide_again(session, config.sizer, kind)
    assert [made.actions.replicate for made in again] == [made.actions.replicate for made in session.decisions]
    killed = task_folder(tmp_path / "out", 1, 1) / "result.json"
    until(killed.exists, "the end of the killed attempt, which its worker writes in its own time")
    assert json.loads(killed.read_text())["exit_code"] == -9


def test_a_busy_worker_is_not_taken_for_dead_when_the_client_hears_of_the_scheduler_meanwhile(place, monkeypatch):
    up = place.present()
    assert up  # of the tests before
    sync, background = place.client.sync, place.client._update_scheduler_info

    def overtaken(ask, *args, **kwargs):
        answer = sync(ask, *args, **kwargs)
        sync(background)  # as the client does every two seconds by itself
        return answer

    monkeypatch.setattr(place.client, "sync", overtaken)
    assert place.present() == up


def test_a_worker_that_is_paused_keeps_its_task(place, tmp_path):
    begun, go, looks = tmp_path / "begun", tmp_path / "go", []

    def become(status, dask_worker):
        dask_worker.status = type(dask_worker.status)[status]

    def watch(snapshot, sizer, spent, done):
        if begun.exists():
            looks.append(snapshot.now_s)
        if len(looks) == 1:
            place.client.run(become, "paused")
        elif len(looks) == 4:
            go.touch()

    held = f"echo run >> {begun}; until test -e {go}; do sleep 0.05; done"
    config = BagConfig(tmp_path / "out", FixedHosts(1), SECOND)
    try:
        report = run_commands([held], config, place, watch, say=lambda _: None)
    finally:
        place.client.run(become, "running")
    assert report.exits == {1: 0}
    assert report.again == []
    assert begun.read_text() == "run\n"


def test_a_killed_worker_loses_no_task(place, tmp_path):
    # The first attempt kills the worker that runs it: its number stands above the shell's.
    suicide = f"test -e {tmp_path}/dead || {{ touch {tmp_path}/dead; kill -9 $PPID; sleep 5; }}; echo alive"
    report, said = run(place, [suicide, *["echo ok"] * 4], tmp_path)
    assert set(report.exits.values()) == {0}
    assert (1, "its worker died, is run again") in report.again
    assert any("worker died" in line for line in said)
    assert (task_folder(tmp_path, 1, 2) / "stdout").read_text() == "alive\n"


@pytest.mark.parametrize("sizer", SIZERS, ids=lambda sizer: sizer.name)
def test_simulator_and_real_run_take_the_same_decisions(place, tmp_path, sizer):
    run(place, [f"sleep 0.{n % 3}" for n in range(10)] + ["false"], tmp_path, sizer, retries=1)
    (session,) = sessions(RecordFile(tmp_path / "log.jsonl"))
    assert len(session.decisions) > 10
    again = decide_again(session, sizer, SECOND)
    for real, anew in zip(session.decisions, again, strict=True):
        assert (real.actions.rent, real.actions.release) == (anew.actions.rent, anew.actions.release)
        assert real.actions.memory == anew.actions.memory


@pytest.fixture
def start(tmp_path):
    """Starts `loadmaster run` on commands, as a process; none outlives its test, which others would suffer from."""
    started = []

    def begin(commands):
        (tmp_path / "commands.txt").write_text("\n".join(commands))
        started.append(
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "loadmaster",
                    "run",
                    f"{tmp_path}/commands.txt",
                    "--sizer=2",
                    "--limit=2",
                    "--json",
                ],
                env={**os.environ, "PYTHONPATH": str(SOURCE)},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        )
        return started[-1]

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()


def dead(process):
    """The process has ended; nobody may have asked it how."""
    return not psutil.pid_exists(process) or psutil.Process(process).status() == psutil.STATUS_ZOMBIE


def test_a_killed_runner_goes_on_where_it_was_and_says_what_runs_twice(start, tmp_path):
    b, go = tmp_path / "b", tmp_path / "go"
    held = f"echo $$ >> {tmp_path}/shells; echo begun >> {b}; until test -e {go}; do sleep 0.1; done; echo ended >> {b}"
    commands = [f"echo one >> {tmp_path}/a", held]
    first = start(commands)
    log = tmp_path / "commands.txt.run" / "log.jsonl"
    until(lambda: b.exists() and '"finished"' in log.read_text(), "the first task done and the second begun")
    first.send_signal(signal.SIGKILL)
    first.communicate()
    shell = int((tmp_path / "shells").read_text())
    until(lambda: dead(shell), "the end of the first attempt with its runner")
    go.touch()
    out, err = start(commands).communicate(timeout=PATIENCE_S)
    report = json.loads(out)
    assert report["skipped"] == 1
    assert report["again"] == [[2, "was running when the last run stopped, is to be run again"]]
    assert "task 2 was running" in err
    assert (tmp_path / "a").read_text() == "one\n"
    assert b.read_text() == "begun\nbegun\nended\n"


@pytest.mark.parametrize("moment", ["while a command runs", "while its worker starts"])
def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(start, tmp_path, moment):
    runner = start([f"echo $$ > {tmp_path}/up; sleep 600"])
    log = tmp_path / "commands.txt.run" / "log.jsonl"
    until(lambda: log.exists() and '"rented"' in log.read_text(), "a machine rented")
    shell = tmp_path / "up"
    if moment == "while a command runs":
        until(lambda: shell.exists() and shell.read_text(), "the command")
    os.killpg(runner.pid, signal.SIGINT)  # as a terminal does: to everyone
    _, err = runner.communicate(timeout=PATIENCE_S)
    assert runner.returncode == 130
    assert "give the same command again to continue" in err
    assert "Traceback" not in err
    assert json.loads(log.read_text().splitlines()[-1])["ended"] == "stopped"
    if shell.exists():
        until(lambda: dead(int(shell.read_text())), "the end of the command")
