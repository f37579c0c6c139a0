"""The page of `share`: how much longer jobs take than alone, method by method."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadmaster.model.units import show_seconds
from loadmaster.report.columns import unit_for
from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
from loadmaster.report.page_footer import page_footer
from loadmaster.report.sharing_chart import sharing_chart
from loadmaster.report.sharing_table import label, ratio
from loadmaster.report.theme import USED, names_axis, rows, themed, tooltip, unchecked
from loadmaster.runs.sharing_row import SharingRow


def share_page(
    answer: str, notes: Sequence[str], rows: Sequence[SharingRow], facts: Mapping[str, object], subtitle: str = ""
) -> Page:
    """The page: `facts` say how it was made."""
    blocks: list[Block] = [Text(note, "warning" if "synthetic" in note else "note") for note in notes]
    blocks.append(_table(rows))
    if any(row.mean_stretch >= 0 for row in rows):
        with unchecked():
            caption = "Bars: mean stretch. Ticks: its 95th percentile."
            blocks += [Heading("How much longer jobs take than alone"), Chart(sharing_chart(rows), caption)]
            waits = any(row.mean_wait_s > 0 for row in rows)
            blocks += [
                Heading("Waits and yields"),
                Chart(_waits_and_yields_chart(rows, waits), _FELT if waits else _NO_WAITS),
            ]
    parameters = {label(row.method, row.policy): row.parameters for row in rows if row.parameters != "no migration"}
    return Page(answer, [*blocks, *page_footer({**facts, **parameters})], subtitle, "loadmaster share")


def _table(rows: Sequence[SharingRow]) -> Table:
    ran = [row.mean_stretch for row in rows if row.mean_stretch >= 0 and not row.refused]
    cells, best = [], set()
    for r, row in enumerate(rows):
        if len(ran) > 1 and not row.refused and row.mean_stretch == min(ran):
            best.add((r, 1))
        cells.append(
            [
                label(row.method, row.policy),
                *map(ratio, (row.mean_stretch, row.p95_stretch, row.max_stretch, row.mean_slowdown)),
                _text_or_dash(row.mean_wait_s, show_seconds(row.mean_wait_s)),
                _text_or_dash(row.mean_yield, f"{row.mean_yield:.2f}"),
                f"{row.migrations:,}",
                f"{row.refused:,}",
            ]
        )
    heads = ("method", "mean stretch", "p95", "max", "mean slowdown", "mean wait", "mean yield", "moves", "refused")
    caption = "Stretch: a job's turnaround over what it takes alone; 1 is as if the machines were its own."
    return Table(heads, cells, caption, frozenset(best))


def _text_or_dash(value: float, text: str) -> str:
    return text if value >= 0 else "-"


_FELT = "What a job feels: how long it waits before it begins, and the part of its CPU that it then gets."
_NO_WAITS = "What a job feels: the part of its CPU that it gets. Under no method does any job wait before it begins."


def _waits_and_yields_chart(methods: Sequence[SharingRow], waits: bool) -> Any:
    """Mean waits, where there are any, beside mean yields."""
    import altair as alt

    ran = sorted((row for row in methods if row.mean_stretch >= 0), key=lambda row: row.mean_stretch)
    unit, size = unit_for([row.mean_wait_s for row in ran])
    values = [
        {
            "method": label(row.method, row.policy),
            "wait": max(row.mean_wait_s, 0.0) / size,
            "yield": row.mean_yield if row.mean_yield >= 0 else None,
        }
        for row in ran
    ]
    base = alt.Chart(rows(values), width=340, height=max(60, 26 * len(values)))
    panels = [
        base.mark_bar(color=USED, height=14).encode(
            x=alt.X(f"{name}:Q", title=title, axis=alt.Axis(tickCount=5), scale=scale),
            y=names_axis("method"),
            tooltip=tooltip("method", **{name: ".3~g"}),
        )
        for name, title, scale in (
            ("wait", f"mean wait ({unit})", alt.Undefined),
            ("yield", "mean yield", alt.Scale(domain=[0, 1])),
        )
    ]
    return themed(alt.hconcat(*panels[0 if waits else 1 :], spacing=30))
