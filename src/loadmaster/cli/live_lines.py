"""What a log shows while a live scheduler runs: a plain line on stdout for each cycle that starts something."""

import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

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
    """

    def __init__(self, how: "LiveSettings", *, on: bool = True) -> None:
        self._how, self._on = how, on
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
            _print(f"left out: {name.partition('@')[0]}: {why}")
        if not (starts or refused or fresh) and time.monotonic() < self._due_s:
            return
        self._due_s = time.monotonic() + QUIET_S
        running = sum(run.running for run in ledger.runs.values())
        verb = "asked to start" if self._how.acts else "would start"
        _print(
            f"{verb} {_named(starts)}, refused {refused:,}, waiting {len(ledger.waiting.rows):,}, "
            f"running {running:,}, left out {len(report.left_out):,}"
        )


def is_watched_by_a_person() -> bool:
    """Whether the table on a terminal already shows what a line would."""
    return sys.stdout.isatty() and sys.stderr.isatty()


def _named(names: list[str]) -> str:
    more = ", ..." if len(names) > NAMED else ""
    return f"{len(names):,}" + (f" ({', '.join(names[:NAMED])}{more})" if names else "")


def _print(text: str) -> None:
    print(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {text}", flush=True)
