"""Waits, use, losses and stranded GPUs by partition, user and so on: rows, frame, CSV and tables (rule R16)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loadmaster.measure.group_waits import Groups
from loadmaster.measure.job_groups import GROUPINGS
from loadmaster.model.errors import InputError
from loadmaster.report.columns import short, unit_for

if TYPE_CHECKING:
    import polars as pl

RECORDED = "recorded"
"""The name of what really happened, beside those of rules."""
MOST_SHOWN = 12
"""Groups that a table and a chart show: those that used most."""
TITLES = {
    "partition": "partition", "qos": "QOS", "account": "account", "user": "user", "size": "cores of the job",
    "gpu": "GPU kind", "hour": "hour of arrival", "weekday": "weekday of arrival", "month": "month of arrival",
}  # fmt: skip
"""The heading of the groups."""
_IN_ORDER = ("size", "hour", "weekday", "month")
"""Groups that are shown in their own order, and all of them."""


@dataclass(frozen=True, eq=False)
class RuleGroups:
    """The groups of one rule, or of the record.

    Attributes:
        name: of the rule, as tables have it; `RECORDED` for the log's own record.
        groups: by every property that the log knows.
        about: further columns of its rows, such as the load.
        comparable: gains and costs are shown against it; not against a record that queueing does not explain (rule H4).
    """

    name: str
    groups: tuple[Groups, ...]
    about: Mapping[str, Any] = field(default_factory=dict)
    comparable: bool = True

    def by(self, name: str) -> Groups:
        """The groups by one property.

        Raises:
            InputError: the log has nothing of the kind, or there is no such grouping.
        """
        for each in self.groups:
            if each.by == name:
                return each
        there = ", ".join(each.by for each in self.groups)
        rule = "the log does not say this of its jobs" if name in GROUPINGS else "not a grouping of jobs"
        raise InputError(name, rule, fix=f"group by {there}")


def breakdown_rows(rules: Iterable[RuleGroups], by: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each grouping, rule and group: waits in seconds, use in core and GPU seconds."""
    rules = list(rules)
    return [{"rule": rule.name, **rule.about, **row} for name in by for rule in rules for row in rule.by(name).rows()]


def breakdown_frame(rules: Iterable[RuleGroups], by: Sequence[str]) -> "pl.DataFrame":
    """`breakdown_rows` as a table of Polars."""
    import polars as pl

    return pl.DataFrame(breakdown_rows(rules, by), infer_schema_length=None)


def write_breakdown(folder: Path, rules: Iterable[RuleGroups], by: Sequence[str]) -> None:
    """Write breakdown.csv, where a grouping was chosen."""
    from loadmaster.system.whole_file import whole_file
    from loadmaster.traces.spreadsheet import harmless

    if by:
        with whole_file(folder / "breakdown.csv") as part:
            harmless(breakdown_frame(rules, by)).write_csv(part)


@dataclass(frozen=True)
class GroupTable:
    """A table of groups, for the terminal and the page.

    Attributes:
        heads: of the columns, the first of the groups.
        rows: cells as text.
        left_out: groups that are not shown.
    """

    heads: tuple[str, ...]
    rows: list[list[str]]
    left_out: int


def shown_groups(groups: Groups) -> list[int]:
    """The groups that a table shows: times and sizes in their order, of others those that used most, most first."""
    if groups.by in _IN_ORDER:
        return list(range(len(groups.names)))
    use = groups.gpu_s if groups.by == "gpu" and groups.gpu_s.any() else groups.core_s
    order: list[int] = np.lexsort((-groups.jobs, -use))[:MOST_SHOWN].tolist()
    return order


