"""Runs cases: many one after another in a worker, or one in a process of its own."""

import json
import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from cases import Case, Result

HERE = Path(__file__).parent
MOST_CASES = 400
"""A worker is replaced after so many cases."""
BUSY = 6.0
"""A machine may be so busy that a process gets one part in so many of a core: limits count its own seconds."""


class Workers:
    """One worker at a time, replaced when it hangs, dies or has served long enough."""

    def __init__(self) -> None:
        self._worker: subprocess.Popen[str] | None = None
        self._served = 0

    def __enter__(self) -> "Workers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def run(self, case: Case) -> Result:
        """Run `case` in the worker."""
        if self._worker is None or self._served >= MOST_CASES:
            self._stop()
            self._worker = subprocess.Popen(
                [sys.executable, str(HERE / "worker.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=environment(),
            )
            self._served = 0
        self._served += 1
        worker, began = self._worker, cpu_s(self._worker.pid)
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(json.dumps([str(case.folder), list(case.arguments)]) + "\n")
        worker.stdin.flush()
        answered = _answers(worker, case.limit_s)
        line = worker.stdout.readline() if answered else ""
        seconds = cpu_s(worker.pid) - began
        code = int(line) if line.strip() else -1 if answered else -2
        if code < 0:
            self._stop()
        return Result(code, read(case.folder / ".out"), read(case.folder / ".err"), seconds)

    def _stop(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait()
        self._worker = None


def fresh(case: Case) -> Result:
    """Run `case` in a process of its own, as a user does."""
    began = os.times()
    command = [sys.executable, "-c", "from loadmaster.cli import main; main()", *case.arguments]
    try:
        done = subprocess.run(
            command,
            cwd=case.folder,
            env=environment(),
            capture_output=True,
            timeout=case.limit_s * BUSY,
            stdin=subprocess.DEVNULL,
        )
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        code, out, err = -2, late.stdout or b"", late.stderr or b""
    except ValueError:  # an argument with a NUL cannot be given to any process
        return Result(2, "", "loadmaster: no such argument", 0.0)
    ended = os.times()
    seconds = ended.children_user + ended.children_system - began.children_user - began.children_system
    return Result(code, out.decode(errors="replace"), err.decode(errors="replace"), seconds)


def environment() -> dict[str, str]:
    """That of the harness, with our sources first."""
    source = str(HERE.parents[1] / "src")
    path = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join([source, path]) if path else source, "COLUMNS": "160"}


def read(path: Path) -> str:
    """The text of a file, empty where there is none."""
    return path.read_text(errors="replace") if path.exists() else ""


def cpu_s(process: int) -> float:
    """Processor seconds of a process so far; infinite once it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("inf")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _answers(worker: "subprocess.Popen[str]", within_s: float) -> bool:
    """Whether it answers, or dies, before it has worked so long, or idled for so much longer."""
    assert worker.stdout is not None
    began, last = cpu_s(worker.pid), time.monotonic() + within_s * BUSY
    with selectors.DefaultSelector() as selector:
        selector.register(worker.stdout, selectors.EVENT_READ)
        while not selector.select(0.5):
            if cpu_s(worker.pid) - began > within_s or time.monotonic() > last:
                return False
    return True
