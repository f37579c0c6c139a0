"""The jobs of a live record by partition, user and so on, all or only recent ones, for a report by cron."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from loadmaster.measure.group_stranding import GroupStranding
from loadmaster.measure.group_waits import group_waits
from loadmaster.measure.job_groups import groupings
from loadmaster.measure.queue_metrics import waits
from loadmaster.measure.task_intervals import task_intervals
from loadmaster.model import InputError, Schedule, Workload
from loadmaster.model.schedule import Segments
from loadmaster.model.units import percent, show_seconds
from loadmaster.report.breakdown import RuleGroups
from loadmaster.report.columns import short
from loadmaster.report.comparison import listed
from loadmaster.runs.live_timeline import LiveTimeline
from loadmaster.runs.record import Record
from loadmaster.system.counted import counted

USUAL = ("partition", "user")
"""The groupings of a report that names none, as far as the record knows them."""


@dataclass(frozen=True)
class LiveBreakdown:
    """Jobs of a live record by group.

    Attributes:
        answer: what became of them, in a sentence or two.
        rules: the groups of the run.
        by: the groupings.
        figures: of all these jobs, by name; `used` is the part of each resource of the hosts that was held in that
            time, and `stranded_gpus` the part of their GPUs that was stranded, by whichever job of the record.
    """

    answer: str
    rules: Sequence[RuleGroups]
    by: Sequence[str]
    figures: dict[str, Any]


def live_breakdown(record: Record, timeline: LiveTimeline, by: Sequence[str], last_s: float = inf) -> LiveBreakdown:
    """The jobs that arrived in the last `last_s` seconds of a live record, by group.

    Jobs that still run count with the time that they have run. A job belongs to one report alone, whatever it waited.

    Args:
        record: the run that the live record tells of.
        timeline: of the same record.
        by: the groupings; the `USUAL` ones where there are none.
        last_s: infinite for all jobs.

    Raises:
        InputError: no job arrived in that time.
    """
    workload, schedule = _arrived_since(record, timeline.last_s - last_s, timeline.last_s)
    when = "" if last_s == inf else f" that arrived in the last {show_seconds(last_s)}"
    if not workload.jobs:
        rule = "no job arrived in that time before the record's end"
        raise InputError(show_seconds(last_s), rule, fix="give a longer --last")
    begin_s = max(timeline.last_s - last_s, timeline.sessions[0].at_s)
    between = begin_s, timeline.last_s
    stranding = GroupStranding(record.workload, record.case.cluster, record.schedule, between)
    groups = group_waits(workload, schedule, stranding)
    wait_s = waits(workload, schedule)[schedule.started]
    sums = {
        name: getattr(groups[0], name).sum().item()
        for name in ("jobs", "unstarted", "killed", "core_s", "gpu_s", "lost_core_s")
    }
    figures = {
        **sums,
        "mean_wait_s": float(wait_s.mean()) if wait_s.size else None,
        "p95_wait_s": float(np.quantile(wait_s, 0.95)) if wait_s.size else None,
    }
    used = _used(record, *between)
    known = {each.by for each in groupings(workload)}
    chosen = tuple(by) or tuple(name for name in USUAL if name in known)
    answer = f"{_answer(figures, when)}{_use_in_words(used, record.case.cluster.hosts)}"
    stranded = None if np.isnan(stranding.part) else stranding.part
    if stranded is not None:
        answer += f" {percent(stranded)} of the GPUs were stranded: free, on hosts too full for a typical job."
    figures |= {"used": used, "stranded_gpus": stranded}
    return LiveBreakdown(answer, [RuleGroups("live", groups)], chosen, figures)


def _used(record: Record, from_s: float, until_s: float) -> dict[str, float]:
    """The part of each resource of all hosts that jobs held in a time, whenever they arrived; empty of no time."""
    workload, cluster, times = record.workload, record.case.cluster, task_intervals(record.workload, record.schedule)
    held_s = np.fmax(np.fmin(times.end_s, until_s) - np.fmax(times.start_s, from_s), 0.0)
    held = held_s @ workload.demand[times.job]
    there = cluster.total * (until_s - from_s)
    return {name: float(held[r] / there[r]) for r, name in enumerate(cluster.resources) if there[r] > 0}


def _use_in_words(used: dict[str, float], hosts: int) -> str:
    parts = [f"{percent(part)} of the {name}" for name, part in used.items()]
    if not parts:
        return ""
    whose = counted(hosts, "host")
    return f" All jobs that ran in that time held {listed(parts)} of the {whose} that the record has at its end."


def _arrived_since(record: Record, from_s: float, until_s: float) -> tuple[Workload, Schedule]:
    """The jobs that arrived since `from_s`, and what became of them until `until_s`."""
    workload, schedule = record.workload, record.schedule
    first = int(np.searchsorted(workload.submit_s, from_s))
    rows = slice(first, None)
    segments = schedule.segments
    if segments is not None:
        segments = Segments.of(
            [
                (
                    int(segments.job[n]) - first,
                    float(segments.start_s[n]),
                    float(segments.end_s[n]),
                    bool(segments.lost[n]),
                    segments.host[segments.first[n] : segments.first[n + 1]].tolist(),
                )
                for n in np.flatnonzero(segments.job >= first)
            ]
        )
    return workload.take(rows), replace(
        schedule,
        start_s=schedule.start_s[rows],
        host=schedule.host[workload.first_task[first] :],
        end_s=np.minimum(schedule.ends_s(workload)[rows], until_s),
        status=None if schedule.status is None else schedule.status[rows],
        segments=segments,
    )


def _answer(figures: dict[str, Any], when: str) -> str:
    jobs, unstarted = figures["jobs"], figures["unstarted"]
    assert jobs is not None
    assert unstarted is not None
    text = f"Of {jobs + unstarted:,} jobs{when}, {jobs:,} started"
    if figures["mean_wait_s"] is not None and figures["p95_wait_s"] is not None:
        text += f" after {show_seconds(figures['mean_wait_s'])} on average"
        text += f" (one in twenty waited over {show_seconds(figures['p95_wait_s'])})"
    hours = {name: short((figures[name] or 0.0) / 3600) for name in ("core_s", "gpu_s", "lost_core_s")}
    used = f"{hours['core_s']} core-hours" + (f" and {hours['gpu_s']} GPU-hours" if figures["gpu_s"] else "")
    killed = f"{figures['killed']:,} were killed at their limit, and {hours['lost_core_s']} core-hours were lost"
    return f"{text}. They used {used}; {killed}."
