"""The report of a comparison: the answer on top, then the table, the charts, and how to make it again."""

import math
import textwrap
from pathlib import Path
from typing import Any

from loadmaster import __version__
from loadmaster.measure.timeline import typical_demand
from loadmaster.model.units import MEMORY, show_bytes
from loadmaster.report.answer import answer, unbroken
from loadmaster.report.columns import change_text, columns_for, marked
from loadmaster.report.comparison import Comparison, Group, faults, load_words
from loadmaster.report.load_charts import load_charts, member_chart, ranking, wait_charts
from loadmaster.report.page import Block, Chart, Facts, Heading, Table, Text, write_page
from loadmaster.report.terminal import title
from loadmaster.report.theme import themed
from loadmaster.report.time_charts import capacity_chart, queue_chart
from loadmaster.report.wait_chart import wait_chart


def write_report(path: Path, comparison: Comparison) -> None:
    """Write the page; it holds all it shows and needs no network."""
    blocks: list[Block] = [Text(f"Do not trust all of this: {fault}", "warning") for fault in faults(comparison)]
    blocks += [Text(remark, "warning" if "synthetic" in remark else "note") for remark in comparison.remarks]
    blocks += [_table(comparison), *_by_load(comparison), *_details(comparison, detailed(comparison))]
    blocks += [Heading("How this was made"), Facts(_facts(comparison))]
    write_page(path, unbroken(answer(comparison)), blocks, subtitle=title(comparison), label="loadmaster compare")


def main_chart(comparison: Comparison) -> Any:
    """The one chart that stands for the whole: against the load, or a ranking where there is one load."""
    group = detailed(comparison)
    several = len({g.load for g in comparison.groups}) > 1
    chart = wait_charts(comparison, group.discipline) if several else ranking(comparison, group)
    lines = textwrap.wrap(unbroken(answer(comparison)), 90)
    return themed(chart.properties(title={"text": lines, "subtitle": title(comparison)}, padding=16))


def detailed(comparison: Comparison) -> Group:
    """The group shown in detail: the highest load, under the discipline that did best there."""
    most = max(group.load for group in comparison.groups)
    return min((g for g in comparison.groups if g.load == most), key=lambda g: g.best.metrics.mean_wait_s)


def _table(comparison: Comparison) -> Table:
    columns = columns_for(comparison)
    rows: list[list[str]] = []
    best: set[tuple[int, int]] = set()
    bands: dict[int, str] = {}
    for group in comparison.groups:
        if len(comparison.groups) > 1:
            bands[len(rows)] = f"{load_words(group.load)}, {group.discipline}"
        marks = [marked(column, group) for column in columns]
        for r, outcome in enumerate(group.outcomes):
            cells = [column.show(column.value(outcome)) for column in columns]
            best |= {(len(rows), c + (2 if c else 1)) for c in range(len(columns)) if marks[c][r]}
            rows.append([outcome.setting.policy, cells[0], change_text(group, outcome), *cells[1:]])
    heads = [column.title for column in columns]
    return Table(["policy", heads[0], "change", *heads[1:]], rows, best=frozenset(best), bands=bands)


def _by_load(comparison: Comparison) -> list[Block]:
    if len({group.load for group in comparison.groups}) < 2:
        return []
    blocks: list[Block] = [Heading("Against the load")]
    for discipline in comparison.disciplines:
        caption = f"Discipline {discipline}. " if len(comparison.disciplines) > 1 else ""
        caption += "Click a policy in the legend to see it alone."
        blocks.append(Chart(themed(load_charts(comparison, discipline)), caption))
    return blocks


