"""Comparisons that the workbench started: child processes that outlive it, and are found again by their folders.

A folder names its process by number and beginning, and a process is only ever signalled if its own arguments name that
folder: a folder that came from elsewhere cannot have another process stopped.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadmaster.system.process import identity_of, is_alive
from loadmaster.system.strict_json import to_json
from loadmaster.system.whole_file import write_whole
from loadmaster.workbench.json_lines import object_in
from loadmaster.workbench.refusal import Refused

FILE = "started.json"
SAID, COMPLAINED = "said.txt", "complained.txt"
MOST = 4
PROGRAM = ("-P", "-m", "loadmaster")
"""Arguments of Python before the verb; with -P the folder that it runs in is no place for modules."""


@dataclass(frozen=True)
class Child:
    """A comparison that was started here.

    Attributes:
        folder: its own.
        process: as `identity_of` names it.
        started_s: when, seconds since 1970.
        choices: by which it was started.
    """

    folder: Path
    process: str
    started_s: float
    choices: Mapping[str, Any]

    @property
    def runs(self) -> bool:
        """Whether its process is at work."""
        return is_alive(self.process) and _is_for(self.process, self.folder)

    @property
    def last_error_line(self) -> str:
        """The last line that it wrote to stderr."""
        try:
            with (self.folder / COMPLAINED).open("rb") as file:
                file.seek(max(0, file.seek(0, 2) - 4096))
                lines = file.read().decode("utf-8", "replace").split("\n")
        except OSError:
            return ""
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")


class Children:
    """Those of this server: it starts them, and sees that none stays a zombie."""

    def __init__(self) -> None:
        self._popen: list[tuple[subprocess.Popen[bytes], Path]] = []

    def start(self, folder: Path, arguments: Sequence[str], choices: Mapping[str, Any]) -> None:
        """Start `loadmaster ARGUMENTS` in `folder`, which is there.

        Raises:
            Refused: too many are at work.
        """
        if len(self.running()) >= MOST:
            raise Refused(429, f"{MOST} comparisons are under way here; stop one, or wait for one")
        with (folder / SAID).open("ab") as said, (folder / COMPLAINED).open("wb") as complained:
            child = subprocess.Popen(
                [sys.executable, *PROGRAM, *arguments],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=complained,
                start_new_session=True,
            )
        self._popen.append((child, folder))
        _wait_for_arguments(child.pid)
        content = {"process": identity_of(child.pid), "started_s": time.time(), "choices": choices}
        write_whole(folder / FILE, to_json(content, indent=1) + "\n")

    def running(self) -> list[Path]:
        """The folders of those that this server started and that are at work."""
        self._popen = [(child, folder) for child, folder in self._popen if child.poll() is None]
        return [folder for _, folder in self._popen]

    def stop_all(self, patience_s: float = 10.0) -> list[Path]:
        """Stop those that are at work; what is finished of them is kept. Gives back their folders."""
        left = self._popen
        stopped = self.running()
        for child, _ in left:
            if child.poll() is None:
                child.send_signal(signal.SIGINT)
        end = time.monotonic() + patience_s
        for child, _ in left:
            try:
                child.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        return stopped


def child_in(folder: Path) -> Child | None:
    """The comparison that was started in `folder`; None if none was."""
    try:
        about = object_in(folder / FILE, 1 << 16)
    except OSError:
        return None
    process, started_s, choices = (about.get(name) for name in ("process", "started_s", "choices"))
    if not isinstance(process, str) or not isinstance(started_s, float) or not isinstance(choices, dict):
        return None
    return Child(folder, process, started_s, choices)


def stop(child: Child, *, at_once: bool = False) -> None:
    """Ask a comparison to stop, as Ctrl-C does; or end it where it is: what is finished is kept either way.

    Raises:
        Refused: it does not run.
    """
    if not child.runs:
        raise Refused(409, "this comparison has ended")
    os.kill(int(child.process.partition(".")[0]), signal.SIGKILL if at_once else signal.SIGINT)


def _wait_for_arguments(pid: int, patience_s: float = 2.0) -> None:
    """Until the system tells the arguments of a process that has just begun: for a moment it has none."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/cmdline").read_bytes():
                return
        except OSError:
            return
        time.sleep(0.005)


def _is_for(process: str, folder: Path) -> bool:
    """Whether the process is one of ours that works in `folder`, as the system tells its arguments."""
    pid = process.partition(".")[0]
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        answer = subprocess.run(["ps", "-ww", "-o", "args=", "-p", pid], capture_output=True, check=False)
        return b"loadmaster compare" in answer.stdout and os.fsencode(folder) in answer.stdout
    return b"loadmaster" in arguments and os.fsencode(folder) in arguments
