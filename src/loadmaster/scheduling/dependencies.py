"""The dependencies of each job on other jobs of the log, by their numbers."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model import Constraints, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.constraints import STATUSES
from loadmaster.model.dependencies import KINDS, SINGLETON

CORRESPONDING = KINDS.index("aftercorr")


@dataclass(frozen=True, eq=False)
class Waits:
    """D dependencies of J jobs, and the jobs that each of them names.

    Attributes:
        first: int64[J + 1], those of job j stand in rows first[j] up to first[j + 1].
        kind: int32[D], a code of `dependencies.KINDS`, never a singleton's.
        delay_s: float64[D].
        one_is_enough: bool[J].
        first_on: int64[D + 1], the jobs that dependency d names are on[first_on[d]] up to on[first_on[d + 1]].
        on: int64[N], numbers of jobs; a job that is not in the log is left out, and so is the wait for it.
        group: int64[J], the jobs of one user and name have one number; -1 where no singleton is among them.
        single: bool[J], waits until no other of its group runs, or waits with a smaller number.
        status: int32[J], how each job ends, a code of `constraints.STATUSES`.
    """

    first: Longs
    kind: Ints
    delay_s: Floats
    one_is_enough: Bools
    first_on: Longs
    on: Longs
    group: Longs
    single: Bools
    status: Ints

    @property
    def any(self) -> bool:
        """Whether some job waits for another."""
        return bool(self.kind.size or self.single.any())


def waits_of(workload: Workload, bound: Constraints) -> Waits:
    """The dependencies of a log, with the identifiers that they name as job numbers."""
    jobs = workload.jobs
    status = np.zeros(jobs, np.int32) if bound.status is None else bound.status
    depends = bound.depends
    if depends is None:
        return Waits(
            np.zeros(jobs + 1, np.int64),
            np.zeros(0, np.int32),
            np.zeros(0),
            np.zeros(jobs, bool),
            np.zeros(1, np.int64),
            np.zeros(0, np.int64),
            np.full(jobs, -1),
            np.zeros(jobs, bool),
            status,
        )
    named = _Named(workload, bound)
    owner = np.repeat(np.arange(jobs), np.diff(depends.first))
    single = np.zeros(jobs, bool)
    single[owner[depends.kind == SINGLETON]] = True
    rows = np.flatnonzero(depends.kind != SINGLETON)
    on = [named.jobs(int(depends.on[d]), int(depends.task[d]), int(depends.kind[d]), int(owner[d])) for d in rows]
    first = np.searchsorted(owner[rows], np.arange(jobs + 1)).astype(np.int64)
    return Waits(
        first,
        depends.kind[rows],
        depends.delay_s[rows],
        depends.one_is_enough,
        np.cumsum([0, *map(len, on)], dtype=np.int64),
        np.array([j for each in on for j in each], np.int64),
        _groups(workload, bound, single),
        single,
        status,
    )


def ended_well(status: int) -> bool:
    """Whether a job with this final status has ended well."""
    return STATUSES[status] == "ok"


class _Named:
    """Jobs by the identifiers that dependencies use."""

    def __init__(self, workload: Workload, bound: Constraints) -> None:
        self._by_id = {workload.id_of(job): job for job in range(workload.jobs)}
        self._task = np.full(workload.jobs, -1) if bound.array_task is None else bound.array_task
        self._array: dict[int, list[int]] = {}
        for job, array in enumerate(() if bound.array is None else bound.array.tolist()):
            if array >= 0:
                self._array.setdefault(array, []).append(job)

    def jobs(self, identifier: int, task: int, kind: int, owner: int) -> list[int]:
        if kind == CORRESPONDING and task < 0:
            task = int(self._task[owner])
        if identifier in self._array:
            return [job for job in self._array[identifier] if task < 0 or self._task[job] == task]
        return [self._by_id[identifier]] if identifier in self._by_id and task < 0 else []


def _groups(workload: Workload, bound: Constraints, single: Bools) -> Longs:
    user = np.full(workload.jobs, -1) if workload.user is None else workload.user
    name = np.full(workload.jobs, -1) if bound.name is None else bound.name.code
    _, group = np.unique(np.column_stack((user, name)), axis=0, return_inverse=True)
    group = group.reshape(-1)
    return np.where(np.isin(group, group[single]), group, -1).astype(np.int64)
