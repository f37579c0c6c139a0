"""One command on a worker: what it leaves behind is found, whatever it did to hide."""

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from patience import until

from loadmaster.live.bag.command import execute

SOURCE = Path(__file__).parents[3] / "src"
WORKER = "import json, sys; from loadmaster.live.bag.command import execute; print(json.dumps(execute(*sys.argv[1:])))"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to who asks for them")


@pytest.fixture
def no_orphans_afterwards():
    """For tests in this process: it does not go on taking in orphans."""
    yield
    ctypes.CDLL(None).prctl(36, 0, 0, 0, 0)


@pytest.fixture
def run(tmp_path):
    """Runs a command as a worker process does, and ends at last what it leaves behind."""
    left = []

    def in_a_worker(command):
        folder = tmp_path / str(len(left))
        done = subprocess.run(
            [sys.executable, "-c", WORKER, command, str(folder)],
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            stdout=subprocess.PIPE,
            check=True,
        )
        outcome = json.loads(done.stdout)
        left.append(outcome)
        return outcome

    yield in_a_worker
    for outcome in left:
        for process in outcome["left"]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process.rpartition(" ")[2].rstrip(")")), signal.SIGKILL)


@pytest.mark.parametrize(
    "command",
    [
        "sleep 600 &",
        "setsid sleep 600 &",
        "(setsid sh -c 'sleep 600 & exit 0' &) ; sleep 0.2",
        "setsid env -i sleep 600 &",
    ],
    ids=["in the background", "in another session", "twice orphaned", "without its environment"],
)
def test_a_process_that_outlives_its_command_is_named(run, command):
    outcome = run(command)
    assert outcome["exit_code"] == 0
    (left,) = outcome["left"]
    name, _, process = left.partition(" (process ")
    assert name in ("sleep", "sh", "setsid", "env")  # a busy machine may look before it is what it will be
    assert psutil.pid_exists(int(process.rstrip(")")))


def test_a_process_that_ends_with_its_command_or_just_after_is_not(run):
    assert run("sleep 600 & kill $!")["left"] == []
    assert run("(sleep 0.1 &)")["left"] == []
    assert run("true")["left"] == []


def test_a_command_finds_its_folder_in_its_environment(run, tmp_path):
    run('echo "$LOADMASTER_ATTEMPT"')
    assert (tmp_path / "0" / "stdout").read_text().strip() == str(tmp_path / "0")


def test_what_an_earlier_command_left_is_not_counted_for_the_next_and_is_laid_to_rest_when_it_ends(
    tmp_path, no_orphans_afterwards
):
    first = execute("sleep 600 &", str(tmp_path / "first"))
    (left,) = first["left"]
    process = int(left.rpartition(" ")[2].rstrip(")"))
    assert execute("true", str(tmp_path / "second"))["left"] == []
    os.kill(process, signal.SIGKILL)
    until(lambda: psutil.Process(process).status() == psutil.STATUS_ZOMBIE, "the end of what was left")
    execute("true", str(tmp_path / "third"))
    assert not psutil.pid_exists(process)


def test_the_exit_code_of_another_process_of_the_worker_is_not_taken_away(tmp_path, no_orphans_afterwards):
    other = subprocess.Popen(["/bin/sh", "-c", "exit 7"])
    until(lambda: psutil.Process(other.pid).status() == psutil.STATUS_ZOMBIE, "the end of the other")
    execute("true", str(tmp_path))
    assert other.wait() == 7
