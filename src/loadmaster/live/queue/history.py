"""How long the jobs of a live run have held their hosts, and how long others may (rule X13)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from loadmaster.live.queue.allocations import OURS, Allocation, ObservedChanges
from loadmaster.measure.runtime_history import RuntimeHistory


class History:
    """What ended jobs tell."""

    def __init__(self) -> None:
        self.launches_s: list[float] = []
        """Seconds from each decision of ours to the moment at which the engine says that the job began."""
        self._runtimes = RuntimeHistory()
        self._launched: set[str] = set()

    @property
    def ended(self) -> int:
        """Jobs that ran and whose end was seen."""
        return self._runtimes.ended

    def take(self, changes: ObservedChanges | None, before: Mapping[str, tuple[Allocation, Mapping[str, Any]]]) -> None:
        """An observation; `before`: the jobs that had hosts until then, and their rows."""
        for name, end_s, how in () if changes is None else changes.ended:
            if name in before and how == "ok":  # who began and ended between two observations ran as well
                run, row = before[name]
                self._launched.discard(name)
                self._runtimes.add(row.get("user", -1), _limit_s(row), end_s - run.start_s)

    def launched(self, name: str, run: Allocation, row: Mapping[str, Any], origin_s: float) -> None:
        """A job runs; what is new about when it began is noted."""
        began = row.get("start_s", [None])[0]
        if name not in self._launched and run.running and run.by == OURS and began is not None:
            self._launched.add(name)
            if np.isfinite(float(began)):
                self.launches_s.append(max(0.0, float(began) - origin_s - run.start_s))

    def draw(self, row: Mapping[str, Any], held_s: float, rng: np.random.Generator) -> float:
        """How long a job may hold its hosts that has held them for `held_s`, in seconds from its start."""
        return float(self._runtimes.lasts_s(row.get("user", -1), _limit_s(row), held_s, rng.random(1))[0])

    def launch_s(self, rng: np.random.Generator) -> float:
        """How long a job may take from its decision to its beginning."""
        return float(rng.choice(self.launches_s)) if self.launches_s else 0.0


def _limit_s(row: Mapping[str, Any]) -> float:
    return float(row.get("estimate_s", row["runtime_s"]))
