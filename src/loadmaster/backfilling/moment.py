"""A promise of a moment: enough hosts for a job will be free then, whichever they are (rule Q6)."""

from collections.abc import Sequence

import numpy as np

from loadmaster.backfilling.releases import ExpectedEnd
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.hosts_asked import HostsAsked
from loadmaster.place.room import tasks_held


class Moment:
    """The promise to a head that it fits at `shadow_s`, and what others may take of the hosts without breaking it.

    Tasks of one job are alike, so whether all of them fit is told by how many each host holds: a job that
    outlasts the shadow time may take whatever leaves them enough.

    Attributes:
        shadow_s: the first moment at which the head fits, if every running task ends when expected; infinite if never.
    """

    def __init__(
        self, demand: Floats, asked: HostsAsked, may: Bools, now_s: float, free: Floats, releases: Sequence[ExpectedEnd]
    ) -> None:
        """Args:
        demand: float64[R], what one task of the head asks for.
        asked: tasks of the head, and on how many hosts they may lie.
        may: bool[H], hosts that the head may use.
        now_s: the clock.
        free: float64[H, R], what is free now.
        releases: what running tasks give back, in the order of time.
        """
        self._demand, self._asked, self._may = demand, asked, may
        self._then = free.copy()
        self._held = np.array([self._holds(host, self._then[host]) for host in range(len(free))])
        self.shadow_s = self._first_moment(now_s, releases)

    @property
    def slack(self) -> float:
        """Tasks of the head that the hosts hold at the shadow time beyond all of them."""
        return float(self._held.sum() - self._asked.tasks)

    def open_to(self, demand: Floats) -> Bools:
        """bool[H]: hosts that a task of `demand` float64[R] may take for ever."""
        after = np.array([self._holds(host, self._then[host] - demand) for host in range(len(self._then))])
        if not self._asked.binds:
            return np.asarray(self._held - after <= self.slack)
        open_to, known = np.empty(len(after), dtype=bool), dict[tuple[float, float], bool]()
        for host, pair in enumerate(zip(self._held.tolist(), after.tolist(), strict=True)):
            if pair not in known:  # hosts that hold equally many are alike
                held = self._held.copy()
                held[host] = pair[1]
                known[pair] = self._asked.fit(held)
            open_to[host] = known[pair]
        return open_to

    def take(self, host: int, demand: Floats) -> None:
        """A task takes `host` for ever."""
        self._change(host, -demand)

    def give_back(self, host: int, demand: Floats) -> None:
        """It does not after all."""
        self._change(host, demand)

    def _first_moment(self, now_s: float, releases: Sequence[ExpectedEnd]) -> float:
        if self._asked.fit(self._held):
            return now_s
        for i, release in enumerate(releases):
            self._change(release.host, release.demand)
            last_of_moment = i + 1 == len(releases) or releases[i + 1].end_s > release.end_s
            if last_of_moment and self._asked.fit(self._held):
                return release.end_s
        return np.inf

    def _change(self, host: int, by: Floats) -> None:
        self._then[host] += by
        self._held[host] = self._holds(host, self._then[host])

    def _holds(self, host: int, room: Floats) -> float:
        """Tasks of the head that `host` holds in `room`, at most all of them."""
        return min(self._asked.tasks, max(0.0, tasks_held(self._demand, room))) if self._may[host] else 0.0
