"""Arrivals of jobs after Lublin and Feitelson 2003: times of the rush hours, stretched where few jobs arrive."""

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.traces.lublin.parameters import LONGEST_LOG_INTERARRIVAL, JobArrivals

BUCKETS = 48
"""Half hours of a day."""
BUCKET_S = 1800.0
FIRST_BUCKET = 11
"""The half hour with which the model's day begins: 05:00 to 05:30 is its first."""


def daily_cycle(arrivals: JobArrivals) -> Floats:
    """float64[48]: the rate of arrivals in each half hour after midnight over the mean rate."""
    from scipy.stats import gamma

    middle = np.arange(FIRST_BUCKET, FIRST_BUCKET + BUCKETS)
    at = gamma(arrivals.cycle_shape, scale=arrivals.cycle_scale)
    weight = np.empty(BUCKETS)
    weight[(middle - 1) % BUCKETS] = at.cdf(middle + 0.5) - at.cdf(middle - 0.5)
    return np.asarray(weight / weight.mean())


def times_between(arrivals: JobArrivals, count: int, rng: np.random.Generator) -> Floats:
    """float64[count]: seconds between arrivals at the mean rate of a day."""
    shape = arrivals.shape * arrivals.all_day
    logarithm = rng.gamma(shape, arrivals.scale, count)
    while (over := logarithm > LONGEST_LOG_INTERARRIVAL).any():
        logarithm[over] = rng.gamma(shape, arrivals.scale, int(over.sum()))
    return np.exp(logarithm)


def arrival_times(between_s: Floats, cycle: Floats) -> Floats:
    """float64[J]: seconds after midnight of the first day, ascending.

    A half hour in which jobs arrive twice as often as in the mean takes two half hours' worth of `between_s`.
    """
    elapsed = np.cumsum(between_s)
    of_day = np.concatenate(([0.0], np.cumsum(cycle))) * BUCKET_S
    day, rest = np.divmod(elapsed, of_day[-1])
    return np.asarray(day * (BUCKETS * BUCKET_S) + np.interp(rest, of_day, np.arange(BUCKETS + 1) * BUCKET_S))
