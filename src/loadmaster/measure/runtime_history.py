"""How long ended jobs ran, and how long other jobs like them may run (rules X13 and F2)."""

from collections import defaultdict, deque
from typing import Any

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.units import UNLIMITED_S

ENOUGH = 5
"""Ended jobs of a kind from which on they tell of other jobs of their kind."""
MOST = 5000
"""Of each kind only the last so many ended jobs count."""


class RuntimeHistory:
    """The runtimes of ended jobs, by kind.

    A job is like those of the same user with the same limit, else of the same user, else all; without a limit only
    the seconds count, with one the part of it that was used.

    Example:
        >>> history = RuntimeHistory()
        >>> for lasted_s in (10.0, 20.0, 30.0, 40.0, 50.0):
        ...     history.add(user=1, limit_s=100.0, lasted_s=lasted_s)
        >>> history.lasts_s(1, 100.0, 35.0, np.array([0.0, 0.9])).tolist()
        [40.0, 50.0]
    """

    def __init__(self) -> None:
        self.ended = 0
        """Jobs whose runtime was added."""
        self._lasted: dict[tuple[Any, ...], deque[float]] = defaultdict(lambda: deque(maxlen=MOST))
        self._arrays: dict[tuple[Any, ...], Floats] = {}

    def add(self, user: object, limit_s: float, lasted_s: float) -> None:
        """One more job has ended: whose it was, its limit (0 or `UNLIMITED_S` without one), its runtime."""
        self.ended += 1
        for kind in _kinds(user, limit_s):
            self._lasted[kind].append(lasted_s / _unit_s(limit_s))
            self._arrays.pop(kind, None)

    def add_job(self, workload: Workload, job: int, limit_s: float) -> None:
        """One job of a log has ended."""
        user = -1 if workload.user is None else int(workload.user[job])
        self.add(user, limit_s, float(workload.runtime_s[job]))

    def lasts_s(self, user: object, limit_s: float, held_s: float, uniform: Floats) -> Floats:
        """How long a job may run that has run for `held_s`, float64[N] seconds from its start.

        Args:
            user: whose it is.
            limit_s: its limit.
            held_s: 0 for a job that waits.
            uniform: float64[N] in [0, 1), which chooses among the jobs that lasted longer.
        """
        unit_s = _unit_s(limit_s)
        for kind in _kinds(user, limit_s):
            longer = self._longer(kind, held_s / unit_s)
            if longer.size >= (ENOUGH if len(kind) > 1 else 1):
                return np.asarray(longer[(uniform * longer.size).astype(np.int64)] * unit_s)
        left_s = unit_s - held_s if unit_s > 1.0 else held_s  # no ended job ran so long
        return np.asarray(held_s + max(left_s, 0.0) * uniform + 1e-3)

    def _longer(self, kind: tuple[Any, ...], than: float) -> Floats:
        if kind not in self._arrays:
            self._arrays[kind] = np.array(self._lasted.get(kind, ()), float)
        lasted = self._arrays[kind]
        return np.asarray(lasted[lasted > than])


def history_limits_s(workload: Workload) -> Floats:
    """float64[J]: the limits by which runtimes are told; 0 where the log has none, so that the seconds count."""
    return np.zeros(workload.jobs) if workload.estimate_s is None else workload.estimate_s


def _unit_s(limit_s: float) -> float:
    """What a runtime is told in parts of: the limit; a second where there is none."""
    return limit_s if 0.0 < limit_s < UNLIMITED_S else 1.0


def _kinds(user: object, limit_s: float) -> tuple[tuple[Any, ...], ...]:
    """What a job is like, the closest first; runs without a limit are never told together with others."""
    if _unit_s(limit_s) == 1.0:
        return (user, "unlimited"), ("unlimited",)
    return (user, "limited", limit_s), (user, "limited"), ("limited",)
