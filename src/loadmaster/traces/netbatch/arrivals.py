"""Arrivals like pool D's: a daily profile, bursts of hours and bursts of minutes."""

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.traces.netbatch.pools import DAY, HOUR_SIGMA, MINUTE_SIGMA


def arrivals(jobs: int, span_s: float, burstiness: float, rng: np.random.Generator) -> Floats:
    """float64[jobs]: sorted arrivals in whole seconds, the first at 0, the last at `span_s` (rounded down).

    The rate of a minute is the day's profile times two lognormal factors, one for the hour and one for the minute;
    `burstiness` scales their spreads, 0 leaves the profile alone.
    """
    minutes = max(1, int(np.ceil(span_s / 60.0)))
    minute = np.arange(minutes)
    hours = minutes // 60 + 1
    by_hour = np.exp(HOUR_SIGMA * burstiness * rng.standard_normal(hours))
    rate = np.array(DAY)[(minute // 60) % 24] * by_hour[minute // 60]
    rate *= np.exp(MINUTE_SIGMA * burstiness * rng.standard_normal(minutes))
    rate[-1] *= span_s / 60.0 - (minutes - 1)
    counts = rng.multinomial(jobs, rate / rate.sum())
    times = np.repeat(minute * 60.0, counts)
    times += 60.0 * rng.random(jobs)
    times.sort()
    times -= times[0]
    if times[-1] > 0:
        times *= span_s / times[-1]
    return np.floor(times)
