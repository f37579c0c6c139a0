"""Figures 2 to 6 and 8 to 22 of Casanova et al. 2008: a line an algorithm."""
# mypy: disable-error-code="no-untyped-call"

from typing import Any

import numpy as np

from loadmaster.papers.casanova2008.outcome import StudyPart
from loadmaster.papers.casanova2008.published import FIGURES
from loadmaster.papers.casanova2008.study import GREEDIES, MCBS
from loadmaster.report.page import Chart

SET = {"small": "small instances", "large": "large instances", "parallel": "parallel jobs"}
COLOURS = {
    "bound": "#111827", "milp": "#c92a3a", "mcb8": "#1f5fa8", "mcb7": "#6fa8dc", "mcb6": "#1d9aa8", "mcb5": "#138a5e",
    "mcb4": "#c2620a", "mcb3": "#f0ad4e", "mcb2": "#c2479b", "mcb1": "#7a4fc4", "gr": "#c2620a", "gb": "#f0ad4e",
    "sg": "#138a5e", "sgb": "#77c29f", "rrnd": "#7a4fc4", "rrnz": "#c2479b",
}  # fmt: skip


def charts(outcomes: dict[str, StudyPart]) -> list[Chart]:
    """All twenty figures, in the paper's order; RRND and RRNZ on large instances come from the sample."""
    return [_figure(*figure, outcomes) for figure in FIGURES if outcomes[figure[1]].n]


def _figure(number: int, part: str, which: str, what: str, outcomes: dict[str, StudyPart]) -> Chart:
    import altair as alt

    outcome = outcomes[part]
    names = [n for n in (MCBS if which == "mcb" else ("milp", "mcb8", *GREEDIES, "rrnd", "rrnz")) if n in outcome.level]
    rows = [row for name in names for row in _line(outcome, name, what)]
    sampled = part == "large" and which == "all" and outcomes["large-lp"].n > 0
    if sampled:
        names += ["rrnd", "rrnz"]
        rows += [row for name in ("rrnd", "rrnz") for row in _line(outcomes["large-lp"], name, what)]
    if which == "all" and what == "minimum yield":
        names = ["bound", *names]
        rows += _line(outcome, "bound", what)
    by_tasks = what == "run time"
    title = {
        "minimum yield": "mean minimum yield",
        "average yield": "mean average yield",
        "failure rate": "failure rate",
        "run time": "mean run time, ms",
    }[what]
    scale = alt.Scale(type="log") if by_tasks else alt.Scale(zero=what == "failure rate")
    y_axis = alt.Axis(format="%" if what == "failure rate" else "", tickCount=5 if by_tasks else 8)
    shown = alt.Scale(domain=names, range=[COLOURS[name] for name in names])
    dashed = alt.condition(alt.datum.algorithm == "bound", alt.value([5, 3]), alt.value([1, 0]))
    chart: Any = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=1.6)
        .encode(
            x=alt.X(
                "x:Q",
                title="tasks" if by_tasks else "memory slack",
                scale=alt.Scale(zero=False, nice=False),
                axis=alt.Axis(values=sorted({row["x"] for row in rows}), format="d" if by_tasks else ".1f"),
            ),
            y=alt.Y("y:Q", title=title, scale=scale, axis=y_axis),
            color=alt.Color("algorithm:N", scale=shown, sort=names, title=""),
            strokeDash=dashed,
            tooltip=["algorithm:N", "x:Q", alt.Tooltip("y:Q", format=".4f"), "solved:Q"],
        )
        .properties(width=520, height=280, title=f"Figure {number}: {what}, {SET[part]}")
    )
    return Chart(chart, _caption(part, which, what, sampled))


def _line(outcome: StudyPart, name: str, what: str) -> list[dict[str, Any]]:
    by_tasks = what == "run time"
    rows = []
    for x in np.unique(outcome.tasks if by_tasks else outcome.slack):
        part = outcome.take(np.isclose(outcome.tasks if by_tasks else outcome.slack, x))
        solved = part.solved(name) if name != "bound" else np.ones(part.n, bool)
        if what == "failure rate":
            y = 1.0 - float(solved.mean())
        elif by_tasks:
            y = 1e3 * float(part.seconds[name].mean())
        elif solved.any():
            values = (
                part.bound if name == "bound" else (part.level if what == "minimum yield" else part.mean_yield)[name]
            )
            y = float(values[solved].mean())
        else:
            continue
        rows.append({"x": float(x), "y": y, "algorithm": name, "solved": int(solved.sum())})
    return rows


def _caption(part: str, which: str, what: str, sampled: bool) -> str:
    text = {
        "minimum yield": "Averages over solved instances only, as in the paper; the bound is over all.",
        "average yield": "After the second phase, over solved instances only.",
        "failure rate": "Of all instances, feasible or not.",
        "run time": "CPU time, without the second phase.",
    }[what]
    if what == "run time" and which == "all" and (part == "small" or sampled):
        text += " RRNZ is without the linear program it shares with RRND."
    sample = " RRND and RRNZ are from a smaller sample." if sampled else ""
    return f"Synthetic instances. {text}{sample}"
