"""Hosts of 8, 12 and 16 cores that meet a pool's numbers of hosts and of cores exactly."""

import math

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Longs
from loadmaster.model.units import CORES, GB, MEMORY
from loadmaster.traces.netbatch.pools import HOST_SIZES


def machines(hosts: int, cores: int, memory_per_core_gb: float, rng: np.random.Generator) -> Cluster:
    """A cluster of `hosts` hosts with `cores` cores together, in random order.

    Of all mixes that meet both totals, the one nearest to the most even: proportions that fall or rise by the same
    factor from size to size (the distribution of largest entropy with that mean).
    """
    sizes = np.repeat(np.array(HOST_SIZES, dtype=np.float64), mix(hosts, cores))
    rng.shuffle(sizes)
    return Cluster((CORES, MEMORY), np.column_stack((sizes, sizes * memory_per_core_gb * GB)))


def mix(hosts: int, cores: int) -> Longs:
    """int64[3]: how many hosts of 8, 12 and 16 cores.

    Raises:
        InputError: no mix has these totals.

    Example:
        >>> mix(1633, 16588).tolist(), int(mix(1633, 16588) @ [8, 12, 16])
        ([965, 455, 213], 16588)
    """
    small, large = HOST_SIZES[0], HOST_SIZES[-1]
    if cores % 4 or not small * hosts <= cores <= large * hosts:
        rule = f"{hosts} hosts of 8, 12 or 16 cores cannot have so many cores together"
        raise InputError(cores, rule, fix=f"use a multiple of 4 from {small * hosts} to {large * hosts}")
    steps = (cores - small * hosts) // 4  # one for each host of 12 cores, two for each of 16
    wanted = round(hosts * float(_most_even(cores / hosts)[2]))
    of_large = int(np.clip(wanted, max(0, steps - hosts), steps // 2))
    of_middle = steps - 2 * of_large
    return np.array([hosts - of_middle - of_large, of_middle, of_large], dtype=np.int64)


def _most_even(mean: float) -> np.ndarray:
    """The parts of three sizes an equal step apart, each `factor` times the one before, that have this mean."""
    small, middle, large = (size - mean for size in HOST_SIZES)
    if small >= 0.0 or large <= 0.0:
        return np.array([small == 0.0, 0.0, large == 0.0], dtype=np.float64)
    factor = (math.sqrt(middle * middle - 4.0 * large * small) - middle) / (2.0 * large)
    parts = np.array([1.0, factor, factor * factor])
    return np.asarray(parts / parts.sum())