def use_table(groups: Groups, *, waits_known: bool = True) -> GroupTable:
    """Jobs, use, waits and losses of one rule; columns without a number are left out."""
    rows = list(groups.rows())
    unit, size = unit_for(groups.p95_wait_s.tolist() or [0.0])
    cells: dict[str, list[str]] = {"jobs": [f"{row['jobs']:,}" for row in rows]}
    cells["core-hours"] = [short(row["core_s"] / 3600) for row in rows]
    cells["of all"] = [f"{part:.1%}" for part in (groups.core_s / max(groups.core_s.sum(), 1e-300)).tolist()]
    if groups.gpu_s.any():
        cells["GPU-hours"] = [short(row["gpu_s"] / 3600) for row in rows]
    if not np.isnan(groups.stranded_gpus).all():
        cells["GPUs stranded"] = [_part(row["stranded_gpus"]) for row in rows]
    if waits_known:
        for head, name in (("mean wait", "mean_wait_s"), ("p95 wait", "p95_wait_s"), ("longest", "longest_wait_s")):
            cells[f"{head} {unit}"] = [_wait(row[name], size) for row in rows]
    if waits_known and groups.unstarted.any():
        cells["never started"] = [f"{row['unstarted']:,}" for row in rows]
    if groups.killed.any():
        cells["killed"] = [f"{row['killed']:,}" for row in rows]
    if groups.lost_core_s.any():
        cells["lost core-hours"] = [short(row["lost_core_s"] / 3600) for row in rows]
    for resource in groups.used:
        cells[f"{resource} used"] = [_part(row[f"used_{resource}"]) for row in rows]
    shown = shown_groups(groups)
    table = [[groups.names[k], *(column[k] for column in cells.values())] for k in shown]
    return GroupTable((TITLES[groups.by], *cells), table, len(rows) - len(shown))


def waits_table(rules: Sequence[RuleGroups], by: str) -> GroupTable:
    """The mean wait of every group under every rule, beside its jobs and its use."""
    first = rules[0].by(by)
    unit, size = unit_for([float(each.by(by).mean_wait_s.max(initial=0.0)) for each in rules])
    shown = shown_groups(first)
    columns = [
        {name: wait for name, wait, jobs in zip(g.names, g.mean_wait_s.tolist(), g.jobs.tolist(), strict=True) if jobs}
        for g in (each.by(by) for each in rules)
    ]
    rows = []
    for k in shown:
        name = first.names[k]
        waits = [_wait(each.get(name), size) for each in columns]
        rows.append([name, f"{first.jobs[k]:,}", short(float(first.core_s[k]) / 3600), *waits])
    heads = (TITLES[by], "jobs", "core-hours", *(f"{each.name} {unit}" for each in rules))
    return GroupTable(heads, rows, len(first.names) - len(shown))


def stranded_table(rules: Sequence[RuleGroups], by: str) -> tuple[str, GroupTable] | None:
    """A title and the part of each group's GPUs that was stranded under each rule; None where no rule knows any."""
    known = [each for each in rules if not np.isnan(each.by(by).stranded_gpus).all()]
    if not known:
        return None
    first = rules[0].by(by)
    columns = [dict(zip(g.names, g.stranded_gpus.tolist(), strict=True)) for g in (each.by(by) for each in known)]
    shown = [k for k in shown_groups(first) if not all(np.isnan(each.get(first.names[k], np.nan)) for each in columns)]
    rows = [[first.names[k], *(_part(each.get(first.names[k])) for each in columns)] for k in shown]
    return f"Stranded GPUs by {TITLES[by]}", GroupTable((TITLES[by], *(each.name for each in known)), rows, 0)


def _part(part: float | None) -> str:
    """A part of 1; a dash where it is not known."""
    return "-" if part is None or np.isnan(part) else f"{part:.0%}"


def _wait(wait_s: float | None, size: float) -> str:
    """A wait in units of `size` seconds; a dash where no job started."""
    if wait_s is None:
        return "-"
    return "<0.01" if 0 < wait_s / size < 0.01 else short(wait_s / size)


def tables(rules: Sequence[RuleGroups], by: Sequence[str], *, waits_known: bool = True) -> list[tuple[str, GroupTable]]:
    """A title and a table for each grouping: of one rule all there is, of several their mean waits."""
    pairs = []
    for name in by:
        if len(rules) == 1:
            pairs.append((f"By {TITLES[name]}", use_table(rules[0].by(name), waits_known=waits_known)))
        else:
            pairs.append((f"Mean wait by {TITLES[name]}", waits_table(rules, name)))
    return pairs


def left_out_words(table: GroupTable) -> str:
    """That a table does not show all groups; empty where it does."""
    if not table.left_out:
        return ""
    return f"{table.left_out:,} more with less use; breakdown.csv has all of them (-o DIR)."
