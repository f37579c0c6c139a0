"""The free capacity from now on, as far as running tasks, closures and reservations determine it."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import lt

from loadmaster.backfilling.releases import right_after
from loadmaster.model.amounts import Amounts, minus, plus
from loadmaster.model.snapshot import Closure, ExpectedEnd


class Availability:
    """Steps of (time, R free amounts) for one host, or for all hosts together; the last step lasts for ever.

    Attributes:
        most: R amounts, the most that is ever free: once all running tasks have ended.
        grows: ever more is free, as nothing is held.
    """

    def __init__(self, now_s: float, free: Amounts, releases: Iterable[ExpectedEnd]) -> None:
        """Args:
        now_s: when the first step begins.
        free: R amounts, what is free now.
        releases: what running tasks give back, in the order of time; their hosts are not looked at.
        """
        times, steps = [now_s], [free]
        for end_s, _, _, demand in releases:
            free = plus(free, demand)
            if end_s > times[-1]:
                times.append(end_s)
                steps.append(free)
            else:
                steps[-1] = free
        self._time, self._free = times, steps
        self.most, self.grows = free, True

    def moments(self, closures: Sequence[Closure] = ()) -> list[float]:
        """Every moment at which the free amounts change, a closure ends, and now."""
        now_s = self._time[0]
        found = set(self._time) - {math.inf}  # the end of a job without a limit is no moment
        shut = {time for closure in closures for time in (closure.from_s, closure.to_s) if now_s < time < math.inf}
        return sorted(found | shut)

    def least(self, start_s: float, end_s: float) -> Amounts:
        """The least that is free of each resource from `start_s` until `end_s`."""
        first, last = bisect_right(self._time, start_s) - 1, bisect_left(self._time, end_s)
        return self._free[first] if last - first == 1 else tuple(map(min, *self._free[first:last]))

    def first_fit(self, demand: Amounts, lasts_s: float) -> float:
        """The first moment from which on `demand` is free for `lasts_s`; infinite if there is none."""
        start_s: float = math.inf  # from when on it fits so far, and until when it must
        end_s: float = math.inf
        for time_s, free in zip(self._time, self._free, strict=True):
            if time_s >= end_s:
                break
            if free[0] < demand[0] or any(map(lt, free, demand)):
                start_s = end_s = math.inf
            elif self.grows:
                return time_s
            elif start_s == math.inf:
                start_s, end_s = time_s, end_of(time_s, lasts_s)
        return start_s

    def hold(self, start_s: float, end_s: float, demand: Amounts) -> None:
        """Take `demand` from `start_s` until `end_s`."""
        self.grows = False
        first, last = self._step_at(start_s), self._step_at(end_s)
        self._free[first:last] = [minus(step, demand) for step in self._free[first:last]]

    def release(self, start_s: float, end_s: float, demand: Amounts) -> None:
        """Give back the capacity that `hold` took."""
        first, last = self._step_at(start_s), self._step_at(end_s)
        self._free[first:last] = [plus(step, demand) for step in self._free[first:last]]

    def _step_at(self, time_s: float) -> int:
        at = bisect_left(self._time, time_s)
        if at == len(self._time) or self._time[at] != time_s:
            self._time.insert(at, time_s)
            self._free.insert(at, self._free[at - 1])
        return at


def end_of(start_s: float, expected_s: float) -> float:
    """The expected end of a job that starts at `start_s`: always after it.

    Example:
        >>> end_of(10.0, 5.0), end_of(10.0, 0.0) > 10.0
        (15.0, True)
    """
    end_s = start_s + expected_s
    return end_s if end_s > start_s else right_after(start_s)
