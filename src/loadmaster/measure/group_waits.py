"""Waits, use, losses and stranded GPUs of groups of jobs, by partition, user, GPU kind and more (rules R16, R17)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loadmaster.measure.group_stranding import GroupStranding
from loadmaster.measure.job_groups import JobGroup, groupings
from loadmaster.measure.queue_metrics import BOUND_S, waits
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.constraints import STATUSES, Constraints
from loadmaster.model.schedule import STOPPED, Schedule
from loadmaster.model.units import GPUS
from loadmaster.model.workload import Workload

_TIMEOUT = STATUSES.index("timeout")
_P95 = 0.95


@dataclass(frozen=True, eq=False)
class Groups:
    """The jobs by one property; G groups, each of one job or more.

    Attributes:
        by: one of `job_groups.GROUPINGS`.
        names: of the groups.
        jobs: int64[G], jobs that started.
        mean_wait_s: float64[G], of these, 0 where none started; so are the next three.
        mean_bounded_slowdown: float64[G].
        longest_wait_s: float64[G].
        p95_wait_s: float64[G].
        unstarted: int64[G], jobs that never started.
        killed: int64[G], jobs that their limit ended, in this run or in their log.
        lost_core_s: float64[G], core seconds of runs that preemption or the failure of a host ended, likewise.
        core_s: float64[G], core seconds of the jobs that started.
        gpu_s: float64[G], GPU seconds of these.
        stranded_gpus: float64[G], the mean part of the GPUs on the hosts of a partition or of a GPU model that was
            stranded; NaN where it is not known on which hosts jobs ran, or which these hosts are, and of other groups.
        used: for a resource by name, the part of what the jobs requested that they really used, by the name of the
            group, None where the log does not tell; of the record alone.
    """

    by: str
    names: tuple[str, ...]
    jobs: Longs
    mean_wait_s: Floats
    mean_bounded_slowdown: Floats
    longest_wait_s: Floats
    p95_wait_s: Floats
    unstarted: Longs
    killed: Longs
    lost_core_s: Floats
    core_s: Floats
    gpu_s: Floats
    stranded_gpus: Floats
    used: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)

    @property
    def worst(self) -> int:
        """The group whose jobs are slowed down most; the first among equals."""
        return int(np.argmax(self.mean_bounded_slowdown))

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each group; waits are None where no job of it started."""
        columns = [getattr(self, name).tolist() for name in MEASURES]
        for name, *values in zip(self.names, *columns, strict=True):
            row = {"by": self.by, "name": name} | dict(zip(MEASURES, values, strict=True))
            row["stranded_gpus"] = None if np.isnan(row["stranded_gpus"]) else row["stranded_gpus"]
            row |= {f"used_{resource}": parts[name] for resource, parts in self.used.items()}
            yield row if row["jobs"] else row | dict.fromkeys(_OF_STARTED)


@dataclass(frozen=True)
class Fairness:
    """How evenly users are slowed down.

    Attributes:
        jain: Jain's index over the users' mean bounded slowdown: 1 where all are alike, 1/U where one has it all.
        worst_user: the user whose jobs are slowed down most.
        worst_user_slowdown: the mean bounded slowdown of that user.
        users: how many there are.
    """

    jain: float
    worst_user: str
    worst_user_slowdown: float
    users: int


def group_waits(workload: Workload, schedule: Schedule, stranding: GroupStranding | None = None) -> tuple[Groups, ...]:
    """By everything that the log knows of its jobs.

    Args:
        workload: the jobs.
        schedule: of them.
        stranding: of the hosts; None where it is not known where all that started was placed.
    """
    measured = _waits_of(workload, schedule)
    return tuple(_grouped(each, measured, stranding) for each in groupings(workload))


def fairness(groups: tuple[Groups, ...]) -> Fairness | None:
    """Of the users; None where the log does not know them, or none started."""
    users = next((each for each in groups if each.by == "user" and each.jobs.any()), None)
    if users is None:
        return None
    slowed = users.mean_bounded_slowdown[users.jobs > 0]
    worst = users.worst
    return Fairness(jain(slowed), users.names[worst], float(users.mean_bounded_slowdown[worst]), slowed.size)


def fairness_of_users(workload: Workload, schedule: Schedule) -> Fairness | None:
    """As `fairness`, of a schedule whose other groups are not requested."""
    users = next((each for each in groupings(workload) if each.by == "user"), None)
    return None if users is None else fairness((_grouped(users, _waits_of(workload, schedule), None),))


def jain(values: Floats) -> float:
    """Jain's index of fairness (Jain, Chiu and Hawe 1984): (sum x)^2 / (n sum x^2).

    Example:
        >>> jain(np.array([1.0, 1.0])), jain(np.array([1.0, 0.0]))
        (1.0, 0.5)
    """
    squares = float((values**2).sum())
    return float(values.sum()) ** 2 / (values.size * squares) if squares > 0 else 1.0


