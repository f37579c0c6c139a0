"""Runtimes as users estimate them: the model of Tsafrir, Etsion and Feitelson 2005."""

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError

POPULAR = 20
"""So many values serve nine jobs of ten."""
POPULAR_PART = 0.89
"""The part of all jobs that have one of them."""
MINUTE_S, HOUR_S = 60, 3600

COMMON_S = tuple(60 * m for m in (5, 10, 15, 20, 30, 60, 120, 180, 240, 300, 360, 480, 600, 720, 1080))
"""Popular in all four logs that the authors looked at, in seconds."""
ROUND_S = tuple(HOUR_S * h for h in (200, 100, 50, 10, 5, 2, 1)) + tuple(MINUTE_S * m for m in (20, 10, 5))
"""Their multiples fill up the popular values, from the largest value downwards."""
DISTINCT = ((0, 0), (20, 10), (200, 20), (1000, 35), (10_000, 90), (70_000, 340), (250_000, 565))
"""(jobs, distinct values): linear in between."""
RANKS = (
    (3, 1, 1, 1), (1, 3, 4, 6), (4, 4, 10, 5), (17, 2, 14, 3), (13, 12, 20, 7), (7, 9, 2, 2), (8, 8, 3, 18),
    (18, 18, 7, 19), (2, 6, 12, 4), (6, 7, 6, 11), (16, 11, 19, 20), (10, 20, 5, 9), (5, 16, 18, 10),
    (15, 5, 16, 14), (14, 14, 9, 13), (19, 13, 17, 16), (11, 10, 15, 15), (12, 15, 13, 17), (9, 17, 8, 8),
    (20, 19, 11, 12),
)  # fmt: skip
"""Rank by popularity in SDSC, CTC, KTH and Blue of the popular values: the largest first, then ascending."""


def estimates_of_users(runtime_s: Floats, longest_s: float, rng: np.random.Generator) -> Floats:
    """float64[J]: an estimate for each job, never below its runtime (rule W5).

    Twenty round values serve 89 % of the jobs, `longest_s` most of all. Few values serve the others.
    The estimates are made first, then given to jobs at random among those that they are long enough for.

    Args:
        runtime_s: float64[J], seconds.
        longest_s: the longest that a user may request, seconds; no runtime exceeds it.
        rng: the draws.

    Raises:
        InputError: less than an hour, or more jobs run long than there are long estimates.

    Example:
        >>> asked = estimates_of_users(np.full(1000, 60.0), 64800.0, np.random.default_rng(1))
        >>> bool((asked >= 60).all()), float(asked.max())
        (True, 64800.0)
    """
    if not HOUR_S <= longest_s < np.inf:
        raise InputError(longest_s, "the longest estimate must be an hour or more", fix="give seconds, such as 64800")
    over = int(np.count_nonzero(runtime_s > longest_s))
    if over:
        raise InputError(
            longest_s, f"{over:,} jobs run longer than the longest estimate", fix="give a longer one, in seconds"
        )
    value_s, part = estimate_values(runtime_s.size, longest_s, rng)
    count = _whole(part, runtime_s.size)
    return _given_out(runtime_s, np.repeat(value_s, count), longest_s, rng)


