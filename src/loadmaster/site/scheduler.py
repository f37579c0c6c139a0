"""How a site walks its queue: SchedulerType and SchedulerParameters (rule L5)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from loadmaster.model import InputError
from loadmaster.site.fields import Fields, one_of, whole
from loadmaster.site.lines import Pair

_TYPES = {
    f"{prefix}{name}": kind
    for prefix in ("sched/", "")
    for name, kind in (("backfill", "backfill"), ("builtin", "builtin"))
}


@dataclass(frozen=True)
class SchedulerParameters:
    """The parameters that decide on starts, by Slurm's own names; the unit is Slurm's: s, but for `bf_window` (min),
    `sched_min_interval` (microseconds). 0 of a count is no limit; None of `bf_max_time` is `bf_interval`.
    """

    assoc_limit_stop: bool = False
    batch_sched_delay: int = 3
    bf_continue: bool = False
    bf_interval: int = 30
    bf_job_part_count_reserve: int = 0
    bf_licenses: bool = False
    bf_max_job_array_resv: int = 20
    bf_max_job_assoc: int = 0
    bf_max_job_part: int = 0
    bf_max_job_start: int = 0
    bf_max_job_test: int = 500
    bf_max_job_user: int = 0
    bf_max_job_user_part: int = 0
    bf_max_time: int | None = None
    bf_min_age_reserve: int = 0
    bf_min_prio_reserve: int = 0
    bf_one_resv_per_job: bool = False
    bf_resolution: int = 60
    bf_running_job_reserve: bool = False
    bf_window: int = 1440
    bf_window_linear: int = 0
    default_queue_depth: int = 100
    defer: bool = False
    partition_job_depth: int = 0
    preempt_reorder_count: int = 1
    preempt_strict_order: bool = False
    preempt_youngest_first: bool = False
    sched_interval: int = 60
    sched_max_job_start: int = 0
    sched_min_interval: int = 2


_MOST = 2**31 - 1
_RANGES: Mapping[str, tuple[int, int]] = {
    "bf_interval": (-1, 10800), "bf_job_part_count_reserve": (0, 100_000), "bf_max_job_array_resv": (0, 1000),
    "bf_max_job_start": (0, 10_000), "bf_max_job_test": (1, 1_000_000), "bf_max_time": (1, 3600),
    "bf_min_age_reserve": (0, 2_592_000), "bf_min_prio_reserve": (0, 2**32 - 1), "bf_resolution": (1, 3600),
    "bf_window": (1, 43200), "sched_interval": (-1, _MOST), "preempt_reorder_count": (1, _MOST),
}  # fmt: skip
"""Least and most of a parameter, both included; 0 and 2**31 - 1 where it is not named."""
_FLAGS = {field.name for field in fields(SchedulerParameters) if field.type is bool}


@dataclass(frozen=True)
class SiteScheduler:
    """How the queue is walked.

    Attributes:
        kind: `backfill` (two loops) or `builtin` (each partition in order).
        parameters: those that are modelled.
        ignored: names of those that are not.
        text: all parameters, as they are written.
    """

    kind: str = "backfill"
    parameters: SchedulerParameters = SchedulerParameters()
    ignored: tuple[str, ...] = ()
    text: str = ""


def read_scheduler(settings: Fields) -> SiteScheduler:
    """SchedulerType and SchedulerParameters.

    Raises:
        InputError: a value that breaks its rule.
    """
    kind = settings.read("SchedulerType", lambda pair: one_of(pair, _TYPES), "backfill")
    pair = settings.pair("SchedulerParameters")
    if pair is None:
        return SiteScheduler(kind)
    fields: dict[str, Any] = {}
    ignored = []
    for word in (word.strip() for word in pair.value.split(",") if word.strip()):
        name, equal, value = word.partition("=")
        name = name.strip().lower()
        if name in _FLAGS:
            fields[name] = not equal or value.strip().lower() not in ("0", "no")
        elif name in SchedulerParameters.__dataclass_fields__:
            fields[name] = _number(name)(Pair(name, value, pair.where))
        else:
            ignored.append(name)
    for name in ("bf_interval", "sched_interval"):
        if fields.get(name) == 0:
            raise InputError(f"{name}=0", "1 or more, or -1 for off", fix="correct it", where=pair.where)
    return SiteScheduler(kind, SchedulerParameters(**fields), tuple(dict.fromkeys(ignored)), pair.value)


def _number(name: str) -> Callable[[Pair], int]:
    return whole(*_RANGES.get(name, (0, _MOST)))
