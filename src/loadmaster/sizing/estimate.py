"""How much work is left, in plain NumPy: the specification of `estimate_kernel`.

Every candidate law is lognormal. A grid of them (five spreads, twelve medians around the most likely one) is weighted
by how well each explains the finished tasks and the ages of the running ones (a running task has lasted at least so
long), and by what was expected beforehand. That alone would be wrong for bags with two humps, so the weighted law
counts only as `prior_weight` measurements beside the measured durations, and each running task is expected to last as
long as those, law and measurements together, that lasted longer than it has already (the redistribution to the right
of Kaplan and Meier 1958, after Efron 1967; the law as pseudo-measurements after Susarla and Van Ryzin 1976).
"""

import numpy as np
import scipy

from loadmaster.model.arrays import Floats
from loadmaster.sizing.estimate_kernel import BELIEVED, SIGMAS, STEPS, WorkLeft


def work_left(
    finished: Floats,
    ages: Floats,
    fresh: int,
    prior_log: float,
    prior_sd: float,
    prior_weight: float,
    levels: Floats,
) -> WorkLeft:
    """See `loadmaster.sizing.estimate_kernel.work_left` for the parameters.

    Example:
        >>> from loadmaster.sizing import Planner
        >>> left = work_left(np.full(40, 100.0), np.array([50.0]), 10, np.log(60), 2.0, 5.0, Planner().levels)
        >>> bool(1000 < left.work_s[3] < 1200)
        True
    """
    mu, sigma, weight = _laws(finished, ages, prior_log, prior_sd)
    mean, square = np.exp(mu + sigma**2 / 2), np.exp(2 * mu + 2 * sigma**2)
    z = (np.log(np.maximum(ages, 1e-3)) - mu[:, None]) / sigma[:, None]
    alive = scipy.special.ndtr(-z)
    beyond = mean[:, None] * scipy.special.ndtr(-(z - sigma[:, None])) / np.maximum(alive, 1e-300)
    beyond2 = square[:, None] * scipy.special.ndtr(-(z - 2 * sigma[:, None])) / np.maximum(alive, 1e-300)
    far = alive < 1e-12  # far beyond this law: it is believed no more
    beyond = np.where(far, ages * (1 + sigma[:, None]), beyond)
    beyond2 = np.where(far, beyond**2, beyond2)

    longer = finished[None, :] > ages[:, None]
    mass = prior_weight * (weight @ alive)
    total = mass * (weight @ beyond) + longer @ finished
    total2 = mass * (weight @ beyond2) + longer @ finished**2
    known = mass + longer.sum(axis=1)
    lasts = np.maximum(np.where(known > 1e-9, total / np.maximum(known, 1e-9), weight @ beyond), ages)
    lasts2 = np.where(known > 1e-9, total2 / np.maximum(known, 1e-9), weight @ beyond2)

    amount = prior_weight + len(finished) + len(ages)
    expected = (prior_weight * (weight @ mean) + finished.sum() + lasts.sum()) / amount
    second = prior_weight * (weight @ square) + (finished**2).sum() + np.maximum(lasts2, lasts**2).sum()
    variance = max(second / amount - expected**2, 1e-12 * expected**2)
    share = prior_weight / (prior_weight + len(finished))
    chance = fresh * variance + np.maximum(lasts2 - lasts**2, 0).sum()
    if len(finished):
        chance += ((1 - share) * (fresh + len(ages))) ** 2 * variance / len(finished)
    work = fresh * expected + (lasts - ages).sum()
    if work <= 0:
        return WorkLeft(float(expected), float(np.sqrt(variance)), np.zeros(len(levels)))
    by_law = fresh * mean + (beyond - ages).sum(axis=1)
    log_work = np.log(work) + share * np.log(np.maximum(by_law, 1e-9) / (weight @ by_law))
    return WorkLeft(float(expected), float(np.sqrt(variance)), _quantiles(log_work, weight, chance, work, levels))


def _laws(finished: Floats, ages: Floats, prior_log: float, prior_sd: float) -> tuple[Floats, Floats, Floats]:
    logs = np.log(finished)
    mus, sigmas, values = [], [], []
    for sigma in SIGMAS:
        variance = 1 / (len(logs) / sigma**2 + 1 / prior_sd**2)
        centre = variance * (logs.sum() / sigma**2 + prior_log / prior_sd**2)
        mode, flank = _mode(centre, variance, sigma, np.log(np.maximum(ages, 1e-3)))
        steps = np.array(STEPS)
        grid = mode + np.where(steps < 0, steps * flank, steps * np.sqrt(variance))
        padded = np.concatenate([grid[:1], grid, grid[-1:]])
        z = (np.log(np.maximum(ages, 1e-3)) - grid[:, None]) / sigma
        seen = np.where(scipy.special.ndtr(-z) < 1e-12, -30 - z**2 / 2, scipy.special.log_ndtr(-z)).sum(axis=1)
        value = -len(logs) * np.log(sigma) - ((grid - prior_log) / prior_sd) ** 2 / 2 + seen
        value -= (np.sum(logs**2) - 2 * grid * logs.sum() + len(logs) * grid**2) / (2 * sigma**2)
        values.append(value + np.log(padded[2:] - padded[:-2]))
        mus.append(grid)
        sigmas.append(np.full(len(grid), sigma))
    weight = np.exp(np.concatenate(values) - np.max(values))
    return np.concatenate(mus), np.concatenate(sigmas), weight / weight.sum()


def _mode(centre: float, variance: float, sigma: float, log_ages: Floats) -> tuple[float, float]:
    """Newton's method on the log posterior of the median, and the width of its left flank."""
    mu = max(centre, log_ages.max(initial=-np.inf))
    curve = 1 / variance
    for _ in range(8):
        z = (log_ages - mu) / sigma
        near = np.exp(-(np.minimum(z, 6.0) ** 2) / 2) / np.sqrt(2 * np.pi) / scipy.special.ndtr(-np.minimum(z, 6.0))
        hazard = np.where(z > 6, z + 1 / np.maximum(z, 1), near)
        slope = -(mu - centre) / variance + hazard.sum() / sigma
        curve = 1 / variance + (hazard * (hazard - z)).sum() / sigma**2
        mu += slope / curve
        if abs(slope / curve) < 1e-3 * sigma:
            break
    return mu, 1 / np.sqrt(curve)


def _quantiles(log_work: Floats, weight: Floats, chance: float, work: float, levels: Floats) -> Floats:
    log_work, weight = log_work[weight > BELIEVED], weight[weight > BELIEVED]
    order = np.argsort(log_work)
    at = np.cumsum(weight[order]) - weight[order] / 2
    middle = np.interp(0.5, at, log_work[order])
    doubt = np.interp(levels[:, 0], at, log_work[order]) - middle
    size = np.sqrt(doubt**2 + (levels[:, 1] * np.sqrt(np.log1p(chance / work**2))) ** 2)
    return np.asarray(np.exp(middle + np.where(levels[:, 1] > 0, size, -size)))
