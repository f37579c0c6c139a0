"""Synthetic instances: the virtual clusters of Casanova et al. 2008, sequential and parallel."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.errors import InputError
from loadmaster.packing.instance import Instance
from loadmaster.traces.lublin.parameters import ALL_JOBS
from loadmaster.traces.lublin.sizes import job_sizes

MemoryRule = Literal["rescale_noclip", "rescale_clip", "direct_reject", "direct_clamp"]

LEAST_KEPT = 1e-5
"""Part of the draws that must be of use where values out of range are drawn again."""


@dataclass(frozen=True)
class Spec:
    """One problem specification of section 4.1.

    Attributes:
        hosts, tasks: their numbers.
        slack: the fraction of all memory that is left when every task is placed, in [0, 1).
        cv_memory, cv_cpu: coefficients of variation of the demands.
        parallel: tasks belong to jobs whose sizes follow Lublin and Feitelson (section 5.2).
        memory_rule: how memory demands come about. `rescale_noclip`: drawn as the CPU demands are, then multiplied
            so that they add up to hosts x (1 - slack); a demand may exceed a host. `rescale_clip`: cut at 1.
            `direct_reject` and `direct_clamp`: drawn with mean hosts x (1 - slack) / tasks, values outside [0, 1]
            drawn again or cut.
    """

    hosts: int
    tasks: int
    slack: float
    cv_memory: float = 0.25
    cv_cpu: float = 0.25
    parallel: bool = False
    memory_rule: MemoryRule = "rescale_noclip"

    def __post_init__(self) -> None:
        for name in ("hosts", "tasks"):
            if getattr(self, name) < 1:
                raise InputError(getattr(self, name), f"{name} must be 1 or more")
        if not 0 <= self.slack < 1:
            raise InputError(self.slack, "slack must lie in [0, 1)")
        for name in ("cv_memory", "cv_cpu"):
            if not 0 <= getattr(self, name) <= 5:
                raise InputError(getattr(self, name), f"{name} must lie in [0, 5]")


def virtual_clusters(spec: Spec, seed: int = 0, repetition: int = 0, lublin_bug: bool = False) -> Instance:
    """One instance of `spec`; the same seed and repetition give the same one, whatever else was drawn.

    With `lublin_bug` the sizes of parallel jobs come out as in the authors' later generator, see `lublin_size`.

    CPU demands are normal with mean 0.5, drawn again until in [0.01, 1]. Differs from the paper: it calls the
    distribution truncated at 0 and 1; the bounds are those of its authors' later generator.

    Example:
        >>> one = virtual_clusters(Spec(hosts=4, tasks=8, slack=0.3))
        >>> round(float(one.rigid.sum()), 6), one.synthetic
        (2.8, True)
    """
    rng = np.random.default_rng(_stream(spec, seed, repetition))
    size = lublin_sizes(spec.tasks, rng, lublin_bug=lublin_bug) if spec.parallel else np.ones(spec.tasks, np.int64)
    jobs = len(size)
    cpu = _normal(rng, 0.5, spec.cv_cpu, jobs, 0.01, 1.0)
    total = spec.hosts * (1.0 - spec.slack)
    if spec.memory_rule.startswith("rescale"):
        memory = _normal(rng, 0.5, spec.cv_memory, jobs, 0.01, 1.0)
        memory *= total / float((memory * size).sum())
        if spec.memory_rule == "rescale_clip":
            memory = np.minimum(memory, 1.0)
    else:
        mean = total / spec.tasks
        clamp = spec.memory_rule == "direct_clamp"
        memory = _normal(rng, mean, spec.cv_memory, jobs, -np.inf if clamp else 0.0, np.inf if clamp else 1.0)
        memory = np.clip(memory, 0.0, 1.0)
    job = np.repeat(np.arange(jobs), size)
    return Instance.of(
        spec.hosts,
        cpu[job],
        memory[job],
        job=job if spec.parallel else None,
        source=f"virtual-clusters {spec!r}, seed {seed}.{repetition}" + ", lublin_bug" * lublin_bug,
        synthetic=True,
    )


def lublin_sizes(tasks: int, rng: np.random.Generator, high: float = 6.0, lublin_bug: bool = False) -> Longs:
    """int64[J]: sizes of jobs that together have `tasks` tasks; the last is cut to what is left.

    Lublin and Feitelson 2003 (their program's constants for all jobs): a job is serial with probability 0.244; else
    log2 of its size is uniform in two stages and, with probability 0.576 of all jobs, rounded to a whole number.

    Args:
        tasks: how many in all.
        rng: the draws.
        high: log2 of the largest size; 6 for at most 64 tasks.
        lublin_bug: see `lublin_size`.
    """
    sizes: list[int] = []
    left = tasks
    while left > 0:
        size = min(left, int(lublin_size(rng, 1, high, lublin_bug)[0]))
        sizes.append(size)
        left -= size
    return np.array(sizes, np.int64)


def lublin_size(rng: np.random.Generator, count: int, high: float = 6.0, lublin_bug: bool = False) -> Longs:
    """int64[count]: independent sizes of jobs; see `lublin_sizes`.

    `lublin_bug` draws as the later generator of Casanova's co-authors does: a job is serial with probability 0.24,
    three quarters of the others have a whole log2, and the first of the two stages begins at 0 and not at `low`.
    """
    sizes = replace(ALL_JOBS.sizes, middle=high - ALL_JOBS.middle_below, high=high)
    if lublin_bug:
        sizes = replace(sizes, serial=0.24, power_of_two=0.75 * (1 - 0.24))
    return job_sizes(sizes, count, rng, first_lower=sizes.low if lublin_bug else 0.0)


def _normal(rng: np.random.Generator, mean: float, cv: float, count: int, low: float, high: float) -> Floats:
    from scipy.special import ndtr

    sd = max(mean * cv, 1e-12)
    if ndtr((high - mean) / sd) - ndtr((low - mean) / sd) < LEAST_KEPT:
        rule = f"a mean demand so far from {low:g} to {high:g} would be drawn again for ever"
        raise InputError(f"{mean:.4g}", rule, fix="more tasks, more slack or another memory rule")
    values = rng.normal(mean, mean * cv, count)
    while True:
        bad = (values < low) | (values > high)
        if not bad.any():
            return values
        values[bad] = rng.normal(mean, mean * cv, int(bad.sum()))


def _stream(spec: Spec, seed: int, repetition: int) -> list[int]:
    numbers = (spec.slack, spec.cv_memory, spec.cv_cpu)
    return [seed, spec.hosts, spec.tasks, *(round(1e6 * x) for x in numbers), int(spec.parallel), repetition]
