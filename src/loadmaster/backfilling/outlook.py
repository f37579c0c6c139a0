"""What every host has free from now on, as far as running tasks, closures and promises say."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

import numpy as np

from loadmaster.backfilling.releases import ExpectedEnd, right_after
from loadmaster.model.arrays import Floats
from loadmaster.model.snapshot import Closure


class Outlook:
    """Steps of (time, free float64[R]) for each of H hosts, the last one lasting for ever."""

    def __init__(self, now_s: float, free: Floats, releases: Iterable[ExpectedEnd]) -> None:
        """Args:
        now_s: when the first step begins.
        free: float64[H, R], what is free now.
        releases: what running tasks give back, in the order of time.
        """
        self._time = [[now_s] for _ in free]
        self._free = [[row.copy()] for row in free]
        for release in releases:
            times, steps = self._time[release.host], self._free[release.host]
            if times[-1] < release.end_s:
                times.append(release.end_s)
                steps.append(steps[-1].copy())
            steps[-1] += release.demand

    def moments(self, closures: Sequence[Closure] = ()) -> list[float]:
        """Every moment at which a host's free amounts change, a closure ends, and now."""
        now_s = self._time[0][0]
        found = {time for times in self._time for time in times}
        shut = {time for closure in closures for time in (closure.from_s, closure.to_s) if now_s < time < np.inf}
        return sorted(found | shut)

    def least(self, start_s: float, end_s: float) -> Floats:
        """float64[H, R]: the least that every host has free from `start_s` until `end_s`."""
        return np.array(
            [
                np.min(free[bisect_right(times, start_s) - 1 : bisect_left(times, end_s)], axis=0)
                for times, free in zip(self._time, self._free, strict=True)
            ]
        )

    def hold(self, host: int, start_s: float, end_s: float, demand: Floats) -> None:
        """Take `demand` on `host` from `start_s` until `end_s`."""
        first, last = self._step_at(host, start_s), self._step_at(host, end_s)
        for step in self._free[host][first:last]:
            step -= demand

    def _step_at(self, host: int, time_s: float) -> int:
        times, free = self._time[host], self._free[host]
        at = bisect_left(times, time_s)
        if at == len(times) or times[at] != time_s:
            times.insert(at, time_s)
            free.insert(at, free[at - 1].copy())
        return at


def end_of(start_s: float, expected_s: float) -> float:
    """When a job is expected to end that starts at `start_s`: always after it.

    Example:
        >>> end_of(10.0, 5.0), end_of(10.0, 0.0) > 10.0
        (15.0, True)
    """
    return max(start_s + expected_s, right_after(start_s))
