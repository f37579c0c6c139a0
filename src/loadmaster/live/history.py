"""How long the jobs of a live run have held their hosts, and how long others may (rule X13)."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from loadmaster.live.allocations import OURS, Allocation, ObservedChanges
from loadmaster.live.engine import UNLIMITED_S
from loadmaster.model.arrays import Floats

ENOUGH = 5
"""Ended jobs of a kind from which on they tell of others of their kind."""


class History:
    """What ended jobs tell.

    A job is like those of the same user with the same limit, else of the same user, else all; without a limit only
    the seconds count, with one the part of it that was used.
    """

    def __init__(self) -> None:
        self.launches_s: list[float] = []
        """Seconds from each decision of ours to the moment at which the engine says that the job began."""
        self._lasted: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        self.ended = 0
        """Jobs that ran and whose end was seen."""
        self._launched: set[str] = set()

    def take(self, changes: ObservedChanges | None, before: Mapping[str, tuple[Allocation, Mapping[str, Any]]]) -> None:
        """An observation; `before`: the jobs that had hosts until then, and their rows."""
        for name, end_s, how in () if changes is None else changes.ended:
            if name in before and how == "ok":  # who began and ended between two observations ran as well
                run, row = before[name]
                self._launched.discard(name)
                self.ended += 1
                for kind in _kinds(row):
                    self._lasted[kind].append((end_s - run.start_s) / _unit_s(row))

    def launched(self, name: str, run: Allocation, row: Mapping[str, Any], origin_s: float) -> None:
        """A job runs; what is new about when it began is noted."""
        began = row.get("start_s", [None])[0]
        if name not in self._launched and run.running and run.by == OURS and began is not None:
            self._launched.add(name)
            if np.isfinite(float(began)):
                self.launches_s.append(max(0.0, float(began) - origin_s - run.start_s))

    def draw(self, row: Mapping[str, Any], held_s: float, rng: np.random.Generator) -> float:
        """How long a job may hold its hosts that has held them for `held_s`, in seconds from its start."""
        unit_s = _unit_s(row)
        for kind in _kinds(row):
            longer = self._longer(kind, held_s / unit_s)
            if len(longer) >= (ENOUGH if len(kind) > 1 else 1):
                return float(rng.choice(longer)) * unit_s
        left_s = unit_s - held_s if unit_s > 1.0 else held_s  # nobody ever ran so long
        return held_s + max(left_s, 0.0) * float(rng.uniform(0.0, 1.0)) + 1e-3

    def launch_s(self, rng: np.random.Generator) -> float:
        """How long a job may take from its decision to its beginning."""
        return float(rng.choice(self.launches_s)) if self.launches_s else 0.0

    def _longer(self, kind: tuple[Any, ...], than: float) -> Floats:
        lasted = np.array(self._lasted[kind]) if kind in self._lasted else np.zeros(0)
        return lasted[lasted > than]


def _limit_s(row: Mapping[str, Any]) -> float:
    return float(row.get("estimate_s", row["runtime_s"]))


def _unit_s(row: Mapping[str, Any]) -> float:
    """What a runtime is told in parts of: the limit; a second where there is none."""
    limit_s = _limit_s(row)
    return limit_s if 0.0 < limit_s < UNLIMITED_S else 1.0


def _kinds(row: Mapping[str, Any]) -> tuple[tuple[Any, ...], ...]:
    """What a job is like, the closest first; runs without a limit are never told together with others."""
    user, limit_s = row.get("user", -1), _limit_s(row)
    if _unit_s(row) == 1.0:
        return (user, "unlimited"), ("unlimited",)
    return (user, "limited", limit_s), (user, "limited"), ("limited",)
