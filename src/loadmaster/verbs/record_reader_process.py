"""A process that reads the record of a live run repeatedly, so that no cycle waits for its results."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

EVERY_S = 60.0
FIRST_S = 20.0
PART = 0.05
"""No more of the time than this goes into it: a long record is read more seldom."""
POLITE = 10
"""It gives way to whatever else wants the CPU."""


class LiveReader:
    """Runs `loadmaster live ... --json` from time to time; its own rules may run, since they run anyway.

    Args:
        words: behind `loadmaster live`.
        program: for tests; None: this one.
        on: False never begins one.
    """

    def __init__(self, words: Sequence[str], program: Sequence[str] | None = None, *, on: bool = True) -> None:
        usual = (sys.executable, "-m", "loadmaster", "live", *words, "--trust", "--json")
        self._program = usual if program is None else tuple(program)
        self._child: subprocess.Popen[bytes] | None = None
        self._printed: IO[bytes] | None = None
        self._began_s, self._due_s = 0.0, time.monotonic() + FIRST_S if on else float("inf")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._child is not None:
            self._child.kill()
            self._end()

    def news(self) -> dict[str, Any] | None:
        """What it has printed since, {} where it could not tell; None where there is no news. Never waits."""
        now_s = time.monotonic()
        if self._child is None:
            if now_s >= self._due_s:
                self._begin(now_s)
        elif self._child.poll() is not None:
            self._due_s = now_s + max(EVERY_S, (now_s - self._began_s) / PART)
            try:
                said: dict[str, Any] = json.loads(self._end())
            except ValueError:
                return {}
            return said
        return None

    def _begin(self, now_s: float) -> None:
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - a pipe might fill up; `_end` closes it
        self._began_s = now_s
        nothing = subprocess.DEVNULL
        self._child = subprocess.Popen(self._program, stdin=nothing, stdout=self._printed, stderr=nothing)
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self._child.pid, POLITE)

    def _end(self) -> bytes:
        assert self._child is not None
        assert self._printed is not None
        self._child.wait()
        with self._printed as printed:
            printed.seek(0)
            text = printed.read()
        self._child = None
        return text


class InterimWaitsReader(LiveReader):
    """What the jobs of a shadow have waited so far (rule X16).

    Args:
        folder: of the record.
        on: False never looks.
    """

    def __init__(self, folder: Path, *, on: bool) -> None:
        super().__init__(("--so-far", str(folder)), on=on)
