"""Runtimes with exactly pool D's published quantiles, similar within a user and a submission."""

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.traces.netbatch.pools import BURST_SCORE, BY_SUBMISSION, BY_USER, RUNTIMES


def runtimes(
    user: Ints, submission: Ints, burst: Bools, scale: float, longest_s: float, rng: np.random.Generator
) -> Floats:
    """float64[J]: seconds, whole, 1 or more.

    A normal score is drawn for every user, submission and job, their sum ranked, and the ranks given the quantiles of
    `RUNTIMES` times `scale` (a Gaussian copula, so the distribution over all jobs is exact for any users).

    Args:
        user: int32[J], the user of every job, from 0.
        submission: int32[J], non-decreasing from 0.
        burst: bool[S], the submissions that are part of a burst; their users' scores do not count.
        scale: factor on all runtimes.
        longest_s: longer ones are cut to this.
        rng: source of draws.
    """
    jobs = user.shape[0]
    score = rng.standard_normal(jobs, dtype=np.float32)
    score *= np.sqrt(1.0 - BY_USER - BY_SUBMISSION)
    of_user = _scores(int(user.max()) + 1, BY_USER, rng)[user]
    of_user[burst[submission]] = BURST_SCORE
    score += of_user
    del of_user
    score += _scores(burst.size, BY_SUBMISSION, rng)[submission]
    order: Longs = np.argsort(score)
    del score
    seconds = np.empty(jobs)
    seconds[order] = quantile((np.arange(jobs) + 0.5) / jobs)
    seconds *= scale
    return np.minimum(np.maximum(np.round(seconds), 1.0), longest_s)


def quantile(part: Floats) -> Floats:
    """Runtimes of pool D at `part` of all jobs, between its published quantiles on a logarithmic scale."""
    knots = np.array(RUNTIMES)
    return np.asarray(np.exp(np.interp(part, knots[:, 0], np.log(knots[:, 1]))))


def mean_runtime() -> float:
    """Mean of `quantile` over all parts, from the closed form between neighbouring quantiles."""
    knots = np.array(RUNTIMES)
    part, low, high = np.diff(knots[:, 0]), knots[:-1, 1], knots[1:, 1]
    equal = low == high
    between = np.where(equal, low, (high - low) / np.where(equal, 1.0, np.log(high) - np.log(low)))
    return float(part @ between)


def _scores(count: int, variance: float, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(np.sqrt(variance) * rng.standard_normal(count), dtype=np.float32)
