"""The inner minimum of the bound: where each job would start if it paid the prices (rule D4)."""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

from loadmaster.jit.kernels import cached_njit, inner
from loadmaster.model.arrays import Floats, Ints


class PricedJobs(NamedTuple):
    """J jobs on C classes with R resources.

    Attributes:
        ready: float64[J], seconds from the beginning of the first bucket, zero or more.
        lasts: float64[J, C], more than zero; infinite where the job may not run.
        share: float64[J, C, R], the part of all that the class has that the whole job holds.
    """

    ready: Floats
    lasts: Floats
    share: Floats


class Prices(NamedTuple):
    """Prices of B buckets of `width` seconds, and none afterwards.

    Attributes:
        price: float64[C, R, B + 1], for holding all of it for a second, zero or more; the last is 0.
        paid: float64[C, R, B + 1], for holding all of it from the beginning until each bucket.
    """

    price: Floats
    paid: Floats


class Starts(NamedTuple):
    """What is filled in: float64[J] when each job starts, int32[J] on which class, float64[J] wait and price."""

    start: Floats
    on: Ints
    cost: Floats


@inner
def paid_until(prices, share, j, c, bucket, beyond):
    """For all that job j holds of class c: from the beginning until `beyond` seconds into `bucket`."""
    last = prices.price.shape[2] - 1
    if bucket >= last:
        bucket, beyond = last, 0.0
    total = 0.0
    for r in range(prices.price.shape[1]):
        total += share[j, c, r] * (prices.paid[c, r, bucket] + beyond * prices.price[c, r, bucket])
    return total


@cached_njit(nogil=True, error_model="numpy")
def cheapest_starts(jobs, prices, width, starts):
    """Give every job the start and the class of the least wait and price; the earliest, then the lowest, of equals.

    Cost is linear between the moments at which start or end meets the edge of a bucket, so only these are tried, and
    the earliest start; a wait that alone is dearer than the best ends the search.
    """
    last = prices.price.shape[2] - 1
    for j in range(jobs.ready.shape[0]):
        best, best_start, best_on = float("inf"), 0.0, -1
        for c in range(jobs.lasts.shape[1]):
            lasts = jobs.lasts[j, c]
            if lasts == float("inf"):
                continue
            ready = jobs.ready[j]
            bucket = int(min(ready / width, last + 1.0))
            whole = int(min(lasts / width, last + 1.0))
            rest = max(lasts - whole * width, 0.0) if whole <= last else 0.0
            end = int(min((ready + lasts) / width, last + 1.0))
            cost = paid_until(prices, jobs.share, j, c, end, ready + lasts - end * width)
            cost -= paid_until(prices, jobs.share, j, c, bucket, ready - bucket * width)
            if cost < best:
                best, best_start, best_on = cost, ready, c
            while bucket <= last:
                start = bucket * width
                wait = start - ready
                if wait >= best:
                    break
                if wait > 0.0:
                    cost = wait + paid_until(prices, jobs.share, j, c, bucket + whole, rest)
                    cost -= paid_until(prices, jobs.share, j, c, bucket, 0.0)
                    if cost < best:
                        best, best_start, best_on = cost, start, c
                wait += width - rest
                if wait > 0.0:
                    cost = wait + paid_until(prices, jobs.share, j, c, bucket + whole + 1, 0.0)
                    cost -= paid_until(prices, jobs.share, j, c, bucket, width - rest)
                    if cost < best:
                        best, best_start, best_on = cost, start + (width - rest), c
                bucket += 1
        starts.start[j], starts.on[j], starts.cost[j] = best_start, best_on, best


@cached_njit(nogil=True, error_model="numpy")
def use_of(jobs, starts, width, use):
    """Write into `use` float64[C, R, B + 1] the seconds in which each bucket would be all held; the last is junk."""
    last = use.shape[2] - 1
    use[:] = 0.0
    for j in range(jobs.ready.shape[0]):
        c = starts.on[j]
        if c < 0:  # prices so high that no cost is a number
            continue
        start, end = starts.start[j], starts.start[j] + jobs.lasts[j, c]
        a, b = int(min(start / width, last)), int(min(end / width, last))
        for r in range(use.shape[1]):
            share = jobs.share[j, c, r]
            use[c, r, a] += share * ((a + 1) * width - start)
            use[c, r, b] -= share * ((b + 1) * width - end)
            if a + 1 <= last:
                use[c, r, a + 1] += share * (start - a * width)
            if b + 1 <= last:
                use[c, r, b + 1] -= share * (end - b * width)
    for c in range(use.shape[0]):
        for r in range(use.shape[1]):
            for k in range(1, last + 1):
                use[c, r, k] += use[c, r, k - 1]
