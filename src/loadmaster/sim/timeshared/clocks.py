"""The work that tasks of one time-shared host have done so far, and which of them ends next: plain Python."""

import math
from collections.abc import Mapping


class CommonClock:
    """For tasks that all progress alike: one clock says what each has done, as in the compiled engine.

    A task that comes when the clock reads w with work x left ends when it reads w + x, whatever tasks come or go.
    """

    def __init__(self) -> None:
        self.work = self.since = self.rate = 0.0
        self.ends: dict[int, float] = {}
        self.due = math.inf

    @property
    def is_busy(self) -> bool:
        """Whether a task runs here."""
        return bool(self.ends)

    @property
    def next_task(self) -> int:
        """The task that ends next, the lower number among equals; -1 without one."""
        return min(self.ends, key=lambda task: (self.ends[task], task), default=-1)

    def bring_up(self, now: float) -> None:
        """Count the work done until now."""
        self.work += self.rate * (now - self.since)
        self.since = now

    def add(self, task: int, left: float) -> None:
        """Let `task` run, with so much work left."""
        self.ends[task] = self.work + left

    def remove(self, task: int) -> float:
        """Stop `task`; returns the work that it has left."""
        left = max(self.ends.pop(task) - self.work, 0.0)
        if not self.ends:
            self.work = 0.0
        return left

    def go_at(self, rates: Mapping[int, float]) -> None:
        """From now on all tasks go at these rates, which are one number; the next end is `due`."""
        self.rate = next(iter(rates.values()), 0.0)
        self.due = self.since + max(min(self.ends.values()) - self.work, 0.0) / self.rate if rates else math.inf


class OwnClocks:
    """For tasks that each progress at a rate of their own."""

    def __init__(self) -> None:
        self.since = 0.0
        self.left: dict[int, float] = {}
        self.rates: Mapping[int, float] = {}
        self.due = math.inf
        self.next_task = -1

    @property
    def is_busy(self) -> bool:
        """Whether a task runs here."""
        return bool(self.left)

    def bring_up(self, now: float) -> None:
        """Count the work done until now."""
        for task in self.left:
            self.left[task] -= self.rates[task] * (now - self.since)
        self.since = now

    def add(self, task: int, left: float) -> None:
        """Let `task` run, with so much work left."""
        self.left[task] = left

    def remove(self, task: int) -> float:
        """Stop `task`; returns the work that it has left."""
        return max(self.left.pop(task), 0.0)

    def go_at(self, rates: Mapping[int, float]) -> None:
        """From now on every task goes at its rate; `next_task`, the lower number among equals, ends at `due`."""
        self.rates = rates
        ends = {task: self.since + max(self.left[task], 0.0) / rate for task, rate in rates.items() if rate > 0.0}
        self.next_task = min(ends, key=lambda task: (ends[task], task), default=-1)
        self.due = ends.get(self.next_task, math.inf)
