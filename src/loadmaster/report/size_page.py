"""The page of a bag of tasks: how many machines, what each number of them costs, and how long it takes."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadmaster.model.units import percent, show_seconds
from loadmaster.report.bag_chart import PALETTE
from loadmaster.report.columns import short
from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
from loadmaster.report.page_footer import page_footer
from loadmaster.report.theme import rows, themed, unchecked
from loadmaster.report.time_charts import unit_of
from loadmaster.sim.bags.curve import MIXED, CurvePoint


def size_page(
    answer: str,
    headline: str,
    notes: Sequence[str],
    curve: Sequence[CurvePoint],
    sizers: Sequence[CurvePoint],
    chosen: CurvePoint | None,
    chart: Any,
    facts: Mapping[str, Any],
    unit: str = "",
) -> Page:
    """The page.

    Args:
        answer: the sentence on top.
        headline: the bag in one line.
        notes: below the answer.
        curve: cost and span by the number of machines.
        sizers: the same of sizers that learn.
        chosen: the point to choose, of either; None where none keeps what was asked.
        chart: cost against span.
        facts: how it was made; `confidence` is a number.
        unit: of every cost; empty where that is not known.
    """
    sure = f"{percent(facts['confidence'], 0)} sure"
    blocks: list[Block] = [Text(note, "note") for note in notes]
    cost = f"cost, {unit}" if unit else "cost"
    blocks.append(_table(curve, sizers, chosen, sure, cost))
    caption = "The further down and left, the better; the red circle is the number to choose."
    blocks += [Heading("Cost against span"), Chart(chart, caption)]
    with unchecked():
        caption = f"Lines: the mean of all simulated runs. Upper edge of the band: {sure} that the value is not higher."
        blocks += [Heading("By the number of machines"), Chart(_by_number(curve, cost), caption)]
    return Page(answer, [*blocks, *page_footer(facts)], headline, "loadmaster size")


def worth_showing(curve: Sequence[CurvePoint], chosen: CurvePoint | None) -> list[CurvePoint]:
    """Points that no other beats in both cost and span, a quarter apart, and the chosen one with its neighbours."""

    def beaten(p: CurvePoint) -> bool:
        return any(q.type == p.type and q.cost <= p.cost and q.span_s < p.span_s * (1 - 1e-9) for q in curve)

    at = curve.index(chosen) if chosen in curve else -9
    points: list[CurvePoint] = []
    for place, p in enumerate(curve):
        apart = not points or points[-1].type != p.type or p.hosts >= points[-1].hosts * 1.25
        if abs(place - at) <= 1 or (apart and not beaten(p)):
            points.append(p)
    return points


def _table(
    curve: Sequence[CurvePoint], sizers: Sequence[CurvePoint], chosen: CurvePoint | None, sure: str, cost: str
) -> Table:
    cells: list[list[str]] = []
    digits = 0 if all(float(c).is_integer() for p in (*curve, *sizers) for c in (p.cost, p.cost_sure)) else 2
    tones: dict[tuple[int, int], str] = {}
    shown = worth_showing(curve, chosen)
    for r, p in enumerate((*shown, *sizers)):
        cells.append(
            [
                p.label,
                p.type,
                f"{p.cost:,.{digits}f}",
                f"{p.cost_sure:,.{digits}f}",
                show_seconds(p.span_s),
                show_seconds(p.span_sure_s),
                short(p.speedup),
            ]
        )
        if p is chosen:
            tones |= {(r, c): "best" if c == 0 else "good" for c in range(7)}
    bands = {0: "a fixed number of machines", len(shown): "sizers that learn the durations while the bag runs"}
    return Table(
        ("machines", "type", cost, f"{cost}, {sure}", "span", f"span, {sure}", "speedup"),
        cells,
        "Numbers that no other beats in both cost and span, a quarter apart, and the neighbours of the one to choose.",
        tones=tones,
        bands=bands if sizers else {},
    )


def _by_number(curve: Sequence[CurvePoint], cost: str) -> Any:
    import altair as alt

    curve = [p for p in curve if MIXED not in p.type]
    unit, size = unit_of(max(p.span_s for p in curve))
    kinds = sorted({p.type for p in curve})
    values = [
        {
            "type": p.type,
            "hosts": p.hosts,
            "cost": p.cost,
            "cost_sure": p.cost_sure,
            "span": p.span_s / size,
            "span_sure": p.span_sure_s / size,
        }
        for p in curve
    ]
    colour = alt.Color(
        "type:N",
        title=None,
        scale=alt.Scale(domain=kinds, range=PALETTE[: len(kinds)]),
        legend=alt.Legend(orient="bottom") if len(kinds) > 1 else None,
    )
    panels = []
    for name, title in (("cost", cost), ("span", f"span, {unit}")):
        base = alt.Chart(rows(values), width=420, height=220).encode(
            x=alt.X("hosts:Q", title="machines", scale=alt.Scale(type="log", nice=False)),
            color=colour,
            tooltip=[
                "type:N",
                alt.Tooltip("hosts:Q", format=","),
                *(alt.Tooltip(f"{each}:Q", format=".4~g") for each in (name, f"{name}_sure")),
            ],
        )
        y = alt.Y(f"{name}:Q", title=title, scale=alt.Scale(zero=False))
        band = base.mark_area(opacity=0.18).encode(y=y, y2=f"{name}_sure:Q")
        panels.append(band + base.mark_line(strokeWidth=2).encode(y=y) + base.mark_circle(size=30).encode(y=y))
    return themed(alt.hconcat(*panels, spacing=40))
