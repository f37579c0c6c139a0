"""The state of an order for jobs that are not known in advance. It is kept as jobs come and go."""

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from loadmaster.live.queue.listing import workload_in
from loadmaster.live.queue.rows import alike
from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.snapshot import Need
from loadmaster.order import AnyOrder, JobColumns, Ranking
from loadmaster.order.order import columns_of, tick_until

Row = Mapping[str, Any]


class OrderView(NamedTuple):
    """What an order says of the Q rows of a queue; nothing, where it is not asked: then jobs go by their arrival.

    Attributes:
        ranks: float64[Q].
        need: groups that are served by need.
        columns: what orders may know of each row, for a discipline that tries several.
    """

    ranks: Floats | None = None
    need: Need | None = None
    columns: JobColumns | None = None


class OrderState:
    """A ranking whose jobs change.

    It is told of jobs by the engine's names of them. The last job of every user and account stays known when it is
    over, so that what they have used is not forgotten.
    """

    def __init__(self, order: AnyOrder) -> None:
        self._order = order
        self._ranking: Ranking | None = None
        self._row: dict[str, int] = {}
        self._last: dict[tuple[int, int], tuple[str, Row]] = {}  # of each user and account, a job of its own
        self._ticked_s = 0.0

    def know(self, jobs: Mapping[str, Row], cluster: Cluster, names: Mapping[str, list[str]]) -> None:
        """These are the jobs from now on, in the order of arrival; ends of others have been told before.

        Raises:
            InputError: the order has a memory that it cannot take along.
        """
        self._last |= {(row.get("user", -1), row.get("project", 0)): (name, row) for name, row in jobs.items()}
        every = {name: row for name, row in self._last.values() if name not in jobs} | dict(jobs)
        order = sorted(every, key=lambda name: every[name]["submit_s"])
        ranking = self._order.begin(workload_in(cluster, alike([every[name] for name in order]), names), cluster)
        if self._ranking is not None:
            self._take_along(ranking, np.array([self._row.get(name, -1) for name in order], np.int64))
        self._ranking, self._row = ranking, {name: row for row, name in enumerate(order)}

    def tick(self, until_s: float) -> None:
        """Time has passed until then."""
        if self._ranking is not None:
            self._ticked_s = tick_until(self._ranking, self._ticked_s, until_s)

    def submitted(self, name: str, now_s: float) -> None:
        """A job has come, or may start for the first time."""
        self._at_work().submitted(self._row[name], now_s)

    def started(self, name: str, now_s: float) -> None:
        """It has been given its hosts."""
        self._at_work().started(self._row[name], now_s)

    def ended(self, name: str, now_s: float) -> None:
        """It has given them back."""
        self.tick(math.nextafter(now_s, -math.inf))
        self._at_work().ended(self._row[name], now_s)

    def ranks(self, names: Sequence[str], now_s: float) -> Floats | None:
        """float64[Q] of waiting jobs; None: by arrival."""
        return self._at_work().ranks(self._rows(names), now_s)

    def need(self, names: Sequence[str]) -> Need | None:
        """Groups that are served by need; None: by rank alone."""
        return self._at_work().need(self._rows(names))

    def columns(self, names: Sequence[str]) -> JobColumns | None:
        """What orders may know of waiting jobs, for a discipline that tries several; None for others."""
        return columns_of(self._at_work(), self._rows(names))

    def view(self, names: Sequence[str], now_s: float) -> OrderView:
        """All of that; what an order calculates when it is asked depends on when that was."""
        return OrderView(self.ranks(names, now_s), self.need(names), self.columns(names))

    def copied(self) -> "OrderState":
        """One that goes its own way from here."""
        return copy.deepcopy(self)

    def _take_along(self, ranking: Ranking, was: Longs) -> None:
        resume = getattr(ranking, "resume", None)
        if resume is None:
            fix = "give its ranking a method resume(before, was), as loadmaster.order.IgnoresEvents has"
            raise InputError(self._order.name, "this order cannot take its memory to jobs that come later", fix=fix)
        resume(self._ranking, was)

    def _rows(self, names: Sequence[str]) -> Longs:
        return np.array([self._row[name] for name in names], np.int64)

    def _at_work(self) -> Ranking:
        assert self._ranking is not None
        return self._ranking
