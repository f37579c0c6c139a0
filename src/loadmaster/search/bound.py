"""A lower bound on the mean wait of a queue: the Lagrangian bound (rules D4 to D8)."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats
from loadmaster.search.bound_kernel import PricedJobs, Prices, Starts, cheapest_starts, use_of
from loadmaster.search.greedy import lengths, listed
from loadmaster.search.rigid import Rigid, rigid_of

BUDGET_S = 10.0
_FINEST, _COARSER, _LEVELS = 8192, 4, 3
_ROUNDING = 2.0**-42
"""What rounding can add to the part of one job, over all that is paid: far more than it ever does."""


@dataclass(frozen=True, eq=False)
class Bound:
    """No schedule of these jobs on these hosts has a lower mean wait.

    Attributes:
        mean_wait_s: the bound, from arrival to start, over the `jobs` that can ever run.
        jobs: how many these are.
        start_s: float64[J], when each would start if it paid the prices; no schedule, but a hint at a good one.
        width_s: seconds of a bucket.
        steps: prices that were tried.
        settled: the bound had stopped rising before the time was over.
    """

    mean_wait_s: float
    jobs: int
    start_s: Floats
    width_s: float
    steps: int
    settled: bool


def bound(workload: Workload, cluster: Cluster, *, within_s: float = BUDGET_S) -> Bound:
    """The highest bound that `within_s` seconds of processor time find.

    Raises:
        InputError: jobs may be stopped and run again, or none can run.
    """
    return bound_of(rigid_of(workload, cluster), within_s=within_s)


def bound_of(queue: Rigid, *, within_s: float = BUDGET_S, clock: Callable[[], float] = time.thread_time) -> Bound:
    """A bound below the mean wait of a queue of rigid jobs, as `bound` finds it, within `within_s` of CPU time."""
    began = clock()
    ascent = Ascent(queue)
    for level in range(1, _LEVELS + 1):
        ascent.climb(clock, until=began + within_s * level / _LEVELS)
        if level < _LEVELS:
            ascent.refine(_COARSER)
    late_s = float(queue.late_s.mean())
    return Bound(
        late_s + max(ascent.best, 0.0) / queue.jobs,
        queue.jobs,
        ascent.start_s(),
        ascent.width,
        ascent.steps,
        ascent.settled,
    )


class Ascent:
    """Prices that climb along subgradients (Held, Wolfe and Crowder 1974), and the best of them."""

    def __init__(self, queue: Rigid) -> None:
        self.late_s = queue.late_s
        self._first_s = float(queue.ready_s.min())
        total = queue.capacity * queue.hosts[:, None]
        held = queue.demand * queue.tasks[:, None]
        share = held[:, None, :] / np.where(total > 0, total, 1.0)
        self.jobs = PricedJobs(queue.ready_s - self._first_s, queue.lasts_s, np.ascontiguousarray(share))
        shortest = queue.lasts_s.min(axis=1)
        some = listed(queue, lengths(queue), 0)  # no job need start later than this: afterwards nothing is scarce
        span = float((some.start_s - self._first_s).max() + shortest.mean())
        buckets = max(min(_FINEST, 8 * queue.jobs) // _COARSER ** (_LEVELS - 1), 4)
        self.width = span / buckets
        self.price = np.zeros((*share.shape[1:], buckets))
        self.best, self.best_price = 0.0, self.price
        self.rise = 0.05 * float(shortest.mean()) * queue.jobs
        self.steps, self.settled = 0, False

    def climb(self, clock: Callable[[], float], until: float) -> None:
        """Steps towards a target a little above the best, which moves with what is reached."""
        price, direction = self.best_price, np.zeros_like(self.best_price)
        since, floor = 0, 1e-5 * self.rise
        while clock() <= until and self.rise > floor:
            value, uphill = self.at(price)
            if value > self.best:
                if value - self.best > 0.3 * self.rise:
                    self.rise *= 1.5
                    since = 0
                self.best, self.best_price = value, price
            since += 1
            if since >= 15:
                self.rise *= 0.7
                price, since = self.best_price, 0
                direction[:] = 0.0
                value, uphill = self.at(price)
            uphill = np.where((price <= 0.0) & (uphill < 0.0), 0.0, uphill)
            direction = 0.5 * direction + 0.5 * uphill
            length = float((direction**2).sum())
            if length <= 0.0:
                break
            price = np.maximum(price + (self.best + self.rise - value) / length * direction, 0.0)

    def refine(self, parts: int) -> None:
        """Narrower buckets at the same prices: the bound stays what it is."""
        self.best_price = np.repeat(self.best_price, parts, axis=2)
        self.width /= parts

    def start_s(self) -> Floats:
        """float64[J]: when each job would start at the best prices."""
        return np.asarray(self._starts(self.best_price).start + self._first_s)

    def at(self, price: Floats) -> tuple[float, Floats]:
        """The bound at these prices, and a direction in which it may rise."""
        self.steps += 1
        starts = self._starts(price)
        use = np.empty((*price.shape[:2], price.shape[2] + 1))
        use_of(self.jobs, starts, self.width, use)
        income = float(price.sum()) * self.width
        value = float(starts.cost.sum()) - income - len(starts.cost) * _ROUNDING * income
        return value, use[:, :, :-1] - self.width

    def _starts(self, price: Floats) -> Starts:
        jobs = len(self.jobs.ready)
        starts = Starts(np.empty(jobs), np.empty(jobs, np.int32), np.empty(jobs))
        padded = np.pad(price, ((0, 0), (0, 0), (0, 1)))
        paid = np.zeros_like(padded)
        np.cumsum(price * self.width, axis=2, out=paid[:, :, 1:])
        cheapest_starts(self.jobs, Prices(padded, paid), self.width, starts)
        return starts
