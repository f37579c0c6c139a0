"""When running tasks are expected to give back their capacity."""

import math
from collections.abc import Sequence
from itertools import chain

from loadmaster.model.snapshot import BY_END, ExpectedEnd, Place, Snapshot, ends_of, ends_of_each

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


def releases(snapshot: Snapshot, started: Sequence[Place] = ()) -> list[ExpectedEnd]:
    """The expected ends of all running jobs and of those `started` now, host by host, by (expected end, job).

    A job that has outlived its estimate is expected to end right after now.
    """
    ends, queue = snapshot.running.ends, snapshot.queue
    if started:
        row = {job: index for index, job in enumerate(queue.job.tolist())}
        fresh: list[ExpectedEnd] = []
        for place in started:
            index = row[place.job]
            end_s = snapshot.now_s + float(queue.expected_s[index]) / snapshot.cluster.slowest(place.hosts)
            request = queue.requests[index]
            if place.cards:
                fresh += ends_of_each(place.job, end_s, place.hosts, request.each(place.cards))
            else:
                fresh += ends_of(place.job, end_s, place.hosts, request.demand)
        ends = sorted(chain(ends, fresh), key=BY_END)
    soonest = right_after(snapshot.now_s)
    return [end if end.end_s > soonest else end._replace(end_s=soonest) for end in ends]