@dataclass(frozen=True, eq=False)
class _Measured:
    """What is added up, for J jobs; waits of those that never started are NaN."""

    started: Floats
    wait_s: Floats
    bounded_slowdown: Floats
    killed: Floats
    lost_core_s: Floats
    core_s: Floats
    gpu_s: Floats
    by_wait: Longs
    """int64[S]: the jobs that started, the shortest wait first."""


def _waits_of(workload: Workload, schedule: Schedule) -> _Measured:
    on = schedule.started
    wait_s, ran_s = waits(workload, schedule), schedule.ran_s(workload)
    bounded = np.maximum((wait_s + ran_s) / np.maximum(ran_s, BOUND_S), 1.0)
    status = _ended_as(workload, schedule)
    cores, held_s = workload.demand[:, 0] * workload.task_count, np.where(on, ran_s, 0.0)
    lost_s = schedule.lost_s(workload)
    in_log = on & np.isin(status, STOPPED) & (lost_s == 0)
    gpus = np.zeros(workload.jobs)
    if GPUS in workload.resources:
        gpus = workload.demand[:, workload.resources.index(GPUS)] * workload.task_count
    row = np.flatnonzero(on)
    return _Measured(
        on.astype(float),
        wait_s,
        bounded,
        (on & (status == _TIMEOUT)).astype(float),
        np.where(in_log, held_s, lost_s) * cores,
        held_s * cores,
        held_s * gpus,
        row[np.argsort(wait_s[row], kind="stable")],
    )


def _ended_as(workload: Workload, schedule: Schedule) -> Longs:
    """int64[J]: how each job ended in this run; of those that the run itself did not stop, how it ended in the log."""
    logged = (workload.constraints or Constraints()).status
    status = np.zeros(workload.jobs, np.int64) if logged is None else logged.astype(np.int64)
    return status if schedule.status is None else np.where(schedule.status >= 0, schedule.status, status)


def _grouped(by: JobGroup, jobs: _Measured, stranding: GroupStranding | None) -> Groups:
    codes, group = _numbered(by.code)
    many = codes.size
    started = np.bincount(group, jobs.started, many).astype(np.int64)
    ordered, row = jobs.by_wait, group[jobs.by_wait]
    numbers = row.astype(np.uint16) if many < 1 << 16 else row  # NumPy sorts so few numbers by radix
    ordered = ordered[np.argsort(numbers, kind="stable")]  # by group, then by wait
    end = np.cumsum(started)

    def total(each: Floats) -> Floats:
        return np.asarray(np.bincount(group, each, many), np.float64)

    def mean(each: Floats) -> Floats:
        return np.bincount(row, each[jobs.by_wait], many) / np.maximum(started, 1)

    wait_s = jobs.wait_s[ordered]
    return Groups(
        by.by,
        tuple(map(by.name, codes.tolist())),
        started,
        mean(jobs.wait_s),
        mean(jobs.bounded_slowdown),
        _at(wait_s, end, started, 1.0),
        _at(wait_s, end, started, _P95),
        np.bincount(group, minlength=many) - started,
        total(jobs.killed).astype(np.int64),
        total(jobs.lost_core_s),
        total(jobs.core_s),
        total(jobs.gpu_s),
        np.full(many, np.nan) if stranding is None else stranding.of(by, codes),
    )


def _at(values: Floats, end: Longs, count: Longs, part: float) -> Floats:
    """float64[G]: a quantile of each run of sorted values, which end before `end`; 0 of an empty one."""
    if not values.size:
        return np.zeros(count.size)
    place = np.maximum(end - count, 0) + part * np.maximum(count - 1, 0)
    low = np.floor(place).astype(np.int64)
    last = values.size - 1
    below, above = values[np.minimum(low, last)], values[np.minimum(np.minimum(low + 1, np.maximum(end - 1, 0)), last)]
    return np.where(count > 0, below + (place - low) * (above - below), 0.0)


def _numbered(code: Longs) -> tuple[Longs, Longs]:
    """The distinct codes in ascending order, and the place of each job's; codes are -1 or more, and mostly few."""
    if code.size == 0 or code.max() > 2 * code.size + 65_536:
        codes, group = np.unique(code, return_inverse=True)
        return codes, group
    there = np.bincount(code + 1) > 0
    return np.flatnonzero(there) - 1, (np.cumsum(there) - 1)[code + 1]


MEASURES = (
    "jobs", "mean_wait_s", "mean_bounded_slowdown", "longest_wait_s", "p95_wait_s", "unstarted", "killed",
    "lost_core_s", "core_s", "gpu_s", "stranded_gpus",
)  # fmt: skip
"""The columns of `Groups`, in their order."""
_OF_STARTED = ("mean_wait_s", "mean_bounded_slowdown", "longest_wait_s", "p95_wait_s")
