"""Waits and slowdowns by user, account, size of the job and hour (rules R16 and R17)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from loadmaster.measure.queue_metrics import BOUND_S, waits
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.model.constraints import Constraints
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload

_DAY_S = 86400.0


@dataclass(frozen=True, eq=False)
class Groups:
    """The jobs that started, by one property; G groups, each of one job or more.

    Attributes:
        by: `user`, `account`, `size` (cores of the whole job, up to the next power of two) or `hour` of the arrival,
            counted from the start of the log.
        names: of the groups.
        jobs: int64[G].
        mean_wait_s: float64[G].
        mean_bounded_slowdown: float64[G].
        longest_wait_s: float64[G].
    """

    by: str
    names: tuple[str, ...]
    jobs: Longs
    mean_wait_s: Floats
    mean_bounded_slowdown: Floats
    longest_wait_s: Floats

    @property
    def worst(self) -> int:
        """The group whose jobs are slowed down most; the first among equals."""
        return int(np.argmax(self.mean_bounded_slowdown))

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row a group."""
        columns = (self.jobs, self.mean_wait_s, self.mean_bounded_slowdown, self.longest_wait_s)
        for name, *values in zip(self.names, *(column.tolist() for column in columns), strict=True):
            yield {"by": self.by, "name": name} | dict(zip(_MEASURES, values, strict=True))


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


def group_waits(workload: Workload, schedule: Schedule) -> tuple[Groups, ...]:
    """By everything that the log knows of its jobs."""
    on = schedule.started
    wait, runtime = waits(workload, schedule)[on], schedule.ran_s(workload)[on]
    bounded = np.maximum((wait + runtime) / np.maximum(runtime, BOUND_S), 1.0)
    return tuple(_grouped(by, code, name, wait, bounded) for by, code, name in _properties(workload, on))


def fairness(groups: tuple[Groups, ...]) -> Fairness | None:
    """Of the users; None where the log does not know them, or nobody started."""
    users = next((each for each in groups if each.by == "user" and each.names), None)
    if users is None:
        return None
    slowed = users.mean_bounded_slowdown
    worst = users.worst
    return Fairness(jain(slowed), users.names[worst], float(slowed[worst]), slowed.size)


def jain(values: Floats) -> float:
    """Jain's index of fairness (Jain, Chiu and Hawe 1984): (sum x)^2 / (n sum x^2).

    Example:
        >>> jain(np.array([1.0, 1.0])), jain(np.array([1.0, 0.0]))
        (1.0, 0.5)
    """
    squares = float((values**2).sum())
    return float(values.sum()) ** 2 / (values.size * squares) if squares > 0 else 1.0


def _properties(workload: Workload, on: Bools) -> Iterator[tuple[str, Longs, Callable[[int], str]]]:
    """Name, number of every started job, and what a number is called."""
    bound = workload.constraints or Constraints()
    for by, column, names in (
        ("user", workload.user, bound.user_names), ("account", workload.project, bound.account_names),
    ):  # fmt: skip
        if column is not None:
            yield by, column[on].astype(np.int64), partial(_name, names=names)
    cores = np.maximum(workload.demand[on, 0] * workload.task_count[on], 1.0)
    yield "size", np.ceil(np.log2(cores)).astype(np.int64), _size_name
    yield "hour", (workload.submit_s[on] % _DAY_S // 3600.0).astype(np.int64), str


def _name(code: int, names: tuple[str, ...]) -> str:
    if code < 0:
        return "unknown"
    return names[code] if code < len(names) else "unknown" if names else str(code)


def _size_name(doublings: int) -> str:
    most = 2**doublings
    return f"{most}" if most <= 2 else f"{most // 2 + 1}-{most}"


def _grouped(by: str, code: Longs, name: Callable[[int], str], wait: Floats, bounded: Floats) -> Groups:
    codes, group = _numbered(code)
    jobs = np.bincount(group, minlength=codes.size)
    longest = np.zeros(codes.size)
    np.maximum.at(longest, group, wait)
    return Groups(
        by, tuple(map(name, codes.tolist())), jobs,
        np.bincount(group, wait, codes.size) / np.maximum(jobs, 1),
        np.bincount(group, bounded, codes.size) / np.maximum(jobs, 1), longest,
    )  # fmt: skip


def _numbered(code: Longs) -> tuple[Longs, Longs]:
    """The distinct codes in ascending order, and the place of each job's; codes are -1 or more, and mostly few."""
    if code.size == 0 or code.max() > 2 * code.size + 65_536:
        codes, group = np.unique(code, return_inverse=True)
        return codes, group
    there = np.bincount(code + 1) > 0
    return np.flatnonzero(there) - 1, (np.cumsum(there) - 1)[code + 1]


_MEASURES = ("jobs", "mean_wait_s", "mean_bounded_slowdown", "longest_wait_s")
