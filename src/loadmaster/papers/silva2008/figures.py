"""Figures 1, 2 and 4 to 7, drawn from our runs and tiles."""

from typing import Any

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.papers.silva2008.study import AGGRESSIVE, CONSERVATIVE, GRID, Cells
from loadmaster.report.theme import ACCENT, INK, rows, themed
from loadmaster.sim.bags.repetitions import repeat
from loadmaster.sizing import FixedHosts

_SHADES = ["#9ecae1", "#6baed6", "#3182bd", "#08519c", "#c2620a"]


def figure_1() -> Any:
    """Hours charged and speedup over the number of machines."""
    import altair as alt

    bag = np.full((1, 300), 300.0)
    values = []
    for hosts in (*range(1, 61), *range(65, 301, 5)):
        run = repeat(bag, FixedHosts(hosts))
        values.append({"machines": hosts, "what": "hours charged", "value": float(run.cost[0])})
        values.append({"machines": hosts, "what": "speedup", "value": float(run.speedup[0])})
    colour = alt.Color(
        "what:N", title=None, scale=alt.Scale(domain=["hours charged", "speedup"], range=["#c2620a", ACCENT])
    )
    chart = alt.Chart(rows(values), width=640, height=260).mark_line(strokeWidth=2)
    return themed(chart.encode(x="machines:Q", y=alt.Y("value:Q", title=None), color=colour))


def figure_2(durations_s: Floats) -> Any:
    """How long each tile takes, in the order of the picture, and the mean over the tiles up to it."""
    import altair as alt

    means = means_so_far(durations_s)
    values = [
        {"tile": k + 1, "seconds": float(t), "mean": float(mean)}
        for k, (t, mean) in enumerate(zip(durations_s, means, strict=True))
    ]
    base = alt.Chart(rows(values), width=640, height=240).encode(x=alt.X("tile:Q", scale=alt.Scale(nice=False)))
    points = base.mark_circle(color=ACCENT, size=22, opacity=0.7).encode(y=alt.Y("seconds:Q", title="seconds"))
    return themed(points + base.mark_line(color=INK, strokeWidth=2).encode(y=alt.Y("mean:Q", title="seconds")))


def means_so_far(durations_s: Floats) -> Floats:
    """float64[N]: the mean of each duration and those before it.

    Example:
        >>> means_so_far(np.array([30.0, 60.0, 30.0])).tolist()
        [30.0, 45.0, 40.0]
    """
    return np.asarray(np.cumsum(durations_s) / np.arange(1, len(durations_s) + 1))


def figure_4(bags: dict[str, Floats]) -> Any:
    """How long the tasks of each workload take."""
    import altair as alt

    values = [{"workload": name, "seconds": float(t)} for name, bag in bags.items() for t in bag]
    bars = alt.Chart(rows(values), width=210, height=160).mark_bar(color=ACCENT)
    x = alt.X("seconds:Q", bin=alt.Bin(step=25), title="seconds")
    return themed(bars.encode(x=x, y=alt.Y("count()", title="tasks")).facet(alt.Column("workload:N", title=None)))


def figures_5_and_6(cells: Cells) -> Any:
    """Span and number of machines over the creation ratio, a line for every increase ratio; bars are one deviation."""
    import altair as alt

    values = []
    for (c, i), runs in cells.items():
        best = float(np.ceil(runs.work_s / 3600).mean())
        for what, column in (("span, minutes", runs.span_s / 60), ("machines", runs.hosts)):
            mean, sd = float(np.mean(column)), float(np.std(column))
            row = {
                "c": c + 0.012 * (GRID.index(i) - 2),
                "increase": f"{i:g}",
                "mean": mean,
                "low": mean - sd,
                "high": mean + sd,
            }
            values.append({**row, "what": what, "best": best})
    colour = alt.Color("increase:N", title="increase ratio", scale=alt.Scale(range=_SHADES))
    panels = []
    for what in ("span, minutes", "machines"):
        base = alt.Chart(rows([v for v in values if v["what"] == what]), width=330, height=240)
        x = alt.X("c:Q", title="creation ratio", axis=alt.Axis(values=list(GRID), format=".2f"))
        y = alt.Y("mean:Q", title=what, scale=alt.Scale(zero=False))
        layers = [
            base.mark_line(strokeWidth=1.5).encode(x=x, y=y, color=colour),
            base.mark_rule(opacity=0.5).encode(x=x, y=alt.Y("low:Q", title=what), y2="high:Q", color=colour),
        ]
        if what == "machines":
            layers.append(base.mark_rule(strokeDash=[5, 4], color=INK).encode(y=alt.Y("mean(best):Q", title=what)))
        panels.append(alt.layer(*layers))
    return themed(alt.hconcat(*panels))


def figure_7(cells: dict[str, Cells]) -> Any:
    """Every run's machines and speedup, conservative and aggressive."""
    import altair as alt

    values = [
        {"workload": name, "behaviour": label, "machines": int(h), "speedup": float(s)}
        for name, found in cells.items()
        for label, key in (("conservative", CONSERVATIVE), ("aggressive", AGGRESSIVE))
        for h, s in zip(found[key].hosts, found[key].speedup, strict=True)
    ]
    colour = alt.Color(
        "behaviour:N", title=None, scale=alt.Scale(domain=["conservative", "aggressive"], range=[ACCENT, "#c2620a"])
    )
    x = alt.X("machines:Q", scale=alt.Scale(zero=False))
    y = alt.Y("speedup:Q", scale=alt.Scale(zero=False))
    points = alt.Chart(rows(values), width=210, height=220).mark_point(opacity=0.45, size=26)
    return themed(points.encode(x=x, y=y, color=colour).facet(alt.Column("workload:N", title=None)))
