"""Runtimes of jobs after Lublin and Feitelson 2003: large jobs tend to run longer."""

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.traces.lublin.parameters import LONGEST_LOG_RUNTIME, JobRuntimes


def job_runtimes(runtimes: JobRuntimes, nodes: Longs, rng: np.random.Generator) -> Floats:
    """float64[J]: seconds, whole and at least 1, of jobs of `nodes` (rule W4).

    Differs from the program: a runtime below 1 s is 1 s there 0.
    """
    first = np.clip(runtimes.per_node * nodes + runtimes.at_zero, 0.0, 1.0)
    logarithm = np.empty(nodes.size)
    left = np.arange(nodes.size)
    while left.size:
        second = (rng.random(left.size) > first[left]).astype(int)
        shape, scale = np.array(runtimes.shape)[second], np.array(runtimes.scale)[second]
        logarithm[left] = rng.gamma(shape, scale)
        left = left[logarithm[left] > LONGEST_LOG_RUNTIME]
    return np.maximum(np.floor(np.exp(logarithm)), 1.0)
