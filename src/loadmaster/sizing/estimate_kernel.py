"""Compiled: how much work is left, from finished durations and from the ages of the tasks still running."""
# mypy: disable-error-code="no-untyped-def"

import math
from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import allocating, cached_njit
from loadmaster.sizing.finished_kernel import LOGS, LOGS_SQUARED, SQUARES, TOTAL, first_longer
from loadmaster.sizing.finished_kernel import of as durations_of

SIGMAS = (0.1, 0.25, 0.5, 0.9, 1.4)
"""Spreads of the candidate lognormal laws."""
STEPS = (-3.5, -2.5, -1.7, -1.0, -0.5, 0.0, 0.25, 0.5, 0.9, 1.4, 2.0, 3.0)
"""Medians of the candidate laws: widths from the most likely one, of the left flank below it, the right one above."""
WIDEST = 1.8
"""The most widths that lie between a candidate's two neighbours; a left flank is never wider than the right one."""
BELIEVED = 1e-12
"""A law less probable than that says nothing about how much work may be left."""
FAR = 40.0
"""A spread whose laws are all less probable than the best one by this power of e counts for nothing."""


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


@allocating
def normal_tail(z):
    """P(Z > z) for a standard normal Z."""
    return 0.5 * math.erfc(z * 0.7071067811865476)


@cached_njit(error_model="numpy", nogil=True)
def work_left(finished, ages, fresh, prior_log, prior_sd, prior_weight, levels):
    """See `loadmaster.sizing.estimate.work_left`, which this must equal.

    Args:
        finished: float64[F], seconds of work of the finished tasks.
        ages: float64[K], seconds of work that the running tasks have had.
        fresh: tasks not begun.
        prior_log: log of the median duration expected beforehand.
        prior_sd: standard deviation of that log.
        prior_weight: how many measurements the fitted law counts for beside the measured durations themselves.
        levels: float64[P, 2], the probabilities requested and the standard normal's quantiles there.
    """
    return work_left_of(durations_of(finished), ages, fresh, prior_log, prior_sd, prior_weight, levels)


class Laws(NamedTuple):
    """The candidate laws, with what each says of every running task; a spread that explains too little is left out.

    Attributes:
        kept: bool[S], spreads that count.
        weight: float64[L], zero for those of a spread left out.
        first: float64[L], E[T].
        second: float64[L], E[T^2].
        alive: float64[L, K], P(T > age).
        beyond: float64[L, K], E[T | T > age].
        beyond_squared: float64[L, K], E[T^2 | T > age].
    """

    kept: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    second: np.ndarray
    alive: np.ndarray
    beyond: np.ndarray
    beyond_squared: np.ndarray


