"""Alerts of a live run: events that need an operator, and the operator's own command that is run for them."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from loadmaster.live.queue.stranded_capacity import free_in
from loadmaster.model.errors import InputError, one_line
from loadmaster.model.units import CORES

if TYPE_CHECKING:
    from loadmaster.live.queue.ledger import Ledger
    from loadmaster.live.queue.record import CycleDecision
    from loadmaster.live.session.report import Report

NOTHING_STARTS_S = 1800.0
"""Jobs wait and none starts for so long: that is worth an alert,"""
FREE_PART = 0.1
"""if more than this part of the cores is free."""
STDERR = 2


class AlertCommand:
    """Runs a command for each alert, without a shell and without waiting for it.

    The command gets `LOADMASTER_ALERT` (the kind), `LOADMASTER_MESSAGE` and `LOADMASTER_SUPPRESSED` in its
    environment, and the same as one JSON object on its standard input. Its output goes to stderr.

    Args:
        command: words as a shell parts them; nothing else of a shell is done.
        every_s: an alert of the same kind is not repeated sooner, and only counted.
        now_s: a clock.

    Raises:
        InputError: the words cannot be parted, or there is no such program.
    """

    def __init__(self, command: str, every_s: float, now_s: Callable[[], float] = time.monotonic) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise InputError(command, f"not a command: {error}", fix="close the quotes") from None
        if not self._words or shutil.which(self._words[0]) is None:
            raise InputError(command, "there is no such program to run", fix="name one by its path")
        self._every_s, self._now_s = every_s, now_s
        self._last_s: dict[str, float] = {}
        self._suppressed: Counter[str] = Counter()
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __call__(self, kind: str, message: str) -> None:
        """Run the command, or count the alert where one of its kind was sent too lately or is still being sent."""
        now_s = self._now_s()
        running = self._running.get(kind)
        waits = now_s - self._last_s.get(kind, -np.inf) < self._every_s
        if waits or (running is not None and running.poll() is None):
            self._suppressed[kind] += 1
            return
        self._last_s[kind] = now_s
        about = {"alert": kind, "message": one_line(message), "suppressed": self._suppressed.pop(kind, 0)}
        names = {f"LOADMASTER_{name.upper()}": str(value) for name, value in about.items()}
        try:
            process = subprocess.Popen(
                self._words,
                stdin=subprocess.PIPE,
                stdout=STDERR,
                env=os.environ | names,
                start_new_session=True,
            )
            self._running[kind] = process
            threading.Thread(target=process.wait, daemon=True).start()  # no zombie is left
            assert process.stdin is not None
            with process.stdin:
                process.stdin.write(json.dumps(about).encode() + b"\n")
        except BrokenPipeError:  # the command does not read it
            return
        except OSError as error:
            print(f"the command of --on-alert cannot be run: {error.strerror}", file=sys.stderr)


class Alerts:
    """Finds what is worth an alert in the cycles of a run; what `Loop` alerts of itself comes beside.

    Args:
        send: told the kind and a message.
    """

    def __init__(self, send: Callable[[str, str], None]) -> None:
        self.send = send
        self._counts: Counter[str] = Counter()
        self._starts = -1
        self._since_s = 0.0

    def watch(self, now_s: float, ledger: "Ledger", _decided: "CycleDecision", report: "Report") -> None:
        """Called after every cycle."""
        counts = Counter(
            {
                "rule-fails": report.fallbacks + report.skipped,
                "denied": report.refusals["denied"],
                "jobs-lost": len(report.lost),
            }
        )
        texts = {
            "rule-fails": "cycles in which the rule failed",
            "denied": "actions that the engine denied",
            "jobs-lost": "jobs that the engine lost",
        }
        for kind, count in (counts - self._counts).items():
            self.send(kind, f"{texts[kind]}: {count:,} more, {counts[kind]:,} in this run")
        self._counts = counts
        waiting = len(ledger.waiting.rows)
        if report.starts != self._starts or not waiting:
            self._starts, self._since_s = report.starts, now_s
        idle_s = now_s - self._since_s
        if idle_s >= NOTHING_STARTS_S and (free := _free_part(ledger)) > FREE_PART:
            text = f"no job started for {idle_s / 60:.0f} min, while {waiting:,} wait and {100 * free:.0f} %"
            self.send("nothing-starts", f"{text} of the cores are free")


def _free_part(ledger: "Ledger") -> float:
    """The part of the cores of hosts that are up that no job holds."""
    cluster, up = ledger.listing["cluster"], np.array(ledger.listing["up"], bool)
    column = list(cluster["resources"]).index(CORES)
    capacity = np.array(cluster["capacity"], float)[up, column].sum()
    return float(free_in(ledger.listing)[up, column].sum() / capacity) if capacity else 0.0
