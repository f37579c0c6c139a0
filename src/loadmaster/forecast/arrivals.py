"""Jobs that may arrive later: those of past weeks from the same hour of the week on (rule F3)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadmaster.measure.resample import WEEK_S
from loadmaster.model.arrays import Floats, Longs

DAY_S = 86400.0
QUIET_S = 6 * 3600.0
"""A log whose last arrival is at most so much earlier than the end of a piece covers the piece."""


class DrawnArrivals(NamedTuple):
    """A jobs that arrive.

    Attributes:
        rows: int64[A], the job of the table that each repeats.
        submit_s: float64[A], when each arrives, ascending.
        copy: int64[A], which piece of the past each belongs to, from 1 up.
    """

    rows: Longs
    submit_s: Floats
    copy: Longs


NO_ARRIVALS = DrawnArrivals(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64))


@dataclass(frozen=True, eq=False)
class PastArrivals:
    """The arrivals of a log, from which those after a moment are drawn.

    Attributes:
        rows: int64[L], rows of the log's jobs in the table, in the order of arrival.
        submit_s: float64[L], when they arrived.
        now_s: the moment after which arrivals are drawn.
        period_s: a week; a day where the log holds no whole week.
        back: int64[K], by how many periods a piece of the log may be moved: its pieces are whole.
    """

    rows: Longs
    submit_s: Floats
    now_s: float
    period_s: float
    back: Longs

    def after(self, horizon_s: float, rng: np.random.Generator) -> DrawnArrivals:
        """Jobs that arrive in the `horizon_s` after the moment: for each period a piece of the past, moved."""
        pieces = []
        for piece in range(int(np.ceil(horizon_s / self.period_s)) if horizon_s > 0 else 0):
            back = int(rng.choice(self.back))
            moved_s = (back + piece) * self.period_s
            begin_s = self.now_s - back * self.period_s
            end_s = min(begin_s + self.period_s, self.now_s + horizon_s - moved_s)
            first, last = np.searchsorted(self.submit_s, [begin_s, end_s], side="right")
            size = max(int(last - first), 0)
            pieces.append((self.rows[first : first + size], self.submit_s[first : first + size] + moved_s, piece + 1))
        if not pieces:
            return NO_ARRIVALS
        return DrawnArrivals(
            np.concatenate([rows for rows, *_ in pieces]),
            np.concatenate([submit_s for _, submit_s, _ in pieces]),
            np.concatenate([np.full(rows.size, number) for rows, _, number in pieces]),
        )


def past_arrivals(rows: Longs, submit_s: Floats, now_s: float) -> PastArrivals | None:
    """The arrivals before `now_s`; None of a log that holds no whole day.

    Args:
        rows: int64[L], rows of the log's jobs in the table, in the order of arrival.
        submit_s: float64[L], when they arrived.
        now_s: the moment after which arrivals are to be drawn; later ones are not looked at.
    """
    known = int(np.searchsorted(submit_s, now_s, side="right"))
    rows, submit_s = rows[:known], submit_s[:known]
    if not known:
        return None
    for period_s in (WEEK_S, DAY_S):
        back = np.arange(1, int((now_s - submit_s[0]) // period_s) + 1)
        back = back[now_s - (back - 1) * period_s <= submit_s[-1] + QUIET_S]
        if back.size:
            return PastArrivals(rows, submit_s, now_s, period_s, back)
    return None