@allocating
def work_left_of(finished, ages, fresh, prior_log, prior_sd, prior_weight, levels):
    """As `work_left`, with the finished tasks as `loadmaster.sizing.finished_kernel.FinishedTasks`."""
    count, running = finished.number[0], len(ages)
    laws = _laws(finished, ages, prior_log, prior_sd)
    base = 0.0
    base2 = 0.0
    base_work = 0.0
    work = np.zeros(len(laws.weight))
    for law in range(len(laws.weight)):
        if not laws.kept[law // len(STEPS)]:
            continue
        base += laws.weight[law] * laws.first[law]
        base2 += laws.weight[law] * laws.second[law]
        work[law] = fresh * laws.first[law]
        for k in range(running):
            work[law] += laws.beyond[law, k] - ages[k]
        base_work += laws.weight[law] * work[law]
    rest = _rest_of_running(finished, ages, laws, prior_weight)
    mass = prior_weight + count + running
    mean = (prior_weight * base + finished.sums[TOTAL] + rest.total) / mass
    square = (prior_weight * base2 + finished.sums[SQUARES] + rest.squares) / mass
    variance = max(square - mean * mean, 1e-12 * mean * mean)
    share = prior_weight / (prior_weight + count)
    chance = fresh * variance + rest.variance
    if count > 0:
        chance += ((1.0 - share) * (fresh + running)) ** 2 * variance / count
    expected_work = fresh * mean + rest.left
    quantiles = np.zeros(len(levels))
    if expected_work > 0.0:
        for law in range(len(work)):
            work[law] = math.log(expected_work) + share * math.log(max(work[law], 1e-9) / base_work)
        _spread(work, laws.weight, math.sqrt(math.log(1.0 + chance / expected_work**2)), levels, quantiles)
    return WorkLeft(mean, math.sqrt(variance), quantiles)


@allocating
def _laws(finished, ages, prior_log, prior_sd):
    """The most probable spread first: others count only where they could explain what is seen nearly as well."""
    number, running = len(SIGMAS) * len(STEPS), len(ages)
    laws = Laws(
        np.zeros(len(SIGMAS), np.bool_),
        np.full(number, -np.inf),
        np.zeros(number),
        np.zeros(number),
        np.empty((number, running)),
        np.empty((number, running)),
        np.empty((number, running)),
    )
    log_ages = np.empty(running)
    for k in range(running):
        log_ages[k] = math.log(max(ages[k], 1e-3))
    bounds = np.empty(len(SIGMAS))
    for spread in range(len(SIGMAS)):
        bounds[spread] = _at_most(finished, SIGMAS[spread], prior_log, prior_sd)
    best = -np.inf
    for _ in range(len(SIGMAS)):
        spread = int(np.argmax(bounds))
        if bounds[spread] < best - FAR:
            break
        bounds[spread] = -np.inf
        laws.kept[spread] = True
        best = max(best, _fit(finished, ages, log_ages, prior_log, prior_sd, spread, laws))
    top = laws.weight.max()
    total = 0.0
    for law in range(number):
        laws.weight[law] = math.exp(laws.weight[law] - top)
        total += laws.weight[law]
    for law in range(number):
        laws.weight[law] /= total
    return laws


@allocating
def _centre(finished, sigma, prior_log, prior_sd):
    """Mean and variance of the log median under spread `sigma`, by prior and finished tasks alone."""
    variance = 1.0 / (finished.number[0] / (sigma * sigma) + 1.0 / (prior_sd * prior_sd))
    return variance * (finished.sums[LOGS] / (sigma * sigma) + prior_log / (prior_sd * prior_sd)), variance


@allocating
def _explains(finished, sigma, mu, prior_log, prior_sd):
    """Log of prior and likelihood of the finished tasks."""
    count, logs = finished.number[0], finished.sums[LOGS]
    value = -count * math.log(sigma) - 0.5 * ((mu - prior_log) / prior_sd) ** 2
    return value - (finished.sums[LOGS_SQUARED] - 2.0 * mu * logs + count * mu * mu) / (2.0 * sigma * sigma)


@allocating
def _at_most(finished, sigma, prior_log, prior_sd):
    """A value that no law of this spread exceeds: running tasks only lower it, and widths have an end."""
    centre, variance = _centre(finished, sigma, prior_log, prior_sd)
    return _explains(finished, sigma, centre, prior_log, prior_sd) + math.log(WIDEST * math.sqrt(variance))


@allocating
def _fit(finished, ages, log_ages, prior_log, prior_sd, spread, laws):
    """Fill in the laws of one spread; the log of the most probable one's weight."""
    sigma = SIGMAS[spread]
    centre, variance = _centre(finished, sigma, prior_log, prior_sd)
    mode, flank = _mode(centre, variance, sigma, log_ages)
    right = math.sqrt(variance)
    best = -np.inf
    for index in range(len(STEPS)):
        law = spread * len(STEPS) + index
        mu = mode + _offset(index, flank, right)
        width = _offset(min(index + 1, len(STEPS) - 1), flank, right) - _offset(max(index - 1, 0), flank, right)
        value = _explains(finished, sigma, mu, prior_log, prior_sd) + math.log(width)
        first = math.exp(mu + 0.5 * sigma * sigma)
        second = math.exp(2.0 * mu + 2.0 * sigma * sigma)
        laws.first[law], laws.second[law] = first, second
        all_alive = 1.0
        for k in range(len(ages)):
            z = (log_ages[k] - mu) / sigma
            tail = normal_tail(z)
            laws.alive[law, k] = tail
            if tail < 1e-12:  # far beyond this law: it is believed no more
                value -= 30.0 + 0.5 * z * z
                laws.beyond[law, k] = ages[k] * (1.0 + sigma)
                laws.beyond_squared[law, k] = laws.beyond[law, k] ** 2
            else:
                all_alive *= tail
                if all_alive < 1e-200:  # one logarithm for many
                    value += math.log(all_alive)
                    all_alive = 1.0
                laws.beyond[law, k] = first * normal_tail(z - sigma) / tail
                laws.beyond_squared[law, k] = second * normal_tail(z - 2.0 * sigma) / tail
        value += math.log(all_alive)
        laws.weight[law] = value
        best = max(best, value)
    return best


class RunningWork(NamedTuple):
    """What the running tasks are expected to come to, summed over them.

    Attributes:
        total: how long they last.
        squares: the squares of that.
        left: what of it is to come.
        variance: of what is to come.
    """

    total: float
    squares: float
    left: float
    variance: float


@allocating
def _rest_of_running(finished, ages, laws, prior_weight):
    """Each running task lasts as long as those, laws and measurements together, that lasted longer than it has."""
    total, squares, left, variance = 0.0, 0.0, 0.0, 0.0
    for k in range(len(ages)):
        survive, expected, expected2 = 0.0, 0.0, 0.0
        for spread in range(len(SIGMAS)):
            if not laws.kept[spread]:
                continue
            for law in range(spread * len(STEPS), (spread + 1) * len(STEPS)):
                survive += laws.weight[law] * laws.alive[law, k]
                expected += laws.weight[law] * laws.beyond[law, k]
                expected2 += laws.weight[law] * laws.beyond_squared[law, k]
        place = first_longer(finished, ages[k])
        mass = prior_weight * survive + (finished.number[0] - place)
        if mass > 1e-9:
            expected2 = (prior_weight * survive * expected2 + finished.longer_squared[place]) / mass
            expected = (prior_weight * survive * expected + finished.longer[place]) / mass
        expected = max(expected, ages[k])
        total += expected
        squares += max(expected2, expected * expected)
        left += expected - ages[k]
        variance += max(0.0, expected2 - expected * expected)
    return RunningWork(total, squares, left, variance)


@allocating
def _offset(index, left, right):
    """The place of candidate number `index` beside the most likely median."""
    return STEPS[index] * (left if STEPS[index] < 0.0 else right)


@allocating
def _mode(centre, variance, sigma, log_ages):
    """The most likely log median under spread `sigma`, by Newton's method, and the width of the left flank there.

    Finished tasks and prior alone make a normal law (`centre`, `variance`); every running task moves it up.
    """
    mu = centre
    for k in range(len(log_ages)):
        mu = max(mu, log_ages[k])
    curve = 1.0 / variance
    for _ in range(8):
        slope = -(mu - centre) / variance
        curve = 1.0 / variance
        for k in range(len(log_ages)):
            z = (log_ages[k] - mu) / sigma
            hazard = z + 1.0 / max(z, 1.0) if z > 6.0 else 0.3989422804014327 * math.exp(-0.5 * z * z) / normal_tail(z)
            slope += hazard / sigma
            curve += hazard * (hazard - z) / (sigma * sigma)
        step = slope / curve
        mu += step
        if abs(step) < 1e-3 * sigma:
            break
    return mu, 1.0 / math.sqrt(curve)


@allocating
def _spread(log_work, weight, log_sd, levels, out):
    """Write to `out` the work at each level: doubt between the laws and chance under one, added as squares."""
    believed = np.flatnonzero(weight > BELIEVED)
    order = believed[np.argsort(log_work[believed])]
    middle = _at(log_work, weight, order, 0.5)
    for index in range(len(levels)):
        doubt = _at(log_work, weight, order, levels[index, 0]) - middle
        size = math.sqrt(doubt * doubt + (levels[index, 1] * log_sd) ** 2)
        out[index] = math.exp(middle + (size if levels[index, 1] > 0.0 else -size))


@allocating
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
