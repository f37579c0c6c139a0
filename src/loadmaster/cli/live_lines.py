"""What a log shows while a live scheduler runs: a plain line on stdout for each cycle that starts something."""

import sys
import time
from typing import TYPE_CHECKING

from loadmaster.report.log_lines import LogLines

if TYPE_CHECKING:
    from loadmaster.live.queue.ledger import Ledger
    from loadmaster.live.queue.record import CycleDecision
    from loadmaster.live.queue.settings import LiveSettings
    from loadmaster.live.session.report import Report

QUIET_S = 60.0
"""A run in which nothing starts says so once in this time."""
NAMED = 3


class LiveLines:
    """A line for each cycle that starts, is refused or leaves out something, and for others once a minute.

    Args:
        how: the run behaves.
        on: False never prints.
        log: where they go.
    """

    def __init__(self, how: "LiveSettings", *, on: bool = True, log: LogLines | None = None) -> None:
        self._how, self._on, self._log = how, on, log or LogLines("text")
        self._due_s = 0.0
        self._refused = 0
        self._left_out: set[str] = set()

    def show(self, _now_s: float, ledger: "Ledger", decided: "CycleDecision", report: "Report") -> None:
        """Called after every cycle."""
        if not self._on:
            return
        starts = [start.id.partition("@")[0] for each in decided.passes for start in each.starts]
        fresh = [(name, why) for name, why in report.left_out if name not in self._left_out]
        refused = report.refusals.total() - self._refused
        self._left_out = {name for name, _ in report.left_out}
        self._refused += refused
        for name, why in fresh[:NAMED]:
            job = name.partition("@")[0]
            self._log.write(f"left out: {job}: {why}", "left out", job=job, why=why)
        if not (starts or refused or fresh) and time.monotonic() < self._due_s:
            return
        self._due_s = time.monotonic() + QUIET_S
        running = sum(run.running for run in ledger.runs.values())
        verb = "asked to start" if self._how.acts else "would start"
        counts = {"refused": refused, "waiting": len(ledger.waiting.rows), "running": running}
        counts["left_out"] = len(report.left_out)
        words = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items())
        self._log.write(
            f"{verb} {_names_in_words(starts)}, {words}", "cycle", starts=starts, acts=self._how.acts, **counts
        )


def is_interactive() -> bool:
    """Whether the table on a terminal already shows what a line would."""
    return sys.stdout.isatty() and sys.stderr.isatty()


def _names_in_words(names: list[str]) -> str:
    more = ", ..." if len(names) > NAMED else ""
    return f"{len(names):,}" + (f" ({', '.join(names[:NAMED])}{more})" if names else "")
