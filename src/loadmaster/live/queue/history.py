"""How long the jobs of a live run have held their hosts, and how long others may (rule X13)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from loadmaster.live.queue.allocations import OURS, Allocation, ObservedChanges
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.rows import Row, began_s, limit_s
from loadmaster.measure.runtime_history import RuntimeHistory


class History:
    """What ended jobs of a ledger tell."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._rows: dict[str, Row] = {}  # as the last observation had them
        self.launches_s: list[float] = []
        """Seconds from each decision of ours to the moment at which the engine says that the job began."""
        self._runtimes = RuntimeHistory()
        self._launched: set[str] = set()

    @property
    def ended(self) -> int:
        """Jobs that ran and whose end was seen."""
        return self._runtimes.ended

    def take(self, changes: ObservedChanges | None, before: Mapping[str, Allocation]) -> None:
        """What a line has changed; `before`: the jobs that had hosts until then."""
        for name, end_s, how in () if changes is None else changes.ended:
            if name in before and how == "ok":  # a job that began and ended between two observations ran as well
                row = self._rows[name]
                self._launched.discard(name)
                self._runtimes.add(row.get("user", -1), limit_s(row), end_s - before[name].start_s)
        self._rows = dict(self._ledger.rows)
        for name, run in self._ledger.runs.items():
            self._note_launch(name, run, self._ledger.rows[name])

    def _note_launch(self, name: str, run: Allocation, row: Row) -> None:
        """A job runs; what is new about when it began is noted."""
        if name not in self._launched and run.running and run.by == OURS and "start_s" in row:
            self._launched.add(name)
            if (start_s := began_s(row)) is not None:
                self.launches_s.append(max(0.0, start_s - self._ledger.origin_s - run.start_s))

    def draw(self, row: Mapping[str, Any], held_s: float, rng: np.random.Generator) -> float:
        """How long a job may hold its hosts that has held them for `held_s`, in seconds from its start."""
        return float(self._runtimes.lasts_s(row.get("user", -1), limit_s(row), held_s, rng.random(1))[0])

    def launch_s(self, rng: np.random.Generator) -> float:
        """How long a job may take from its decision to its beginning."""
        return float(rng.choice(self.launches_s)) if self.launches_s else 0.0
