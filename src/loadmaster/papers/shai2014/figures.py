"""Figures 3.5, 4.4 and 6.1 to 6.4 of Shai 2014: one panel a pool."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadmaster.papers.estimate import mean_of, reduction
from loadmaster.papers.shai2014.buckets import Matches
from loadmaster.papers.shai2014.loads import Curves, compared
from loadmaster.papers.shai2014.published import HEURISTICS, NAMES, POLICIES, SINGLE
from loadmaster.report.page import Chart
from loadmaster.report.theme import colour_of, colours, names_axis, rows, themed, tooltip

_TITLES = {"wait": "mean wait (s)", "slowdown": "mean slowdown", "queue": "mean queue length (jobs)"}
_FIGURE = {"wait": "Figure 6.1", "slowdown": "Figure 6.2", "queue": "Figure 6.3"}


def win_chart(found: Mapping[str, Sequence[Matches]], figure: str, label: str, shape: int = 0) -> Chart:
    """Figure 3.5 (four heuristics) or 4.4 (with Mix-Fit): share of buckets won."""
    heuristics = SINGLE if figure == "Figure 3.5" else HEURISTICS
    panels = []
    for pool, shapes in found.items():
        wins = shapes[shape].wins(heuristics)
        values = []
        for p, name in enumerate(heuristics):
            share = mean_of(wins[:, p])
            values.append({"policy": name, "share": share.value, "low": share.low, "high": share.high})
        panels.append(_bars(values, f"pool {pool}, {label}", "buckets won, alone or tied"))
    first = next(iter(found.values()))[shape]
    total = sum(shapes[shape].buckets for shapes in found.values())
    caption = (
        f"{figure}, {label}: {total:,} buckets of 1,000 jobs, each given to an empty pool of {first.shape.name}. "
        "A bucket's point goes to every heuristic that matched as many jobs as the best; lines show 95 % intervals."
    )
    return Chart(_grid(panels), caption)


def load_chart(everything: Mapping[str, Curves], metric: str) -> Chart:
    """Figures 6.1 to 6.3: a metric against the load."""
    panels = []
    for curves in everything.values():
        values = []
        for p, name in enumerate(POLICIES):
            for level, load in enumerate(curves.loads):
                value = float(curves.values[metric][:, level, p].mean())
                values.append({"policy": name, "load": float(load), "value": value})
        panels.append(_lines(values, curves, _TITLES[metric], "~s"))
    caption = f"{_FIGURE[metric]}: {_TITLES[metric]} against the offered load of the scarcer resource. "
    return Chart(_grid(panels), caption + _about(everything))


def relative_chart(everything: Mapping[str, Curves]) -> Chart:
    """The differences in Figure 6.1, which the growth with the load hides: wait against the single-resource mean."""
    panels = []
    for curves in everything.values():
        values = []
        for level, load in enumerate(curves.loads):
            mean = compared(curves, level)[2]
            for name in POLICIES:
                less = reduction(curves.of(name)[:, level], mean)
                bounds = {"low": -less.high, "high": -less.low}
                values.append({"policy": name, "load": float(load), "value": -less.value, **bounds})
        panels.append(_lines(values, curves, "mean wait against the four", "+.0%"))
    caption = (
        "The same waits, in percent above or below the mean of the four single-resource heuristics; lines upright "
    )
    return Chart(_grid(panels), caption + "show 95 % intervals over streams. " + _about(everything))


def choice_chart(everything: Mapping[str, Curves]) -> Chart:
    """Figure 6.4: share of the cycles in which Max-Jobs chose each member."""
    panels = []
    for curves in everything.values():
        chosen = curves.chosen.mean(axis=1)
        values = []
        for m, name in enumerate(HEURISTICS):
            share = mean_of(chosen[:, m])
            values.append({"policy": name, "share": share.value, "low": share.low, "high": share.high})
        panels.append(_bars(values, curves.label, "cycles, won or tied"))
    caption = "Figure 6.4: how often each heuristic gave Max-Jobs its schedule, ties counted for all, over all loads. "
    return Chart(_grid(panels), caption + _about(everything))


def _about(everything: Mapping[str, Curves]) -> str:
    made = [curves.name for curves in everything.values() if curves.synthetic]
    real = [curves.name for curves in everything.values() if not curves.synthetic]
    said = [f"Pools {', '.join(made)} are synthetic."] if made else []
    return " ".join([*said, *([f"Real log: {', '.join(real)}."] if real else [])])


def _grid(panels: list[Any]) -> Any:
    import altair as alt

    return themed(alt.concat(*panels, columns=2, spacing={"row": 28, "column": 48}))


def _bars(values: list[dict[str, Any]], title: str, what: str) -> Any:
    import altair as alt

    names = [value["policy"] for value in values]
    shown = rows([{**value, "name": NAMES[value["policy"]]} for value in values])
    base = alt.Chart(shown, width=270, height=alt.Step(24), title=title).encode(y=names_axis("name"))
    colour = alt.Color("policy:N", scale=alt.Scale(domain=names, range=colours(names)), legend=None)
    share = alt.X("share:Q", title=what, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=5))
    bars = base.mark_bar(height=15).encode(x=share, color=colour, tooltip=tooltip("name", share=".1%"))
    ticks = base.mark_rule(color="#1c2430").encode(x="low:Q", x2="high:Q")
    text = base.mark_text(align="left", dx=5, fontSize=11).encode(x="high:Q", text=alt.Text("share:Q", format=".0%"))
    return bars + ticks + text


def _lines(values: list[dict[str, Any]], curves: Curves, what: str, numbers: str) -> Any:
    import altair as alt

    loads = [round(float(load), 4) for load in np.sort(curves.loads)]
    ticks = alt.Axis(format=".2f", values=loads, grid=False, labelOverlap=True)
    base = alt.Chart(rows(values), width=330, height=210, title=curves.label).encode(
        x=alt.X("load:Q", title="offered load", scale=alt.Scale(zero=False, padding=10, nice=False), axis=ticks),
        y=alt.Y("value:Q", title=what, axis=alt.Axis(format=numbers, tickCount=5)),
        color=colour_of(POLICIES, orient="bottom", columns=6),
        tooltip=tooltip("policy", load=".2f", value="+.1%" if "%" in numbers else ",.4~g"),
    )
    drawn = base.mark_line(strokeWidth=2) + base.mark_circle(size=32, opacity=1)
    if "low" in values[0]:
        drawn += base.mark_rule(strokeWidth=1.5, opacity=0.5).encode(y="low:Q", y2="high:Q")
    return drawn
