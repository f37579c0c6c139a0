"""Compiled: how much work is left, from finished durations and from the ages of the tasks still running."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import math
from typing import NamedTuple

import numpy as np

from loadmaster.kernels import kept_njit

SIGMAS = (0.1, 0.25, 0.5, 0.9, 1.4)
"""Spreads of the candidate lognormal laws."""
STEPS = (-3.5, -2.5, -1.7, -1.0, -0.5, 0.0, 0.25, 0.5, 0.9, 1.4, 2.0, 3.0)
"""Medians of the candidate laws: widths from the most likely one, of the left flank below it, the right one above."""


class WorkLeft(NamedTuple):
    """What is believed about the tasks not yet done.

    Attributes:
        mean_s: expected duration of a task not yet begun, seconds of work.
        sd_s: its standard deviation.
        work_s: float64[P], seconds of work left, running tasks included, at each asked probability.
    """

    mean_s: float
    sd_s: float
    work_s: np.ndarray


@kept_njit(error_model="numpy")
def normal_tail(z):
    """P(Z > z) for a standard normal Z."""
    return 0.5 * math.erfc(z * 0.7071067811865476)


@kept_njit(error_model="numpy")
def work_left(finished, ages, fresh, prior_log, prior_sd, prior_weight, levels):
    """See `loadmaster.size.estimate.work_left`, which this must equal.

    Args:
        finished: float64[F], seconds of work of the finished tasks.
        ages: float64[K], seconds of work that the running tasks have had.
        fresh: tasks not begun.
        prior_log: log of the median duration expected beforehand.
        prior_sd: standard deviation of that log.
        prior_weight: how many measurements the fitted law counts for beside the measured durations themselves.
        levels: float64[P, 2], the probabilities asked for and the standard normal's quantiles there.
    """
    count, running = len(finished), len(ages)
    sum_log = 0.0
    sum_log2 = 0.0
    total = 0.0
    total2 = 0.0
    for t in finished:
        log = math.log(t)
        sum_log += log
        sum_log2 += log * log
        total += t
        total2 += t * t
    laws = len(SIGMAS) * len(STEPS)
    weight = np.empty(laws)
    first = np.empty(laws)  # E[T] of each law
    second = np.empty(laws)  # E[T^2]
    alive = np.empty((laws, running))  # P(T > age)
    beyond = np.empty((laws, running))  # E[T | T > age]
    beyond2 = np.empty((laws, running))  # E[T^2 | T > age]
    law = 0
    for sigma in SIGMAS:
        variance = 1.0 / (count / (sigma * sigma) + 1.0 / (prior_sd * prior_sd))
        centre = variance * (sum_log / (sigma * sigma) + prior_log / (prior_sd * prior_sd))
        mode, flank = _mode(centre, variance, sigma, ages)
        for index in range(len(STEPS)):
            mu = mode + _offset(index, flank, math.sqrt(variance))
            width = _offset(min(index + 1, len(STEPS) - 1), flank, math.sqrt(variance))
            width -= _offset(max(index - 1, 0), flank, math.sqrt(variance))
            value = -count * math.log(sigma) - 0.5 * ((mu - prior_log) / prior_sd) ** 2
            value -= (sum_log2 - 2.0 * mu * sum_log + count * mu * mu) / (2.0 * sigma * sigma)
            value += math.log(width)
            first[law] = math.exp(mu + 0.5 * sigma * sigma)
            second[law] = math.exp(2.0 * mu + 2.0 * sigma * sigma)
            for k in range(running):
                z = (math.log(max(ages[k], 1e-3)) - mu) / sigma
                tail = normal_tail(z)
                alive[law, k] = tail
                if tail < 1e-12:  # far beyond this law: it is believed no more
                    value -= 30.0 + 0.5 * z * z
                    beyond[law, k] = ages[k] * (1.0 + sigma)
                    beyond2[law, k] = beyond[law, k] ** 2
                else:
                    value += math.log(tail)
                    beyond[law, k] = first[law] * normal_tail(z - sigma) / tail
                    beyond2[law, k] = second[law] * normal_tail(z - 2.0 * sigma) / tail
            weight[law] = value
            law += 1
    weight = np.exp(weight - weight.max())
    weight = weight / weight.sum()
    base = 0.0
    base2 = 0.0
    work = np.empty(laws)
    for law in range(laws):
        base += weight[law] * first[law]
        base2 += weight[law] * second[law]
        work[law] = fresh * first[law]
        for k in range(running):
            work[law] += beyond[law, k] - ages[k]
    base_work = 0.0
    for law in range(laws):
        base_work += weight[law] * work[law]

    mean = prior_weight * base + total
    square = prior_weight * base2 + total2
    residual = 0.0
    residual_variance = 0.0
    for k in range(running):
        survive = 0.0
        expected = 0.0
        expected2 = 0.0
        for law in range(laws):
            survive += weight[law] * alive[law, k]
            expected += weight[law] * beyond[law, k]
            expected2 += weight[law] * beyond2[law, k]
        mass = prior_weight * survive
        sum_longer = mass * expected
        sum_longer2 = mass * expected2
        for t in finished:
            if t > ages[k]:
                mass += 1.0
                sum_longer += t
                sum_longer2 += t * t
        if mass > 1e-9:
            expected = sum_longer / mass
            expected2 = sum_longer2 / mass
        expected = max(expected, ages[k])
        mean += expected
        square += max(expected2, expected * expected)
        residual += expected - ages[k]
        residual_variance += max(0.0, expected2 - expected * expected)
    mass = prior_weight + count + running
    mean /= mass
    square /= mass
    variance = max(square - mean * mean, 1e-12 * mean * mean)
    share = prior_weight / (prior_weight + count)
    chance = fresh * variance + residual_variance
    if count > 0:
        chance += ((1.0 - share) * (fresh + running)) ** 2 * variance / count
    expected_work = fresh * mean + residual
    quantiles = np.zeros(len(levels))
    if expected_work > 0.0:
        for law in range(laws):
            work[law] = math.log(expected_work) + share * math.log(max(work[law], 1e-9) / base_work)
        _spread(work, weight, math.sqrt(math.log(1.0 + chance / expected_work**2)), levels, quantiles)
    return WorkLeft(mean, math.sqrt(variance), quantiles)


@kept_njit(error_model="numpy")
def _offset(index, left, right):
    """The place of candidate number `index` beside the most likely median."""
    return STEPS[index] * (left if STEPS[index] < 0.0 else right)


@kept_njit(error_model="numpy")
def _mode(centre, variance, sigma, ages):
    """The most likely log median under spread `sigma`, by Newton's method, and the width of the left flank there.

    Finished tasks and prior alone make a normal law (`centre`, `variance`); every running task moves it up.
    """
    mu = centre
    for k in range(len(ages)):
        mu = max(mu, math.log(max(ages[k], 1e-3)))
    curve = 1.0 / variance
    for _ in range(8):
        slope = -(mu - centre) / variance
        curve = 1.0 / variance
        for k in range(len(ages)):
            z = (math.log(max(ages[k], 1e-3)) - mu) / sigma
            hazard = z + 1.0 / max(z, 1.0) if z > 6.0 else 0.3989422804014327 * math.exp(-0.5 * z * z) / normal_tail(z)
            slope += hazard / sigma
            curve += hazard * (hazard - z) / (sigma * sigma)
        step = slope / curve
        mu += step
        if abs(step) < 1e-3 * sigma:
            break
    return mu, 1.0 / math.sqrt(curve)


@kept_njit(error_model="numpy")
def _spread(log_work, weight, log_sd, levels, out):
    """Write to `out` the work at each level: doubt between the laws and chance under one, added as squares."""
    order = np.argsort(log_work)
    middle = _at(log_work, weight, order, 0.5)
    for index in range(len(levels)):
        doubt = _at(log_work, weight, order, levels[index, 0]) - middle
        size = math.sqrt(doubt * doubt + (levels[index, 1] * log_sd) ** 2)
        out[index] = math.exp(middle + (size if levels[index, 1] > 0.0 else -size))


@kept_njit(error_model="numpy")
def _at(values, weight, order, level):
    """The weighted quantile, interpolated between the middles of the weights."""
    below = 0.0
    last_value = values[order[0]]
    last_at = 0.0
    for rank in range(len(order)):
        law = order[rank]
        at = below + 0.5 * weight[law]
        if at >= level:
            if at - last_at < 1e-12:
                return values[law]
            return last_value + (values[law] - last_value) * (level - last_at) / (at - last_at)
        below += weight[law]
        last_value = values[law]
        last_at = at
    return last_value
