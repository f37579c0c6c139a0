"""When running tasks are expected to give back their capacity."""

import math
from bisect import bisect_right
from collections.abc import Mapping

from loadmaster.model.snapshot import BY_END, END_S, ExpectedEnd, Place, Snapshot, ends_of, ends_of_each

INSTANT_S = 1e-3
"""No new decision follows sooner than this after the last one. A reservation for that moment waits for a job that
has outlived its estimate, or for a job of length zero behind it; each decision would move it on by the smallest
clock step."""


def right_after(time_s: float) -> float:
    """The first moment after `time_s`.

    Example:
        >>> right_after(60.0) > 60.0
        True
    """
    return math.nextafter(time_s, math.inf)


def releases(snapshot: Snapshot, started: Mapping[int, Place]) -> list[ExpectedEnd]:
    """The expected ends of all running jobs and of those `started` now, host by host, by (expected end, job).

    A job that has outlived its estimate is expected to end right after now.

    Args:
        snapshot: the moment.
        started: by row of its queue.
    """
    ends, queue = list(snapshot.running.ends), snapshot.queue
    for row, place in started.items():
        end_s = snapshot.now_s + queue.runtimes_s[row] / snapshot.cluster.slowest(place.hosts)
        if place.cards:
            ends += ends_of_each(place.job, end_s, place.hosts, queue.requests[row].each(place.cards))
        else:
            ends += ends_of(place.job, end_s, place.hosts, queue.requests[row].demand)
    if started:
        ends.sort(key=BY_END)
    soonest = right_after(snapshot.now_s)
    late = bisect_right(ends, soonest, key=END_S)
    return [*(end._replace(end_s=soonest) for end in ends[:late]), *ends[late:]] if late else ends
