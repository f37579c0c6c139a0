"""A promise of a moment: enough hosts for a job will be free then, whichever they are (rule Q6)."""

from collections.abc import Sequence

import numpy as np

from loadmaster.backfilling.releases import Release
from loadmaster.model.arrays import Bools, Floats
from loadmaster.place.room import tasks_held


class Moment:
    """The promise to a head that it fits at `shadow_s`, and what others may take of the hosts without breaking it.

    Tasks of one job are alike, so all of them fit if and only if the hosts together hold that many: a job that
    outlasts the shadow time may take whatever leaves them enough.

    Attributes:
        shadow_s: the first moment at which the head fits, if every running task ends when expected; infinite if never.
    """

    def __init__(
        self, demand: Floats, tasks: int, may: Bools, now_s: float, free: Floats, releases: Sequence[Release]
    ) -> None:
        """Args:
        demand: float64[R], what one task of the head asks for.
        tasks: of the head.
        may: bool[H], hosts that the head may use.
        now_s: the clock.
        free: float64[H, R], what is free now.
        releases: what running tasks give back, in the order of time.
        """
        self._demand, self._tasks, self._may = demand, tasks, may
        self._then = free.copy()
        self.shadow_s = self._first_moment(now_s, releases)
        self.slack = sum(self._held(host) for host in range(len(free))) - tasks

    def open_to(self, demand: Floats) -> Bools:
        """bool[H]: hosts that a task of `demand` float64[R] may take for ever."""
        return np.array([self._cost(host, demand) <= self.slack for host in range(len(self._then))])

    def take(self, host: int, demand: Floats) -> None:
        """A task takes `host` for ever."""
        before = self._held(host)
        self._then[host] -= demand
        self.slack -= before - self._held(host)

    def give_back(self, host: int, demand: Floats) -> None:
        """It does not after all."""
        before = self._held(host)
        self._then[host] += demand
        self.slack += self._held(host) - before

    def _first_moment(self, now_s: float, releases: Sequence[Release]) -> float:
        held = sum(self._held(host) for host in range(len(self._then)))
        if held >= self._tasks:
            return now_s
        for i, release in enumerate(releases):
            held -= self._held(release.host)
            self._then[release.host] += release.demand
            held += self._held(release.host)
            if held >= self._tasks and (i + 1 == len(releases) or releases[i + 1].end_s > release.end_s):
                return release.end_s
        return np.inf

    def _cost(self, host: int, demand: Floats) -> int:
        return self._held(host) - self._held(host, self._then[host] - demand)

    def _held(self, host: int, room: Floats | None = None) -> int:
        """Tasks of the head that `host` holds at the shadow time, at most all of them."""
        if not self._may[host]:
            return 0
        return int(min(self._tasks, max(0.0, tasks_held(self._demand, self._then[host] if room is None else room))))