def _details(comparison: Comparison, group: Group) -> list[Block]:
    where = f" at {load_words(group.load)}" if math.isfinite(group.load) else ", all jobs at once"
    where += f" under {group.discipline}" if len(comparison.disciplines) > 1 else ""
    blocks: list[Block] = []
    if len(group.outcomes) > 1:
        blocks += [Heading(f"Mean wait{where}"), Chart(themed(ranking(comparison, group)))]
    blocks += [
        Heading(f"The queue over time{where}"),
        Chart(
            themed(queue_chart(comparison, group)),
            _queue_caption(comparison, group),
        ),
        Heading(f"How long jobs waited{where}"),
        Chart(
            themed(wait_chart(comparison, group)),
            "Further to the left is better: fewer jobs wait so long. Both scales are logarithmic.",
        ),
        Heading(f"Where the capacity went{where}"),
        Chart(_capacity(comparison, group), _stranded_caption(comparison)),
    ]
    members = member_chart(group)
    if members is not None:
        caption = (
            "Part of the cycles in which each member started as many jobs as the best. Members tie often, so the bars "
            "together come to more than 100 %; most cycles leave no choice at all."
        )
        blocks += [Heading(f"What max-jobs chose{where}"), Chart(themed(members), caption)]
    return blocks


def _capacity(comparison: Comparison, group: Group) -> Any:
    import altair as alt

    names = comparison.case.workload.resources[:2]
    width = 430 if len(names) > 1 else 940
    return themed(alt.hconcat(*[capacity_chart(group, r, name, width) for r, name in enumerate(names)], spacing=40))


def _queue_caption(comparison: Comparison, group: Group) -> str:
    text = "Jobs waiting as each scheduling cycle found them; every peak is kept, and all rows have the same scale."
    return text if group.baseline is None else f"{text} The dark line in each row is {comparison.baseline}."


def _stranded_caption(comparison: Comparison) -> str:
    case = comparison.case
    amounts = [
        show_bytes(amount) if name == MEMORY else f"{amount:g} {name if amount != 1 else name.removesuffix('s')}"
        for name, amount in zip(case.workload.resources, typical_demand(case.workload), strict=True)
    ]
    return (
        "Stranded: free on a host that has enough of it for a typical task, while another resource of the same host "
        f"is too short for one. A typical task here asks {' and '.join(amounts)} (medians)."
    )


def _facts(comparison: Comparison) -> dict[str, str]:
    case, first = comparison.case, comparison.outcomes[0].setting
    worst = max(outcome.metrics.little_error for outcome in comparison.outcomes)
    facts = {
        "command": comparison.command,
        "version": f"loadmaster {__version__}",
        "log": f"{case.workload.source or 'unnamed'}{' (synthetic)' if case.workload.synthetic else ''}",
        "jobs": f"{case.workload.jobs:,}, {case.rejected.total:,} rejected, {case.skipped.total:,} lines left out",
        "cluster": f"{case.cluster.hosts:,} hosts, {_total(comparison)}",
        "policies": ", ".join(comparison.policies),
        "disciplines": ", ".join(comparison.disciplines),
        "offered load": ", ".join(
            load_words(load, 3).removeprefix("load ") for load in sorted({group.load for group in comparison.groups})
        ),
        "cycle": f"{first.interval_s:g} s" if first.interval_s else "at every event",
        "reservations a cycle": _limit(first.reservations),
        "lookahead": _limit(first.lookahead),
        "seed": str(first.seed),
        "name of the data": case.digest,
        "Little's law": _little(worst),
    }
    return {name: value for name, value in facts.items() if value}


def _little(worst: float) -> str:
    agreement = "exactly" if worst == 0 else f"within {worst * 100:.1g} %"
    return f"the queue that the engine counted and the queue that the waits imply agree {agreement} in all runs"


def _limit(count: int | None) -> str:
    return "no limit" if count is None else str(count)


def _total(comparison: Comparison) -> str:
    cluster = comparison.case.cluster
    return ", ".join(
        show_bytes(amount) + " memory" if name == MEMORY else f"{amount:,.0f} {name}"
        for name, amount in zip(cluster.resources, cluster.total, strict=True)
    )
