"""Pictures of a search: the results of every trial, and the held-out weeks."""

import math
from typing import Any

from loadmaster.measure.metric import METRICS
from loadmaster.report.theme import ACCENT, INK, MUTED, RULE, rows, themed, tooltip
from loadmaster.report.tune_claims import rule_words
from loadmaster.tuning.bench import PortableRule
from loadmaster.tuning.full_log_run import FullLogRun
from loadmaster.tuning.tune import Tuning

_WON, _FRONT, _KEPT, _OVER = "the winner", "on the Pareto front", "kept the limit", "over the limit"
_LOOKS = {
    _WON: (ACCENT, "diamond"), _FRONT: ("#c2620a", "triangle-up"), _KEPT: (INK, "circle"), _OVER: (MUTED, "cross"),
}  # fmt: skip
_WIDTH, _RIVAL = 860, "#c2620a"


def trials_chart(tuning: Tuning) -> Any:
    """Every trial: of one target against its number, of several the first against each of the others."""
    import altair as alt

    targets, values, against = tuning.plan.targets, _trials(tuning), tuning.plan.baseline_name
    y = _times("t0:Q", targets[0], alt.Y, against)
    if len(targets) == 1:
        x = alt.X("trial:Q", title="trial", axis=alt.Axis(tickMinStep=1, grid=False))
        dots = _dots(values, x, y, _WIDTH)
        line = alt.Chart(rows(_lowest(values))).mark_line(interpolate="step-after", color=ACCENT, strokeWidth=1.6)
        return themed(alt.layer(*_reference_lines(tuning), line.encode(x="trial:Q", y="t0:Q"), dots))
    panels = []
    for k, target in enumerate(targets[1:], 1):
        dots = _dots(values, _times(f"t{k}:Q", target, alt.X, against), y, _WIDTH // (len(targets) - 1))
        panels.append(dots if len(targets) > 2 else alt.layer(_front_line(values), dots))
    return themed(panels[0] if len(panels) == 1 else alt.hconcat(*panels))


def _reference_lines(tuning: Tuning) -> list[Any]:
    """Lines at the figures of the rule to beat and of a built-in winner on the same logs; none if nothing was found."""
    if tuning.unseen is None:
        return []
    lines = _line(tuning, tuning.unseen.rival, "the rule to beat", _RIVAL, 0)
    if tuning.selection.winner is None or tuning.selection.won is not None:
        return lines
    return [*lines, *_line(tuning, tuning.selection.winner.rule, _WON, ACCENT, _WIDTH)]


def _line(tuning: Tuning, rule: PortableRule, what: str, colour: str, at: int) -> list[Any]:
    """A line for a built-in rule, and its name: above it on the left where `at` is 0, else below it on the right."""
    import altair as alt

    rival = next(figures for each, figures in tuning.selection.builtins if each == rule)
    data = rows([{"t0": math.exp(rival.values[0]), "name": f"{rule_words(tuning, rule)}, {what}"}])
    base = alt.Chart(data).encode(y="t0:Q")
    x, y = (-6, 9) if at else (6, -7)
    words = base.mark_text(align="right" if at else "left", dx=x, dy=y, color=colour, fontSize=12)
    return [base.mark_rule(color=colour, strokeDash=[6, 3]), words.encode(x=alt.value(at), text="name:N")]


def _dots(values: list[dict[str, Any]], x: Any, y: Any, width: int) -> Any:
    """A mark a trial, the first target upward."""
    import altair as alt

    shown = [kind for kind in _LOOKS if any(each["what"] == kind for each in values)]
    colours, shapes = (alt.Scale(domain=shown, range=[_LOOKS[kind][k] for kind in shown]) for k in range(2))
    colour = alt.Color("what:N", scale=colours, title=None, legend=_legend())
    shape = alt.Shape("what:N", scale=shapes, title=None, legend=_legend())
    size = alt.condition(f"datum.what == '{_WON}'", alt.value(190), alt.value(55))
    formats = {key: ".3f" for key in values[0] if key.startswith("t") and key != "trial"}
    return (
        alt.Chart(rows(values), width=width, height=330)
        .mark_point(filled=True, opacity=0.9)
        .encode(
            x=x,
            y=y,
            color=colour,
            shape=shape,
            size=size,
            tooltip=tooltip("what", trial="d", **formats, longest=".2f"),
        )
    )


def _times(field: str, target: str, channel: Any, against: str) -> Any:
    """A target as a multiple of the baseline's, its logarithm evenly."""
    import altair as alt

    scale = alt.Scale(type="log", nice=False, padding=12)
    return channel(field, title=f"{METRICS[target].heading}, times {against}'s", scale=scale, axis=_axis())


def _front_line(values: list[dict[str, Any]]) -> Any:
    """What no trial beats: nothing that keeps the limit lies below it and to the left."""
    import altair as alt

    front = [each for each in values if each["front"]]
    line = alt.Chart(rows(front)).mark_line(interpolate="step-before", color=_LOOKS[_FRONT][0], strokeWidth=1.4)
    return line.encode(x="t1:Q", y="t0:Q", order="t1:Q")


def _legend() -> Any:
    """Above the chart, which leaves no room beside it."""
    import altair as alt

    return alt.Legend(orient="top", labelLimit=0)


def weeks_chart(tuning: Tuning) -> Any:
    """Mean wait of the jobs of every held-out week under the winner, the rule to beat and the baseline."""
    import altair as alt

    holdout, winner = tuning.unseen, tuning.selection.winner
    assert holdout is not None
    assert winner is not None
    shown = [winner.rule, *(gain.against for gain in holdout.gains)]
    names = [rule_words(tuning, rule) for rule in shown]
    values = [
        {"rule": name, "week": int(row["name"]), "h": row["mean_wait_s"] / 3600}
        for name, rule in zip(names, shown, strict=True)
        for row in _weeks(holdout.of(rule))
    ]
    colour = alt.Color(
        "rule:N",
        title=None,
        sort=names,
        legend=_legend(),
        scale=alt.Scale(domain=names, range=[ACCENT, _RIVAL, MUTED][: len(names)]),
    )
    return themed(
        alt.Chart(rows(values), width=_WIDTH, height=260)
        .mark_line(point=True, strokeWidth=1.8)
        .encode(
            x=alt.X("week:Q", title="held-out week", axis=alt.Axis(tickMinStep=1, grid=False)),
            y=alt.Y("h:Q", title="mean wait of its jobs, hours", axis=alt.Axis(gridColor=RULE)),
            color=colour,
            tooltip=tooltip("rule", week="d", h=".2f"),
        )
    )


def _trials(tuning: Tuning) -> list[dict[str, Any]]:
    winner, front = tuning.selection.winner, tuning.selection.front if len(tuning.plan.targets) > 1 else ()
    values = []
    for trial in tuning.selection.trials:
        what = _KEPT if trial.figures.keeps(tuning.plan.limit) else _OVER
        won = winner is not None and trial.number == winner.number
        values.append(
            {
                "trial": trial.number + 1,
                **{f"t{k}": math.exp(value) for k, value in enumerate(trial.figures.values)},
                "longest": math.exp(trial.figures.longest),
                "front": trial.number in front,
                "what": _WON if won else _FRONT if trial.number in front else what,
            }
        )
    return values


def _lowest(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lowest so far of those that keep the limit."""
    rows: list[dict[str, Any]] = []
    for each in values:
        if each["what"] != _OVER and (not rows or each["t0"] < rows[-1]["t0"]):
            rows.append({"trial": each["trial"], "t0": each["t0"]})
    return [*rows, {"trial": values[-1]["trial"], "t0": rows[-1]["t0"]}] if rows else []


def _weeks(whole: FullLogRun) -> list[dict[str, Any]]:
    return [row for row in whole.groups if row["by"] == "week"]


def _axis() -> Any:
    import altair as alt

    return alt.Axis(gridColor=RULE, format=".4~g", tickCount=6)
