"""Constraints of a drawn log: the dependencies of jobs, translated to the drawn jobs (rule R4)."""

from dataclasses import replace

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.constraints import Constraints
from loadmaster.model.dependencies import SINGLETON, Dependencies
from loadmaster.model.job_succession import jobs_before, rows_of
from loadmaster.model.workload import Workload


def rewired(workload: Workload, source: Longs, submit_s: Floats, copy: Longs) -> tuple[Constraints, int]:
    """The constraints of drawn jobs, which are numbered in their order, and how many dependencies were cut.

    Args:
        workload: the log drawn from, with constraints.
        source: int64[N], the job of the log that each drawn one is.
        submit_s: float64[N], when it arrives.
        copy: int64[N], jobs of the same copy belong together; a dependency never leaves its copy.
    """
    bound = workload.constraints
    assert bound is not None
    constraints = bound.take(source).shifted(submit_s - workload.submit_s[source])
    parted = 0
    if constraints.array is not None:
        constraints = replace(constraints, array=_arrays(constraints.array, copy))
    if bound.follows is not None:
        follows, parted = _follows(workload, source, copy)
        constraints = replace(constraints, follows=follows)
    if bound.depends is None or constraints.depends is None:
        return constraints, parted
    depends, cut = _dependencies(workload, constraints, source, submit_s, copy)
    return replace(constraints, depends=depends), cut + parted


def _follows(workload: Workload, source: Longs, copy: Longs) -> tuple[Longs, int]:
    """The job before each, by its new number; -1 of none, and where the draw parted the two or turned them round."""
    before = jobs_before(workload)[source]
    at = _positions(source, copy, before, copy, workload.jobs)
    stays = (at >= 0) & (at < np.arange(source.size))
    return np.where(stays, at, -1), int(((before >= 0) & ~stays).sum())


def _arrays(array: Longs, copy: Longs) -> Longs:
    """The array of each job, one of its own in every copy, numbered beyond the jobs."""
    on = array >= 0
    renamed = np.full(array.size, -1)
    _, number = np.unique(np.column_stack((copy[on], array[on])), axis=0, return_inverse=True)
    renamed[on] = array.size + number.reshape(-1)
    return renamed


def _dependencies(
    workload: Workload, constraints: Constraints, source: Longs, submit_s: Floats, copy: Longs
) -> tuple[Dependencies, int]:
    depends, bound = constraints.depends, workload.constraints
    assert depends is not None
    assert bound is not None
    owner = np.repeat(np.arange(source.size), np.diff(depends.first))
    single = depends.kind == SINGLETON
    target, is_array = _targets(workload, bound, depends.on)
    has_target = ~single & (target >= 0)
    at = _positions(source, copy, target, copy[owner], workload.jobs)
    turned = np.zeros(at.size, bool)
    here = has_target & (at >= 0)
    was_first = workload.submit_s[target[here]] <= workload.submit_s[source[owner[here]]]
    turned[here] = was_first & (submit_s[at[here]] > submit_s[owner[here]])
    stays = single | (here & ~turned)
    named = np.where(single, -1, at)
    if constraints.array is not None:
        named = np.where(is_array & here, constraints.array[at], named)
    first = np.concatenate(([0], np.cumsum(np.bincount(owner[stays], minlength=source.size))))
    rows = Dependencies(
        first, depends.kind[stays], named[stays], depends.task[stays], depends.delay_s[stays], depends.one_is_enough
    )
    return rows, int((has_target & ~stays).sum())


def _targets(workload: Workload, bound: Constraints, on: Longs) -> tuple[Longs, np.ndarray]:
    """int64[D]: the job of the log behind each identifier, of an array its first; -1 for none. And which are arrays."""
    jobs = np.arange(workload.jobs)
    target = rows_of(jobs if workload.job_id is None else workload.job_id, on)
    if bound.array is None:
        return target, np.zeros(on.size, bool)
    whole = rows_of(bound.array, on)
    return np.where(whole >= 0, whole, target), whole >= 0


def _positions(source: Longs, copy: Longs, target: Longs, within: Longs, jobs: int) -> Longs:
    """int64[D]: where in the drawn log job `target` of the copy `within` is; -1 if it was not drawn into it."""
    keys = copy.astype(np.int64) * jobs + source
    return np.where(target >= 0, rows_of(keys, within.astype(np.int64) * jobs + np.maximum(target, 0)), -1)
