"""Runs one shell command on a worker: output to files, a time limit, and no survivor if the worker dies."""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import NotRequired, TypedDict

from loadmaster.live.bag.orphans import MARK, EndedCommand, children, remaining_processes, started, take_in_orphans
from loadmaster.system.strict_json import to_json
from loadmaster.system.whole_file import write_whole

TIMED_OUT = 124
"""Exit code of a command stopped at its time limit, as of the `timeout` program."""

CANNOT_RUN = 126
"""Exit code of a command that could not be run at all, as of a shell."""

_running: dict[str, int] = {}
"""Sessions of the commands that this process runs, by folder."""


class CommandOutcome(TypedDict):
    """How a command ended; kept as `result.json` beside its output.

    Attributes:
        command: the line of the bag.
        exit_code: of the shell; 124 at the time limit, -9 and the like for a signal.
        seconds: wall time.
        cpu_s: user and system time of the command and its children.
        ended: seconds since 1970.
        worker: process that ran it.
        left: processes that it left behind and that still ran.
    """

    command: str
    exit_code: int
    seconds: float
    cpu_s: float
    ended: float
    worker: int
    left: NotRequired[list[str]]


def execute(command: str, folder: str, timeout_s: float | None = None) -> CommandOutcome:
    """Run `command` in a shell; leaves `stdout`, `stderr` and, when it has ended, `result.json` in `folder`.

    The command runs in a session of its own. At its time limit, and if this process dies, all of that session is
    killed. What it leaves behind when it ends by itself, such as a daemon, goes on and is named.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # a command starts with the usual signals
    take_in_orphans()
    before = children()
    began, cpu = time.monotonic(), _children_s()
    with (
        (place / "stdout").open("wb") as out,
        (place / "stderr").open("wb") as err,
        started(
            ["/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            env={**os.environ, MARK: folder},
        ) as child,
    ):
        _running[folder] = child.pid
        with _killed_with_me(child.pid):
            try:
                exit_code = child.wait(timeout_s)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                exit_code = TIMED_OUT
            finally:
                del _running[folder]
    outcome = CommandOutcome(
        command=command,
        exit_code=exit_code,
        seconds=time.monotonic() - began,
        cpu_s=_children_s() - cpu,
        ended=time.time(),
        worker=os.getpid(),
        left=remaining_processes(EndedCommand(folder, child.pid, before, not _running)),
    )
    write_whole(place / "result.json", to_json(outcome))
    return outcome


def stop(folder: str) -> None:
    """Kill the command that this process runs in `folder`, if any; called on the worker."""
    if folder in _running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(_running[folder], signal.SIGKILL)


def outcome_in(folder: Path) -> CommandOutcome | None:
    """The outcome of a command that ended there, or None."""
    try:
        outcome: CommandOutcome = json.loads((folder / "result.json").read_text())
    except (OSError, ValueError):
        return None
    return outcome


def _children_s() -> float:
    used = os.times()
    return used.children_user + used.children_system


@contextlib.contextmanager
def _killed_with_me(group: int):  # type: ignore[no-untyped-def]
    """A watcher that waits on a pipe from this process and kills the session `group` when the pipe breaks."""
    ours, mine = os.pipe()
    with started(
        ["/bin/sh", "-c", f"read line; kill -9 -{group} 2>/dev/null"],
        stdin=ours,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as watcher:
        os.close(ours)
        try:
            yield
        finally:
            watcher.kill()
            watcher.wait()
            os.close(mine)
