"""Ctrl-C while the program still loads: it ends as it does at any later moment, without a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = str(Path(__file__).parents[2] / "src")
STOPPED_WHILE_LOADING = """
import signal, sys

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupted())
from loadmaster.cli import main
main()
"""


@pytest.mark.parametrize(
    "module",
    ["loadmaster.cli.app", "typer", "loadmaster.cli.pack", "loadmaster.packing", "numba"],
)
def test_ctrl_c_while_the_program_loads_is_quiet(module, tmp_path):
    tasks = tmp_path / "tasks.csv"
    tasks.write_text("cores,memory\n1,1g\n")
    ended = subprocess.run(
        [sys.executable, "-c", STOPPED_WHILE_LOADING.format(module=module), "pack", tasks, "--hosts", "1x1c1g"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "loadmaster: stopped\n")


STOPPED_WHILE_THE_PLAIN_ENGINE_RUNS = """
import signal, sys, threading
import loadmaster.sim.queue.simulation as engine

real = engine.replay_deciding

def endless(workload, *more, **keywords):
    if workload.jobs == 2:  # while the engine is made ready
        return real(workload, *more, **keywords)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    threading.Event().wait()  # one long cycle, in which nobody is told of any progress

engine.replay_deciding = endless
from loadmaster.cli import main
sys.argv = ["loadmaster", *sys.argv[1:]]
main()
"""


def test_ctrl_c_stops_a_comparison_at_once_while_the_plain_engine_runs(tmp_path):
    """If the run were waited for, this would never end."""
    command = [
        "compare",
        "--limit",
        "60",
        "--policies",
        "max-jobs",
        "--disciplines",
        "stepwise",
        "-o",
        tmp_path / "out",
    ]
    ended = subprocess.run(
        [sys.executable, "-c", STOPPED_WHILE_THE_PLAIN_ENGINE_RUNS, *command],
        timeout=200,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr.splitlines()[-1] == "loadmaster: stopped; give the same command again to continue"
    assert "Traceback" not in ended.stderr


STOPPED_WHERE_PYTHON_CANNOT_RAISE = """
import signal, time
import loadmaster.packing.read as read

class Deaf:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)  # ignored here, as in a callback of LLVM

def busy(*_, **__):
    Deaf()
    {then}

read.read_tasks = busy
from loadmaster.cli import main
main()
"""


@pytest.mark.parametrize("then", ["raise RuntimeError('no compiled object yet')", "time.sleep(300)"])
def test_ctrl_c_where_python_can_only_ignore_it_stops_all_the_same(then, tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", STOPPED_WHERE_PYTHON_CANNOT_RAISE.format(then=then), "pack", "x", "--hosts", "1x1c1g"],
        timeout=100,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": SOURCE},
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "loadmaster: stopped\n")
