"""Sizes of jobs after Lublin and Feitelson 2003."""

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.traces.lublin.parameters import JobSizes


def job_sizes(sizes: JobSizes, count: int, rng: np.random.Generator, first_lower: float = 0.0) -> Longs:
    """int64[count]: independent sizes of jobs, in nodes, at least 1 (rule W2).

    `first_lower` is taken from log2 of each size of the first stage, as the slip of a later generator does.
    """
    kind = rng.random(count)
    in_first = rng.random(count) <= sizes.first
    spread = rng.random(count)
    first = sizes.low - first_lower + spread * (sizes.middle - sizes.low)
    exponent = np.where(in_first, first, sizes.middle + spread * (sizes.high - sizes.middle))
    whole = (kind > sizes.serial) & (kind <= sizes.serial + sizes.power_of_two)
    exponent = np.where(whole, np.floor(exponent + 0.5), exponent)
    return np.where(kind <= sizes.serial, 1, np.floor(2.0**exponent + 0.5)).astype(np.int64)