def estimate_values(jobs: int, longest_s: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The distribution of estimates of so many jobs.

    Returns:
        float64[K] the values in seconds, descending in popularity; float64[K] the part of jobs of each, 1 in all.
    """
    popular_s = popular_values(longest_s)
    size = popular_parts(popular_s.size)
    rank = _popularity(popular_s.size, rng)
    distinct = round(float(np.interp(jobs, *np.array(DISTINCT, float).T)))
    others_s = _other_values(max(0, distinct - popular_s.size), distinct, longest_s, popular_s)
    value_s, part = popular_s, size[rank]
    if others_s.size:
        shape = np.arange(POPULAR + 1.0, POPULAR + 1 + others_s.size) ** -2.267
        value_s = np.concatenate((value_s, rng.permutation(others_s)))
        part = np.concatenate((part, (1 - POPULAR_PART) * shape / shape.sum()))
    order = np.argsort(-part, kind="stable")
    return value_s[order], part[order] / part.sum()


def popular_values(longest_s: float) -> Floats:
    """float64[at most 20]: the popular estimates in seconds, `longest_s` first, then ascending."""
    values = [int(longest_s), *(value for value in COMMON_S if value < longest_s)]
    for step in ROUND_S:
        for multiple in range(int(longest_s // step), 0, -1):
            if len(values) < POPULAR and multiple * step not in values:
                values.append(multiple * step)
    return np.array([values[0], *sorted(values[1:])], float)


def popular_parts(count: int) -> Floats:
    """float64[count]: part of all jobs that have the popular estimates, by rank; exponential but for the first."""
    size = (14.0491 * np.exp(-0.177531 * np.arange(1, count + 1)) + 0.462513) / 100
    size[0] = POPULAR_PART - size[1:].sum()
    return np.asarray(size)


def _popularity(count: int, rng: np.random.Generator) -> np.ndarray:
    """int64[count]: the rank from 0 of each popular value; the longest has 0.

    In the order of time a value takes a rank that a value up to that place had in one of the logs, of two draws the
    more popular one. A rank which no later place had in any log is taken at once.
    """
    last = {rank: place for place, ranks in enumerate(RANKS) for rank in ranks}
    chosen = [1]
    pool = [rank for rank in RANKS[0] if rank != 1]
    for place in range(1, count):
        pool += [rank for rank in RANKS[place] if rank not in chosen]
        due = [rank for rank in range(1, POPULAR + 1) if last[rank] <= place and rank not in chosen]
        rank = due[0] if due else min(pool[i] for i in rng.integers(len(pool), size=2))
        chosen.append(rank)
        pool = [each for each in pool if each != rank]
    return np.argsort(np.argsort(chosen))


def _other_values(count: int, distinct: int, longest_s: float, popular_s: Floats) -> Floats:
    """float64[at most count]: whole minutes (or a few seconds beside), dense among the short ones."""
    a = 1 + 12.1039 * distinct**-0.6026 if distinct else 2.0
    place = np.arange(1, count + 1) / max(count, 1)
    taken = set(popular_s.astype(int).tolist())
    values = []
    for seconds in np.rint((a - 1) * place / (a - place) * longest_s / MINUTE_S).astype(int) * MINUTE_S:
        beside = (int(seconds) + shift for shift in (0, 30, -30, 20, -20, 10, -10))
        value = next((each for each in beside if each not in taken and 0 < each < longest_s), None)
        if value is not None:
            values.append(value)
            taken.add(value)
    return np.array(values, float)


def _whole(part: Floats, jobs: int) -> np.ndarray:
    """int64[K]: so many jobs of each value, `jobs` in all; what rounding leaves goes to the most popular."""
    count = np.floor(part * jobs).astype(np.int64)
    left = jobs - int(count.sum())
    count[np.argsort(-(part * jobs - count), kind="stable")[:left]] += 1
    return count


def _given_out(runtime_s: Floats, estimate_s: Floats, longest_s: float, rng: np.random.Generator) -> Floats:
    """float64[J]: each job, the longest first, takes one at random of the estimates left that it fits in."""
    order = np.argsort(-runtime_s, kind="stable")
    left = np.sort(estimate_s)[::-1].copy()
    long = runtime_s[order]
    short = np.flatnonzero(long > left)
    if short.size:
        rule = f"{short[0] + 1:,} jobs run longer than {left[short[0]]:,.0f} s, and fewer estimates are that long"
        raise InputError(longest_s, rule, fix="give a larger longest estimate")
    fitting = np.searchsorted(-left, -long, side="right")
    drawn = rng.random(order.size)
    estimates = np.empty(order.size)
    for job, (fits, draw) in enumerate(zip(fitting.tolist(), drawn.tolist(), strict=True)):
        pick = job + int(draw * (fits - job))
        estimates[order[job]] = left[pick]
        left[pick] = left[job]
    return estimates
