"""The chart of a bag: cost against span, a line a machine type, the sizers and the chosen point marked."""

from collections.abc import Sequence
from typing import Any

from loadmaster.report.theme import ACCENT, INK, rows, themed
from loadmaster.sim.bags.curve import CurvePoint


def bag_chart(
    curve: Sequence[CurvePoint],
    sizers: Sequence[CurvePoint],
    chosen: CurvePoint | None,
    unit: str = "",
    title: str = "",
    subtitle: str = "",
) -> Any:
    """Span across, cost upwards in `unit`, both logarithmic; the further down and left, the better.

    Without a title there is none: a page has its own.
    """
    import altair as alt

    x = alt.X("span_min:Q", title="span, minutes", scale=alt.Scale(type="log", nice=False, padding=12))
    y = alt.Y("cost:Q", title=f"cost, {unit}" if unit else "cost", scale=alt.Scale(type="log", nice=False, padding=12))
    tips = [
        "what:N",
        "type:N",
        alt.Tooltip("hosts:Q", format=".1f"),
        alt.Tooltip("span_min:Q", format=".1f"),
        alt.Tooltip("cost:Q", format=".4~g"),
    ]
    lines = alt.Chart(rows([_row(p, "machines") for p in curve]))
    kinds = sorted({p.type for p in curve})
    colour = alt.Color(
        "type:N",
        title="fixed number of",
        scale=alt.Scale(domain=kinds, range=PALETTE[: len(kinds)]),
        legend=alt.Legend() if len(kinds) > 1 else None,
    )
    layers = [
        lines.mark_line(strokeWidth=1.5, opacity=0.6).encode(x=x, y=y, color=colour, order="span_min:Q"),
        lines.mark_circle(size=34, opacity=0.9).encode(x=x, y=y, color=colour, tooltip=tips),
    ]
    learn = alt.Chart(rows([_row(p, "") for p in sizers]))
    layers.append(learn.mark_point(size=110, filled=True, shape="diamond", color=INK).encode(x=x, y=y, tooltip=tips))
    for number, p in enumerate(sizers):  # their points often lie close together
        label = alt.Chart(rows([_row(p, "")])).mark_text(align="left", dx=9, dy=-10 - 15 * number, color=INK)
        layers.append(label.encode(x=x, y=y, text="what:N"))
    if chosen is not None:
        best = alt.Chart(rows([_row(chosen, "machines" if chosen.knows else "")]))
        layers.append(best.mark_point(size=260, strokeWidth=2.5, color="#c92a3a").encode(x=x, y=y))
        layers.append(
            best.mark_text(align="left", dx=12, dy=14, color="#c92a3a", fontWeight=600).encode(x=x, y=y, text="what:N")
        )
    chart = alt.layer(*layers).properties(width=720, height=400)
    return themed(chart.properties(title=alt.Title(title, subtitle=subtitle)) if title else chart)


PALETTE = [ACCENT, "#138a5e", "#c2620a", "#7a4fc4", "#8a6d1d", "#1d9aa8", "#c2479b", "#7a828e"]


def _row(p: CurvePoint, unit: str) -> dict[str, Any]:
    what = f"{p.label} {unit.removesuffix('s') if p.label == '1' else unit}".strip()
    return {"what": what, "type": p.type, "hosts": p.hosts, "span_min": p.span_s / 60, "cost": p.cost}
