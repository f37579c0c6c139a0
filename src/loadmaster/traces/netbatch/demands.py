"""Submissions of equal jobs by users of very different activity, with bursts of cores and memory."""

from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.traces.netbatch.pools import (
    BLOCK_JOBS,
    FEWEST_BLOCK_JOBS,
    JOBS_OF_USER,
    LARGEST_SUBMISSION,
    LOW_GIB,
    MEMORY_GIB,
    SUBMISSION_JOBS,
    Bursts,
    Pool,
)


class Demands(NamedTuple):
    """Columns over S submissions.

    Attributes:
        jobs: int64[S], how many equal jobs each has.
        user: int32[S].
        cores: float64[S], of one job.
        memory_gib: float64[S], of one job.
        burst: bool[S], part of a burst of cores or memory.
    """

    jobs: np.ndarray
    user: Ints
    cores: Floats
    memory_gib: Floats
    burst: Bools


def demands(pool: Pool, jobs: int, users: int, size: float, burstiness: float, rng: np.random.Generator) -> Demands:
    """Submissions of `jobs` jobs in the order of arrival, by at most `users` users; each submits if there are enough.

    `size` is the pool's size relative to the published one: in a smaller pool the largest submissions and the episodes
    have fewer jobs, so that they weigh as much and last as long as in the whole.
    """
    block_jobs = int(np.clip(BLOCK_JOBS * size, FEWEST_BLOCK_JOBS, BLOCK_JOBS))
    length = _lengths(jobs, max(10, min(LARGEST_SUBMISSION, round(LARGEST_SUBMISSION * size))), rng)
    submissions = length.size
    first_job = np.cumsum(length) - length
    blocks = jobs // block_jobs + 1
    block = first_job // block_jobs
    user = _users(submissions, users, rng)
    cores = _draw(pool.cores, submissions, rng)
    memory = _draw(MEMORY_GIB, submissions, rng)
    if pool.low_memory.part:
        low = _in_burst(pool.low_memory, blocks, block, burstiness, user, rng, whose=False)
        memory[low] = _draw(LOW_GIB, int(low.sum()), rng)
    any_burst = np.zeros(submissions, dtype=bool)
    for bursts, column in ((pool.core_bursts, cores), (pool.memory_bursts, memory)):
        burst = _in_burst(bursts, blocks, block, burstiness, user, rng, whose=True)
        column[burst] = _draw(bursts.amounts, int(burst.sum()), rng)
        any_burst |= burst
    present = min(users, submissions)
    user[rng.permutation(submissions)[:present]] = np.arange(present, dtype=np.int32)  # each submits something
    return Demands(length, user, cores, memory, any_burst)


def _lengths(jobs: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of equal jobs submitted together: many of one job, few of hundreds (a rounded lognormal)."""
    sigma = 1.5
    mu = np.log(SUBMISSION_JOBS) - sigma**2 / 2
    lengths = np.empty(0, dtype=np.int64)
    while lengths.sum() < jobs:
        more = int((jobs - lengths.sum()) / SUBMISSION_JOBS * 1.1) + 100
        drawn = np.maximum(np.round(np.exp(mu + sigma * rng.standard_normal(more))), 1.0).astype(np.int64)
        lengths = np.concatenate((lengths, np.minimum(drawn, most)))
    last = int(np.searchsorted(np.cumsum(lengths), jobs))
    lengths = lengths[: last + 1]
    lengths[-1] -= lengths.sum() - jobs
    return lengths


def _users(submissions: int, users: int, rng: np.random.Generator) -> Ints:
    knots = np.array(JOBS_OF_USER)
    users = min(users, submissions)
    weight = np.exp(np.interp((np.arange(users) + 0.5) / users, knots[:, 0], np.log(knots[:, 1])))
    weight = weight[rng.permutation(users)]
    user_of_submission = np.searchsorted(np.cumsum(weight) / weight.sum(), rng.random(submissions)).astype(np.int32)
    return np.minimum(user_of_submission, users - 1).astype(np.int32)


def _in_burst(
    bursts: Bursts,
    blocks: int,
    block: np.ndarray,
    burstiness: float,
    user: Ints,
    rng: np.random.Generator,
    *,
    whose: bool,
) -> Bools:
    """bool[S]: the submissions that belong to an episode; with `whose` they become those of the episode's user."""
    episode = _episodes(bursts, blocks, rng)
    count = int(episode.max()) + 1
    if count == 0:
        return np.zeros(block.size, dtype=bool)
    share = np.minimum(_between(*bursts.share, rng.random(count) ** 2) * burstiness, 0.95)
    owner = user[rng.integers(0, user.size, count)]
    inside = episode[block]
    in_burst = (inside >= 0) & (rng.random(block.size) < share[inside])
    if whose:
        user[in_burst] = owner[inside[in_burst]]
    return np.asarray(in_burst)


def _episodes(bursts: Bursts, blocks: int, rng: np.random.Generator) -> np.ndarray:
    """int64[blocks]: the number of the episode each block lies in, -1 between episodes; the two-state chain."""
    if bursts.part <= 0:
        return np.full(blocks, -1)
    calm = bursts.blocks * (1.0 - bursts.part) / bursts.part

    def chain(pairs: int) -> np.ndarray:
        lengths = np.empty(2 * pairs, dtype=np.int64)
        lengths[0::2] = rng.geometric(1.0 / max(calm, 1.0), pairs)
        lengths[1::2] = rng.geometric(1.0 / max(bursts.blocks, 1.0), pairs)
        return lengths

    lengths = chain(int(blocks / bursts.blocks) + 2)
    start = int(rng.integers(0, max(1, round(calm))))  # the log begins somewhere within the chain
    while lengths.sum() < start + blocks:
        lengths = np.concatenate((lengths, chain(1)))
    label = np.full(lengths.size, -1)
    label[1::2] = np.arange(lengths.size // 2)
    return np.asarray(np.repeat(label, lengths)[start : start + blocks])


def _between(low: float, high: float, part: Floats) -> Floats:
    return low + (high - low) * part


def _draw(mix: dict[float, float], count: int, rng: np.random.Generator) -> Floats:
    amounts, parts = np.array(list(mix)), np.cumsum(list(mix.values()))
    return np.asarray(amounts[np.searchsorted(parts / parts[-1], rng.random(count))])
