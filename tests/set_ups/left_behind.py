"""Processes that a real engine for the tests would leave behind: found by the folder in which they work, and ended."""

import contextlib
import os
import signal
from pathlib import Path


def end_sessions_of(program: str, folder: Path) -> None:
    """Kill every process of a program that works in `folder`, with all that is in its session."""
    theirs = {
        _session(process) for process in _processes() if _name(process) == program and _works_in(process, folder)
    } - {None, os.getsid(0)}
    for process in _processes():
        if _session(process) in theirs:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _name(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def _works_in(process: int, folder: Path) -> bool:
    try:
        return Path(os.readlink(f"/proc/{process}/cwd").removesuffix(" (deleted)")) == folder
    except OSError:
        return False


def _session(process: int) -> int | None:
    try:
        return os.getsid(process)
    except OSError:
        return None
