"""Amounts of the whole cluster from now on, such as licences: what running jobs and reservations leave (rule C13)."""

from collections.abc import Sequence
from itertools import takewhile
from operator import lt

from loadmaster.backfilling.availability import Availability, end_of
from loadmaster.backfilling.releases import right_after
from loadmaster.model.amounts import Amounts
from loadmaster.model.snapshot import BY_END, Snapshot


class ClusterWide:
    """W amounts that belong to no host; `row` is a job's place in the queue."""

    def __init__(self, snapshot: Snapshot) -> None:
        assert snapshot.left is not None
        soonest_s, many = right_after(snapshot.now_s), snapshot.cluster_wide
        ends = [end if end.end_s > soonest_s else end._replace(end_s=soonest_s) for end in snapshot.cluster_wide_ends]
        changes = sorted([*ends, *snapshot.cluster_wide_changes], key=BY_END)
        self._availability = Availability(snapshot.now_s, tuple(snapshot.left[:many].tolist()), changes)
        uses = snapshot.queue.uses or ((),) * len(snapshot.queue)
        self._amounts = [amounts_of(each, many) for each in uses]

    def counts(self, row: int) -> bool:
        """Whether the job requests any of the amounts."""
        return any(self._amounts[row])

    def fits(self, row: int, start_s: float, lasts_s: float) -> bool:
        """Whether the amounts of the job are there from `start_s` on for so long."""
        if not self.counts(row):
            return True
        least = self._availability.least(start_s, end_of(start_s, lasts_s))
        return not any(map(lt, least, self._amounts[row]))

    def hold(self, row: int, start_s: float, end_s: float) -> None:
        """Take the amounts of the job for that time."""
        if self.counts(row):
            self._availability.hold(start_s, end_s, self._amounts[row])

    def release(self, row: int, start_s: float, end_s: float) -> None:
        """Give back what `hold` took."""
        if self.counts(row):
            self._availability.release(start_s, end_s, self._amounts[row])

    def moments(self) -> list[float]:
        """The moments at which an amount changes, and now."""
        return self._availability.moments()


def amounts_of(uses: Sequence[tuple[int, float]], many: int) -> Amounts:
    """Of the uses of limits the first `many`, one amount each; uses of these stand first.

    Example:
        >>> amounts_of(((1, 2.0), (4, 1.0)), 3)
        (0.0, 2.0, 0.0)
    """
    amounts = dict(takewhile(lambda use: use[0] < many, uses))
    return tuple(amounts.get(number, 0.0) for number in range(many))
