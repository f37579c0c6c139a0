"""Groups of jobs by partition, QOS, account, user, size, GPU kind, and hour, weekday, month of arrival."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.model.constraints import Constraints
from loadmaster.model.errors import InputError
from loadmaster.model.name_column import Named
from loadmaster.model.units import GPUS
from loadmaster.model.workload import Workload
from loadmaster.rules.near import pick

_DAY_S = 86400.0
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_THURSDAY = 3
"""The weekday of 1 January 1970, Monday being 0."""
NO_GPU, NO_MODEL = "no GPU", "model not named"
"""Groups by GPU of jobs without one, and of jobs that name no model."""
GROUPINGS = {
    "partition": "the partition",
    "qos": "the quality of service",
    "account": "the account that pays",
    "user": "the user",
    "size": "cores of the whole job, up to the next power of two",
    "gpu": "the model of its GPUs",
    "hour": "the hour of the day of the arrival; from the start of a log without dates",
    "weekday": "the day of the week of the arrival",
    "month": "the month of the arrival",
}
"""By what jobs can be grouped, and what it is."""
_NEEDS = {
    "partition": "partition", "qos": "QOS", "account": "account", "user": "user", "gpu": "GPU", "weekday": "date",
    "month": "date",
}  # fmt: skip


class JobGroup(NamedTuple):
    """One way to group J jobs.

    Attributes:
        by: one of `GROUPINGS`.
        code: int64[J], -1 or more.
        name: what a code is called.
    """

    by: str
    code: Longs
    name: Callable[[int], str]


def groupings(workload: Workload) -> Iterator[JobGroup]:
    """Every way to group the jobs that the log allows, in the order of `GROUPINGS`."""
    bound = workload.constraints or Constraints()
    for by, column in (("partition", bound.partition), ("qos", bound.qos)):
        if column is not None:
            yield _of_names(by, column)
    for by, codes, names in (
        ("account", workload.project, bound.account_names),
        ("user", workload.user, bound.user_names),
    ):
        if codes is not None:
            yield JobGroup(by, codes.astype(np.int64), partial(_name, names=names))
    cores = np.maximum(workload.demand[:, 0] * workload.task_count, 1.0)
    yield JobGroup("size", np.ceil(np.log2(cores)).astype(np.int64), _size_name)
    if (gpu := _gpu(workload, bound.gpu_kind)) is not None:
        yield gpu
    yield from _of_times(workload)


def chosen_groupings(workload: Workload, names: Sequence[str]) -> tuple[str, ...]:
    """The names as given, each once.

    Raises:
        InputError: one is no grouping, or the log has nothing of the kind.

    Example:
        >>> chosen_groupings(Workload.of(submit_s=[0], runtime_s=[1], cores=[1]), ["size", "hour", "size"])
        ('size', 'hour')
    """
    there = {each.by for each in groupings(workload)}
    for name in names:
        pick(name, GROUPINGS, what="grouping of jobs")
        if name not in there:
            rule = f"the log names no {_NEEDS[name]} of its jobs"
            raise InputError(f"--by {name}", rule, fix=f"group by {', '.join(g for g in GROUPINGS if g in there)}")
    return tuple(dict.fromkeys(names))


def _of_times(workload: Workload) -> Iterator[JobGroup]:
    began_s = workload.epoch_s
    at_s = workload.submit_s + (began_s or 0.0)
    yield JobGroup("hour", (at_s % _DAY_S // 3600.0).astype(np.int64), str)
    if began_s is None:
        return
    day = (at_s // _DAY_S).astype(np.int64)
    yield JobGroup("weekday", (day + _THURSDAY) % 7, _WEEKDAYS.__getitem__)
    month = day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    first = int(month.min()) if month.size else 0
    yield JobGroup("month", month - first, partial(_month_name, first=first))


def _month_name(code: int, first: int) -> str:
    return str(np.datetime64(code + first, "M"))


def _gpu(workload: Workload, kinds: Named | None) -> JobGroup | None:
    """By the models of GPUs; jobs without GPUs are a group, and so are GPUs without a name. None without any GPU."""
    gpus = np.zeros(workload.jobs)
    if GPUS in workload.resources:
        gpus = workload.demand[:, workload.resources.index(GPUS)]
    if kinds is None and not gpus.any():
        return None
    names = () if kinds is None else kinds.names
    code = np.full(workload.jobs, -1, np.int64) if kinds is None else kinds.code.astype(np.int64)
    code = np.where(code >= 0, code, np.where(gpus > 0, len(names), -1))
    return JobGroup("gpu", code, lambda each: (NO_GPU, *names, NO_MODEL)[each + 1])


def _of_names(by: str, column: Named) -> JobGroup:
    return JobGroup(by, column.code.astype(np.int64), partial(_name, names=column.names))


def _name(code: int, names: tuple[str, ...]) -> str:
    if code < 0:
        return "unknown"
    return names[code] if code < len(names) else "unknown" if names else str(code)


def _size_name(doublings: int) -> str:
    most = 2**doublings
    return f"{most}" if most <= 2 else f"{most // 2 + 1}-{most}"


def clock_time(epoch_s: float, at_s: float) -> str:
    """A moment of a log as date and time on the clock of its site.

    Example:
        >>> clock_time(1_483_228_800.0, 90.0)
        '2017-01-01 00:01:30'
    """
    return datetime.fromtimestamp(epoch_s + at_s, UTC).strftime("%Y-%m-%d %H:%M:%S")
