"""Waits by user, account, size and hour beside the baseline's, and how even they are."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from loadmaster.measure.group_waits import Groups
from loadmaster.measure.steady_state import may_settle
from loadmaster.model.units import percent, show_seconds
from loadmaster.report.answer import leader
from loadmaster.report.breakdown import TITLES
from loadmaster.report.columns import short, unit_for
from loadmaster.report.comparison import CLOSE, Comparison, Group
from loadmaster.report.page import Block, Heading, Table
from loadmaster.runs import Outcome

MOST = 50
"""Users and accounts that a document names, those with most jobs."""
_SHOWN = 12
_TITLES = {**TITLES, "user": "users", "account": "accounts"}
_ONES = {**TITLES, "size": "size of jobs"}
_MANY = {
    "partition": "partitions", "qos": "QOS", "user": "users", "account": "accounts", "size": "sizes of jobs",
    "gpu": "GPU kinds", "hour": "hours of arrival", "weekday": "weekdays of arrival", "month": "months of arrival",
}  # fmt: skip
_OF_TIME = ("weekday", "month")
"""Groups that a page shows only where they are chosen."""


def most_jobs(groups: Groups, most: int = MOST) -> list[dict[str, Any]]:
    """The rows of the groups with most jobs that started, in their own order; all sizes and times."""
    rows = list(groups.rows())
    here = np.flatnonzero(groups.jobs > 0)
    if groups.by in ("size", "hour", "weekday", "month") or len(here) <= most:
        return [rows[k] for k in here]
    largest = np.sort(here[np.argsort(-groups.jobs[here], kind="stable")[:most]])
    return [rows[k] for k in largest]


def group_effects(comparison: Comparison) -> list[Block]:
    """Fairness of every rule, then each grouping under the rule that the answer is about, beside the baseline."""
    first, group = leader(comparison)
    base = comparison.baseline_at(group.load)
    against = base if base is not None and base is not first else None
    blocks: list[Block] = [Heading("Waits by group, and the groups that lose")]
    if even := _fairness(comparison, group):
        blocks.append(even)
    unit, size = unit_for([float(each.mean_wait_s.max(initial=0.0)) for each in first.beside.groups])
    for groups in first.beside.groups:
        if len(groups.names) > 1 and groups.by not in (*_OF_TIME, *comparison.by):
            blocks.append(_beside(comparison, first, against, groups, unit, size))
    return blocks if len(blocks) > 1 else []


def groups_that_lose(groups: Groups, before_s: Mapping[str, float], base: str) -> str:
    """The groups that wait over 1 % longer than under `base`, where they waited `before_s` on average."""
    before = np.array([before_s.get(name, np.nan) for name in groups.names])
    before[groups.jobs == 0] = np.nan
    more_s = groups.jobs * (groups.mean_wait_s - before)
    who, both = np.flatnonzero(groups.mean_wait_s > (1.0 + CLOSE) * before), int(np.isfinite(more_s).sum())
    if not who.size:
        return f"No {_ONES[groups.by]} waits over {percent(CLOSE, 0)} longer than under {base}."
    worst = int(who[np.argmax(more_s[who])])
    times = f"{show_seconds(float(groups.mean_wait_s[worst]))} on average, not {show_seconds(float(before[worst]))}"
    number = f"{who.size:,} of {both:,} {_MANY[groups.by]} {'waits' if who.size == 1 else 'wait'}"
    number += f" over {percent(CLOSE, 0)} longer"
    return f"Groups that lose: {number} than under {base}, most of all {groups.names[worst]} ({times})."


def settled(comparison: Comparison, load: float) -> list[Block]:
    """The means of every rule at a load without warm-up and drain, beside the plain ones; nothing of too few jobs."""
    if not may_settle(comparison.case.workload):
        return []
    outcomes = [outcome for group in comparison.groups if group.load == load for outcome in group.outcomes]
    unit, size = unit_for([outcome.metrics.mean_wait_s for outcome in outcomes])
    warm, warm_s = unit_for([outcome.beside.steady.warm_up_s or 0.0 for outcome in outcomes])
    drain, drain_s = unit_for([outcome.beside.steady.drain_s for outcome in outcomes])
    rows = [
        [comparison.rule_name(o.setting), *_settled_cells(o, size, warm_s), short(o.beside.steady.drain_s / drain_s)]
        for o in outcomes
    ]
    heads = [
        "policy" if len(comparison.disciplines) < 2 else "rule",
        f"mean wait {unit}",
        f"settled mean wait {unit}",
        "mean queue",
        "settled mean queue",
        f"warm-up {warm}",
        f"drain {drain}",
    ]
    caption = (
        "Settled: from the end of the warm-up to the last arrival; the time after it is the drain. The warm-up is "
        "the first part, which distorts the mean queue (rules R13 to R15)."
    )
    return [Heading("Without warm-up and drain"), Table(heads, rows, caption)]


def _settled_cells(outcome: Outcome, size: float, length: float) -> list[str]:
    """The cells between name and drain: waits in units of `size` seconds, the warm-up in units of `length`."""
    steady, m = outcome.beside.steady, outcome.metrics
    if steady.overloaded:
        only = ["the queue only grows", short(m.mean_queue_length), "", ""]
    elif steady.mean_wait_s is None or steady.mean_queue_length is None:
        only = ["does not settle", short(m.mean_queue_length), "", ""]
    else:
        only = [
            short(steady.mean_wait_s / size),
            short(m.mean_queue_length),
            short(steady.mean_queue_length),
            short((steady.warm_up_s or 0.0) / length),
        ]
    return [short(m.mean_wait_s / size), *only]


def _fairness(comparison: Comparison, group: Group) -> Table | None:
    unit, size = unit_for([o.metrics.longest_wait_s for g in comparison.groups for o in g.outcomes])
    rows = []
    for each in comparison.groups:
        for outcome in each.outcomes if each.load == group.load else ():
            even = outcome.beside.fairness
            if even is None:
                return None
            rows.append(
                [
                    comparison.rule_name(outcome.setting),
                    f"{even.jain:.2f}",
                    even.worst_user,
                    short(even.worst_user_slowdown),
                    short(outcome.metrics.longest_wait_s / size),
                ]
            )
    heads = ["rule", "Jain's index", "worst user", "its slowdown", f"longest wait {unit}"]
    caption = (
        "Jain's index over the users' mean bounded slowdowns: 1 where all are alike, near 0 where few suffer (R17)."
    )
    return Table(heads, rows, caption)


def _beside(
    comparison: Comparison, first: Outcome, against: Outcome | None, groups: Groups, unit: str, size: float
) -> Table:
    name = comparison.rule_name(first.setting)
    heads = [_TITLES[groups.by], "jobs", f"mean wait {unit}", "bounded slowdown", f"longest wait {unit}"]
    other: dict[str, float] = {}
    pays = ""
    if against is not None:
        base = comparison.rule_name(against.setting)
        heads.append(f"mean wait of {base} {unit}")
        same = next(each for each in against.beside.groups if each.by == groups.by)
        waits = zip(same.names, same.mean_wait_s.tolist(), same.jobs.tolist(), strict=True)
        other = {group: wait for group, wait, jobs in waits if jobs}
        pays = f" {groups_that_lose(groups, other, base)}"
    rows = []
    for row in most_jobs(groups, _SHOWN):
        cells = [
            row["name"],
            f"{row['jobs']:,}",
            short(row["mean_wait_s"] / size),
            short(row["mean_bounded_slowdown"]),
            short(row["longest_wait_s"] / size),
        ]
        if against is not None:
            cells.append(short(other[row["name"]] / size) if row["name"] in other else "-")
        rows.append(cells)
    left = int((groups.jobs > 0).sum()) - len(rows)
    rest = (
        f" The {len(rows)} with most jobs; {left:,} more stand in groups.parquet, which compare writes." if left else ""
    )
    return Table(heads, rows, f"Under {name}.{pays}{rest}")
