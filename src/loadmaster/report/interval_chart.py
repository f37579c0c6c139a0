"""How sure the differences are: a dot and its whiskers for every rule, beside the baseline at 0 %."""

import math
from typing import Any

from loadmaster.report.comparison import Comparison
from loadmaster.report.confidence import difference_text
from loadmaster.report.rule_styles import Drawn
from loadmaster.report.theme import INK, MUTED, RULE, names_axis, rows, rule_chosen, stressed
from loadmaster.runs.judgement import Judged, Judgement

_TICKS = (0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0)
_MOST = 20.0
"""Whiskers beyond twenty times the baseline, or a twentieth of it, are cut off there."""


def interval_chart(comparison: Comparison, judgement: Judgement) -> Any:
    """Rules from the least mean wait to the most, against the baseline; the scale is one of ratios."""
    import altair as alt

    values = [_row(comparison, judgement, row) for row in _sorted_rows(judgement)]
    low = min(min(row["low"], row["mean"]) for row in values)
    high = max(max(row["high"], row["mean"]) for row in values)
    domain = [max(min(low, 0.95), 1 / _MOST) / 1.03, min(max(high, 1.05), _MOST) * 1.03]
    ticks = [tick for tick in _TICKS if domain[0] <= tick <= domain[1]]
    scale = alt.Scale(type="log", domain=domain, nice=False, clamp=True)
    axis = alt.Axis(
        values=_spaced_ticks(ticks, domain),
        grid=True,
        gridColor=RULE,
        labelExpr="datum.value == 1 ? '0 %' : format(100 * datum.value - 100, '+.0f') + ' %'",
    )
    drawn = Drawn(comparison, [o for o in comparison.outcomes if o.load == judgement.load])
    base = alt.Chart(rows(values), width=560, height=alt.Step(30)).encode(y=names_axis("rule"))
    title = f"mean wait against {comparison.rule_name(judgement.baseline)}"
    x = alt.X("mean:Q", scale=scale, axis=axis, title=title)
    zero = alt.Chart(rows([{"at": 1.0}])).mark_rule(color=MUTED, strokeDash=[4, 3]).encode(x=alt.X("at:Q", scale=scale))
    chosen = rule_chosen(on="click")
    marks = {"color": drawn.colour(), "opacity": stressed(chosen), "tooltip": ["rule:N", "note:N"]}
    whiskers = base.mark_rule(strokeWidth=2.4).encode(
        x=alt.X("low:Q", scale=scale, axis=axis, title=title), x2="high:Q", **marks
    )
    ends = [
        base.mark_tick(thickness=2.4, size=11).encode(x=alt.X(f"{end}:Q", scale=scale), **marks)
        for end in ("low", "high")
    ]
    dots = base.mark_circle(size=110).encode(x=x, **marks).add_params(chosen)
    notes = base.mark_text(align="left", dx=14, color=INK, fontSize=12).encode(
        x=alt.value("width"), text="note:N", opacity=alt.condition("datum.leads", alt.value(1.0), alt.value(0.75))
    )
    return drawn.told_apart(alt.layer(zero, whiskers, *ends, dots, notes))


def _sorted_rows(judgement: Judgement) -> list[Judged]:
    comparable = [row for row in judgement.rows if row.difference is not None or row.setting == judgement.baseline]
    return sorted(comparable, key=lambda row: 0.0 if row.difference is None else row.difference.mean)


def _row(comparison: Comparison, judgement: Judgement, row: Judged) -> dict[str, Any]:
    mean, low, high = (0.0, 0.0, 0.0) if row.difference is None else _ends(row)
    leads = row.setting in judgement.best
    note = "baseline" if row.difference is None else difference_text(row.difference)
    if leads:
        note += " · best" if judgement.kind == "best" else " · may be the best"
    return {
        "rule": comparison.rule_name(row.setting),
        "mean": math.exp(mean),
        "low": math.exp(low),
        "high": math.exp(high),
        "note": note,
        "leads": leads,
    }


def _ends(row: Judged) -> tuple[float, float, float]:
    """Mean, low and high, cut off where the chart ends."""
    assert row.difference is not None
    limit, difference = math.log(_MOST), row.difference
    mean, low, high = (min(max(value, -limit), limit) for value in (difference.mean, difference.low, difference.high))
    return mean, low, high


def _spaced_ticks(ticks: list[float], domain: list[float]) -> list[float]:
    """Those that have room for their labels; 1 always has it."""
    room = (math.log(domain[1]) - math.log(domain[0])) / 9
    chosen = [1.0]
    for tick in sorted(ticks, key=lambda each: abs(math.log(each))):
        if all(abs(math.log(tick / other)) >= room for other in chosen):
            chosen.append(tick)
    return sorted(chosen)
