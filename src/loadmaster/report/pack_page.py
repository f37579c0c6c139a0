"""The page of a packing: the answer, the methods beside each other, the hosts as they are filled, the yields."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadmaster.model.units import MEMORY, percent, show_bytes
from loadmaster.packing.instance import Instance
from loadmaster.packing.packing import Packing
from loadmaster.packing.picture import host_loads
from loadmaster.report.columns import short
from loadmaster.report.host_fill_chart import filled_chart
from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
from loadmaster.report.page_footer import page_footer
from loadmaster.report.theme import ACCENT, STRANDED, rows, themed, unchecked

MOST_YIELDS = 2_000
MOST_ROWS = 1_000
"""Rows of the table of tasks at most; all stand in placement.csv."""


def pack_page(
    name: str,
    answer: str,
    notes: Sequence[str],
    facts: Mapping[str, Any],
    methods: Sequence[Mapping[str, Any]],
    instance: Instance,
    packing: Packing,
    tasks: Sequence[Mapping[str, Any]],
    command: str = "",
) -> Page:
    """The page.

    Args:
        name: of the file of tasks.
        answer: the sentence on top.
        notes: below it.
        facts: of the packing, as `packing.summary` gives them.
        methods: a row for each packer, as `packing.beside` gives them; that of the packing first.
        instance: what was packed.
        packing: its packing.
        tasks: a row for each task, as `packing.summary` gives them.
        command: the command that makes it again.
    """
    blocks: list[Block] = [Text(note, "note") for note in notes]
    if not packing.placed:
        blocks += [Text(text, "warning") for text in _why_not(facts)]
    if packing.placed:
        blocks.append(_methods(methods) if packing.minimise == "level" else _costs(methods, packing.minimise))
    else:
        blocks += _left_over(facts)
    if (packing.host >= 0).any():
        with unchecked():
            blocks += _pictures(instance, packing)
        blocks += [Heading("Where every task goes"), _tasks(instance, tasks)]
    footer = {
        "command": command,
        "tasks": f"{facts['tasks']:,} of {facts['jobs']:,} jobs",
        "hosts": f"{facts['hosts']:,}",
        "solver": facts["solver"],
        "data": "synthetic" if facts["synthetic"] else "",
    }
    return Page(answer, [*blocks, *page_footer(footer)], name, "loadmaster pack")


def _why_not(facts: Mapping[str, Any]) -> list[str]:
    sentences = [f"Not all tasks have a host: {facts['reason']}."] if facts["reason"] else []
    if facts["fits_nowhere"]:
        sentences.append(f"Tasks that fit on no host, even if it is empty: {', '.join(facts['fits_nowhere'][:20])}.")
    if facts["place_bound"] is not None:
        counts = f"{facts['placed_tasks']:,} of {facts['tasks']:,} tasks are placed"
        sentences.append(f"{counts}. No placement has more than {facts['place_bound']:,}.")
    return sentences


def _left_over(facts: Mapping[str, Any]) -> list[Block]:
    """The tasks without a host, and what they request."""
    shown = facts["left_over"][:MOST_ROWS]
    names = list(dict.fromkeys(name for row in shown for name in row["demand"]))
    kinds = any(row.get("gpu_kind") for row in shown)
    cells = [
        [
            row["task"],
            *(_amount(name, row["demand"].get(name, 0.0)) for name in names),
            *([row["gpu_kind"] or "any"] if kinds else []),
        ]
        for row in shown
    ]
    if not cells:
        return []
    left = len(facts["left_over"]) - len(cells)
    caption = f"The first {len(cells):,}; {left:,} more have no host in placement.csv." if left else ""
    return [
        Heading("Tasks that are left over"),
        Table(("task", *names, *(["kind of GPU"] if kinds else [])), cells, caption),
    ]


def _amount(name: str, value: float) -> str:
    return show_bytes(value) if name == MEMORY else short(value)


def _methods(methods: Sequence[Mapping[str, Any]]) -> Table:
    placed = [row["min_yield"] for row in methods if row["min_yield"] is not None]
    most = max(placed, default=0.0)
    cells, best = [], set()
    for r, row in enumerate(methods):
        if row["min_yield"] is None:
            cells.append([row["method"], "no placement", "-", "-", "-", "-"])
            continue
        if len(placed) > 1 and row["min_yield"] >= most - 1e-9:
            best.add((r, 1))
        cells.append(
            [
                row["method"],
                f"{row['min_yield']:.4f}",
                f"{row['bound']:.4f}",
                percent(row["gap"], 2),
                f"{row['mean_yield']:.4f}",
                f"{row['hosts_used']:,}",
            ]
        )
    caption = (
        "Yield: the CPU that a job gets over the CPU that it requests. No placement of these tasks has a minimum yield "
        "above the bound; the gap is how far below the bound a method is at most. The first line is the placement "
        "of this page."
    )
    return Table(
        ("method", "minimum yield", "bound", "gap to it", "mean yield", "hosts used"), cells, caption, frozenset(best)
    )


def _costs(methods: Sequence[Mapping[str, Any]], minimise: str) -> Table:
    """The methods where hosts are counted or paid."""
    least = min((row["cost"] for row in methods if row["cost"] is not None), default=0.0)
    cells, best = [], set()
    for r, row in enumerate(methods):
        if row["cost"] is None:
            cells.append([row["method"], "no placement", "-", "-", "-"])
            continue
        if len(methods) > 1 and row["cost"] <= least * (1 + 1e-9):
            best.add((r, 1))
        cells.append(
            [
                row["method"],
                f"{row['cost']:,.10g}",
                f"{row['cost_bound']:,.10g}",
                percent(row["gap"], 2),
                f"{row['hosts_used']:,}",
            ]
        )
    what = {"hosts": "hosts", "cost": "price an hour"}.get(minimise, minimise)
    caption = (
        f"No placement of these tasks has a lower number in this column than the bound: {what}. The gap is how far "
        "above its bound a method is. The first line is the placement of this page."
    )
    return Table(("method", what, "bound", "gap to it", "hosts used"), cells, caption, frozenset(best))


def _pictures(instance: Instance, packing: Packing) -> list[Block]:
    blocks: list[Block] = []
    filled = filled_chart(instance, packing.host)
    if filled is not None:
        caption = "Each bar is a host, each piece a task. Above 100 %, tasks share the host and yields fall below 1."
        blocks += [Heading("The hosts, filled by task"), Chart(filled, caption)]
    else:
        caption = "What the tasks of a host request over what it has, for each resource; above 100 % it is shared."
        blocks += [Heading("How full the hosts are"), Chart(themed(host_loads(instance, packing)), caption)]
    if not packing.placed:
        return blocks
    caption = "Every job's yield, the least on the left; the dashed line is the bound that no minimum can exceed."
    return [*blocks, Heading("The yields"), Chart(_yields(packing), caption)]


def _yields(packing: Packing) -> Any:
    import altair as alt

    ordered = np.sort(packing.job_yield)
    shown = np.unique(np.linspace(0, len(ordered) - 1, min(len(ordered), MOST_YIELDS)).astype(int))
    values = [{"rank": int(k) + 1, "yield": float(ordered[k])} for k in shown]
    line = (
        alt.Chart(rows(values), width=860, height=200)
        .mark_area(interpolate="step-after", color=ACCENT, fillOpacity=0.25, line={"color": ACCENT})
        .encode(
            x=alt.X(
                "rank:Q", title="jobs, the least yield first", scale=alt.Scale(nice=False), axis=alt.Axis(tickMinStep=1)
            ),
            y=alt.Y("yield:Q", title="yield", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)),
            tooltip=[alt.Tooltip("rank:Q", format=","), alt.Tooltip("yield:Q", format=".4f")],
        )
    )
    bound = alt.Chart(rows([{"y": min(packing.bound, 1.0)}])).mark_rule(color=STRANDED, strokeDash=[4, 3], size=2)
    return themed(line + bound.encode(y="y:Q"))


def _tasks(instance: Instance, tasks: Sequence[Mapping[str, Any]]) -> Table:
    cells = [
        [
            row["task"],
            row["job"],
            row["host"] or ("refused" if row["refused"] else "-"),
            "-" if row["yield"] is None else f"{row['yield']:.4f}",
            *([" ".join(map(str, row["cards"])) or "-"] if "cards" in row else []),
            *("-" if share is None else short(share) for share in row["share"].values()),
        ]
        for row in tasks[:MOST_ROWS]
    ]
    left = len(tasks) - len(cells)
    caption = f"The first {len(cells):,}; {left:,} more stand in placement.csv." if left else ""
    cards = ["GPUs"] if tasks and "cards" in tasks[0] else []
    heads = ("task", "job", "host", "yield", *cards, *(f"{name} received" for name in instance.fluid_names))
    return Table(heads, cells, caption)
