"""The free capacity of each host from now on, as far as running tasks, closures and reservations determine it."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import lt

from loadmaster.backfilling.releases import right_after
from loadmaster.model.amounts import Amounts, minus, plus
from loadmaster.model.snapshot import Closure, ExpectedEnd


class Availability:
    """Steps of (time, R free amounts) for each of H hosts, the last one lasting for ever.

    Attributes:
        most: R amounts of each host, the most that it ever has free: once all running tasks have ended.
    """

    def __init__(self, now_s: float, free: Sequence[Amounts], releases: Iterable[ExpectedEnd]) -> None:
        """Args:
        now_s: when the first step begins.
        free: R amounts of each of H hosts, what is free now.
        releases: what running tasks give back, in the order of time.
        """
        self._time = [[now_s] for _ in free]
        self._free = [[room] for room in free]
        for release in releases:
            times, steps = self._time[release.host], self._free[release.host]
            if times[-1] < release.end_s:
                times.append(release.end_s)
                steps.append(steps[-1])
            steps[-1] = plus(steps[-1], release.demand)
        self.most = [steps[-1] for steps in self._free]

    def moments(self, closures: Sequence[Closure] = ()) -> list[float]:
        """Every moment at which a host's free amounts change, a closure ends, and now."""
        now_s = self._time[0][0]
        found = set().union(*self._time) - {math.inf}  # the end of a job without a limit is no moment
        shut = {time for closure in closures for time in (closure.from_s, closure.to_s) if now_s < time < math.inf}
        return sorted(found | shut)

    def least(self, host: int, start_s: float, end_s: float) -> Amounts:
        """The least that `host` has free of each resource from `start_s` until `end_s`."""
        times, steps = self._time[host], self._free[host]
        first, last = bisect_right(times, start_s) - 1, bisect_left(times, end_s)
        return steps[first] if last - first == 1 else tuple(map(min, *steps[first:last]))

    def first_fit(self, host: int, demand: Amounts, lasts_s: float) -> float:
        """The first moment from which on `host` has `demand` free for `lasts_s`; infinite if there is none."""
        times, start_s = self._time[host], self._time[host][0]
        end_s = end_of(start_s, lasts_s)
        for step, free in enumerate(self._free[host], 1):
            if times[step - 1] >= end_s:
                break
            if any(map(lt, free, demand)):
                start_s = times[step] if step < len(times) else math.inf
                end_s = end_of(start_s, lasts_s)
        return start_s

    def hold(self, host: int, start_s: float, end_s: float, demand: Amounts) -> None:
        """Take `demand` on `host` from `start_s` until `end_s`."""
        first, last = self._step_at(host, start_s), self._step_at(host, end_s)
        steps = self._free[host]
        steps[first:last] = [minus(step, demand) for step in steps[first:last]]

    def release(self, host: int, start_s: float, end_s: float, demand: Amounts) -> None:
        """Give back the capacity that `hold` took."""
        first, last = self._step_at(host, start_s), self._step_at(host, end_s)
        steps = self._free[host]
        steps[first:last] = [plus(step, demand) for step in steps[first:last]]

    def _step_at(self, host: int, time_s: float) -> int:
        times, free = self._time[host], self._free[host]
        at = bisect_left(times, time_s)
        if at == len(times) or times[at] != time_s:
            times.insert(at, time_s)
            free.insert(at, free[at - 1])
        return at


def end_of(start_s: float, expected_s: float) -> float:
    """The expected end of a job that starts at `start_s`: always after it.

    Example:
        >>> end_of(10.0, 5.0), end_of(10.0, 0.0) > 10.0
        (15.0, True)
    """
    end_s = start_s + expected_s
    return end_s if end_s > start_s else right_after(start_s)
