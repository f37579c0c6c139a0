"""Admission: which jobs must be refused so that the others keep a yield of at least y."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.model.errors import InputError
from loadmaster.pack.instance import Instance
from loadmaster.pack.level import level_of
from loadmaster.pack.mcb import mcb
from loadmaster.pack.packing import Packing
from loadmaster.pack.solve import pack, without


@dataclass(frozen=True, eq=False)
class Admission:
    """Jobs let in, bool[J], and the packing of their tasks (in the order of the tasks that stay)."""

    admitted: Bools
    packing: Packing


def admit(instance: Instance, level: float, method: str = "mcb8") -> Admission:
    """Let in as many jobs as a bisection finds, the easiest first, so that the packing reaches `level`.

    Jobs are ranked by what they ask for: the sum over tasks of the largest relative demand at `level`, divided by
    the job's weight. After the longest prefix that packs, every other job is tried once more in that order.

    Raises:
        InputError: `level` is not in (0, 1].
    """
    if not 0 < level <= 1:
        raise InputError(level, "the yield to keep must be more than 0 and at most 1")
    scaled = instance.scaled
    size = np.maximum(scaled.need.max(axis=1, initial=0.0) * level, scaled.hard.max(axis=1, initial=0.0))
    asked: Floats = np.zeros(instance.jobs) + np.bincount(instance.job_of, weights=size, minlength=instance.jobs)
    if instance.weight is not None:
        asked = asked / instance.weight
    order = np.argsort(asked, kind="stable")
    low, high = 0, instance.jobs
    while low < high:
        middle = (low + high + 1) // 2
        if _reaches(instance, order[:middle], level):
            low = middle
        else:
            high = middle - 1
    admitted = np.zeros(instance.jobs, bool)
    admitted[order[:low]] = True
    for job in order[low : low + 50]:
        trial = admitted.copy()
        trial[job] = True
        if _reaches(instance, np.flatnonzero(trial), level):
            admitted = trial
    return Admission(admitted, pack(without(instance, ~admitted), method))


def _reaches(instance: Instance, jobs: Longs, level: float) -> bool:
    refused = np.ones(instance.jobs, bool)
    refused[jobs] = False
    smaller = without(instance, refused)
    found = mcb(smaller)
    return found.host is not None and level_of(smaller, found.host) >= level - 1e-9
