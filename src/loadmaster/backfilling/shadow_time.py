"""A shadow time: the moment at which enough hosts for a job will be free, whichever they are (rule Q6)."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from loadmaster.model.amounts import Amounts, minus, plus
from loadmaster.model.arrays import Bools
from loadmaster.model.on_demand import EntriesOnDemand
from loadmaster.model.request import RowRequest
from loadmaster.model.snapshot import END_S, ExpectedEnd


class ShadowTime:
    """The reservation of a head at `shadow_s`, and what other jobs may take of the hosts without breaking it.

    Tasks of one job are equal, so it is enough to count how many of them each host holds. A job that outlasts the
    shadow time may take any hosts that leave enough of these.

    Attributes:
        shadow_s: the first moment at which the head fits, if every running task ends when expected; infinite if never.
    """

    def __init__(
        self,
        request: RowRequest,
        may: Bools | None,
        now_s: float,
        free: list[Amounts],
        releases: Sequence[ExpectedEnd],
        cluster_wide: Callable[[float], bool] | None = None,
        moments: Iterable[float] = (),
    ) -> None:
        """Args:
        request: what the head requests.
        may: bool[H], hosts that the head may use; None: all.
        now_s: the clock.
        free: R amounts of each of H hosts, what is free now, and C of its cards (rule Q22); changed from then on.
        releases: what running tasks give back, in the order of time.
        cluster_wide: whether what the head asks of the whole cluster is there from a moment on; None: always.
        moments: at which that may change, beside those of `releases`.
        """
        self._request, self._asked, self._then = request, request.asked, free
        self._binds = request.asked.binds
        self._may: list[bool] | None = None if may is None else may.tolist()
        tasks = request.asked.tasks
        # Tasks of the head by what a host has: many hosts are alike.
        self._known = EntriesOnDemand[Amounts, float](lambda room: min(tasks, max(0.0, request.held_in(room))))
        self._held = list(map(self._known.__getitem__, free))
        if self._may is not None:
            self._held = [held if fine else 0.0 for held, fine in zip(self._held, self._may, strict=True)]
        self._sum = sum(self._held)
        self.shadow_s = self._first_moment(sorted({now_s, *map(END_S, releases), *moments}), releases, cluster_wide)

    @property
    def slack(self) -> float:
        """How many more tasks of the head the hosts hold at the shadow time than it has."""
        return self._sum - self._asked.tasks

    def allows(self, host: int, demand: Sequence[float]) -> bool:
        """Whether a task that takes the amounts `demand` may hold `host` past the shadow time."""
        before = self._held[host]
        after = self._holds(host, minus(self._then[host], demand))
        if not self._binds:
            return before - after <= self.slack
        held = np.array(self._held)
        held[host] = after
        return self._asked.fit(held)

    def cost_of_cards(self, host: int, share: float) -> list[float]:
        """How many tasks of the head each card of `host` holds less if a task takes `share` of it."""
        cards, own = self._then[host][len(self._request.demand) :], self._request.share
        if not self._request.wanted or not self._held[host]:
            return [0.0] * len(cards)
        return [float(math.floor(left / own) - math.floor((left - share) / own)) for left in cards]

    def take(self, host: int, demand: Sequence[float]) -> None:
        """Let a task that takes the amounts `demand` hold `host` past the shadow time."""
        self._change(host, minus(self._then[host], demand))

    def give_back(self, host: int, demand: Sequence[float]) -> None:
        """Undo `take`."""
        self._change(host, plus(self._then[host], demand))

    def _first_moment(
        self, moments: Sequence[float], releases: Sequence[ExpectedEnd], cluster_wide: Callable[[float], bool] | None
    ) -> float:
        given_back = 0
        for moment_s in moments:
            while given_back < len(releases) and releases[given_back].end_s <= moment_s:
                self.give_back(releases[given_back].host, releases[given_back].demand)
                given_back += 1
            if self._fits() and (cluster_wide is None or cluster_wide(moment_s)):
                return moment_s
        return math.inf

    def _fits(self) -> bool:
        return self._asked.fit(np.array(self._held)) if self._binds else self.slack >= 0

    def _change(self, host: int, room: Amounts) -> None:
        before, held = self._held[host], self._holds(host, room)
        self._then[host], self._held[host] = room, held
        self._sum += held - before

    def _holds(self, host: int, room: Amounts) -> float:
        """Tasks of the head that `host` holds in `room`, at most all of them."""
        return self._known[room] if self._may is None or self._may[host] else 0.0
