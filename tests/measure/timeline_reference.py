"""`sweep` in plain Python, bin by bin and event by event: slow, obvious, what the kernel must agree with."""

from itertools import pairwise

import numpy as np

from loadmaster.measure.timeline_kernel import Events, Sums


def sweep_plainly(events: Events, first: float, width: float, sums: Sums) -> None:
    """Fill `sums` as `sweep` does; `events.free` is left as it is."""
    for b in range(len(sums.used)):
        low, high = first + b * width, first + (b + 1) * width
        inside = [float(t) for t in (*events.start, *events.end) if low < t < high]
        moments = sorted({low, high, *inside})
        for begin, until in pairwise(moments):
            used, stranded = state_at(events, begin)
            sums.used[b] += used * (until - begin) / width
            sums.stranded[b] += stranded * (until - begin) / width
            sums.lowest[b] = np.minimum(sums.lowest[b], used)
            sums.highest[b] = np.maximum(sums.highest[b], used)


def state_at(events: Events, moment: float) -> tuple[np.ndarray, np.ndarray]:
    """Amounts used and stranded in all, each float64[R], from `moment` to the next event."""
    free = np.array(events.free)
    running = (events.start <= moment) & (events.end > moment)
    for task in np.flatnonzero(running):
        free[events.host[task]] -= events.demand[events.row[task]]
    resources = len(events.typical)
    used, (free, cards) = (events.free - free)[:, :resources], np.split(free, [resources], axis=1)
    enough = free >= events.typical
    fits = np.array([sum(left >= events.share for left in host) >= events.wanted for host in cards]) & enough.all(
        axis=1
    )
    return used.sum(axis=0), np.where(enough & ~fits[:, None], free, 0.0).sum(axis=0)
