"""When running tasks are expected to give back what they hold."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from loadmaster.model.arrays import Floats
from loadmaster.model.snapshot import Place, Snapshot

INSTANT_S = 1e-3
"""Nobody asks for a decision so soon after the last one: what is promised for then waits for a job that has outlived
its estimate, or one of no length behind it, and each decision would move it on by the least that a clock can tell."""


class ExpectedEnd(NamedTuple):
    """One task's expected end: `host` gets `demand` float64[R] back at `end_s`."""

    end_s: float
    host: int
    demand: Floats


def right_after(time_s: float) -> float:
    """The first moment after `time_s`.

    Example:
        >>> right_after(60.0) > 60.0
        True
    """
    return math.nextafter(time_s, math.inf)


def releases(snapshot: Snapshot, started: Sequence[Place] = ()) -> list[ExpectedEnd]:
    """The expected ends of all running tasks and of those `started` now, in the order of (expected end, job, task).

    Whoever has outlived the estimate is expected to end right after now.
    """
    queue, running, speed = snapshot.queue, snapshot.running, snapshot.cluster.speed
    assert speed is not None
    row = {int(job): index for index, job in enumerate(queue.job)}
    found = [
        (float(running.expected_end_s[n]), int(running.job[n]), int(running.host[n]), running.demand[n])
        for n in range(len(running.job))
    ]
    for place in started:
        index = row[place.job]
        end_s = float(snapshot.now_s + queue.expected_s[index] / speed[list(place.hosts)].min())
        found += [(end_s, place.job, host, queue.demand[index]) for host in place.hosts]
    found.sort(key=lambda task: task[:2])  # stable: tasks of a job keep their order
    soonest = right_after(snapshot.now_s)
    return [ExpectedEnd(max(end_s, soonest), host, demand) for end_s, _, host, demand in found]
