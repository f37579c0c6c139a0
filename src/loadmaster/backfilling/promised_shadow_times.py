"""The shadow times that a pass has promised, and what each holds of the whole cluster (rules Q6 and C13)."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from loadmaster.backfilling.availability import end_of
from loadmaster.backfilling.cluster_wide import ClusterWide
from loadmaster.backfilling.shadow_time import ShadowTime
from loadmaster.model.snapshot import ExpectedEnd, Snapshot
from loadmaster.place.room import Room


class PromisedShadowTimes:
    """By row of the queue, in the order of their promises."""

    def __init__(self, snapshot: Snapshot, room: Room, cluster_wide: ClusterWide | None) -> None:
        self._snapshot, self._room, self._cluster_wide = snapshot, room, cluster_wide
        self._by_row: dict[int, ShadowTime] = {}

    def __iter__(self) -> Iterator[int]:
        """The rows."""
        return iter(self._by_row)

    def beside(self, row: int | None) -> list[ShadowTime]:
        """All but that of `row`."""
        return [shadow for other, shadow in self._by_row.items() if other != row]

    def share_hosts_with(self, row: int) -> bool:
        """Whether one of them counts some of the hosts that the row may use."""
        return any((self._room.hosts_of(row) & self._room.hosts_of(other)).any() for other in self._by_row)

    def of(self, row: int, releases: Sequence[ExpectedEnd]) -> ShadowTime:
        """The shadow time of a row that has none; nothing holds it yet."""
        wide, moments = self._cluster_wide, list[float]()
        fits: Callable[[float], bool] | None = None
        if wide is not None and wide.counts(row):
            moments, fits = wide.moments(), partial(wide.fits, row, lasts_s=self._longest_s(row))
        may = self._room.restricted_to(row)
        amounts = list(self._room.amounts)
        request, now_s = self._snapshot.queue.requests[row], self._snapshot.now_s
        return ShadowTime(request, may, now_s, amounts, releases, fits, moments)

    def add(self, row: int, shadow: ShadowTime) -> None:
        """Promise the row this shadow time."""
        self._by_row[row] = shadow
        self.hold(row)

    def hold(self, row: int) -> None:
        """Hold what the row asks of the whole cluster from its shadow time on."""
        if self._cluster_wide is not None and (start_s := self._by_row[row].shadow_s) < math.inf:
            self._cluster_wide.hold(row, start_s, end_of(start_s, self._longest_s(row)))

    def release(self, row: int) -> None:
        """Undo `hold`."""
        if self._cluster_wide is not None and (start_s := self._by_row[row].shadow_s) < math.inf:
            self._cluster_wide.release(row, start_s, end_of(start_s, self._longest_s(row)))

    def forget(self, row: int) -> bool:
        """Drop that of the row; returns whether there was one."""
        if row in self._by_row:
            self.release(row)
        return self._by_row.pop(row, None) is not None

    def clear(self) -> None:
        """Drop all; what they hold is released before."""
        self._by_row.clear()

    def _longest_s(self, row: int) -> float:
        """The runtime on the slowest hosts of the cluster: which hosts a shadow time gives is not known."""
        assert self._snapshot.cluster.speed is not None
        return self._snapshot.queue.runtimes_s[row] / float(self._snapshot.cluster.speed.min())
