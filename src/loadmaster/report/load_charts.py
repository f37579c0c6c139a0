"""Charts of the whole run: each rule's wait, slowdown and queue, against the load if there are several."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from loadmaster.report.columns import change_text, short, unit_for
from loadmaster.report.comparison import Comparison, Group
from loadmaster.report.rule_styles import Drawn
from loadmaster.report.theme import ACCENT, MUTED, names_axis, rows, rule_chosen, stressed, tooltip
from loadmaster.report.wait_change import change_of
from loadmaster.runs import Outcome

_WIDTH, _HEIGHT = 400, 230


def load_charts(comparison: Comparison, outcomes: Sequence[Outcome]) -> Any:
    """Mean wait, its change against the baseline, bounded slowdown and mean queue of these runs over the load."""
    import altair as alt

    space = {"row": 96, "column": 76}
    drawn = Drawn(comparison, outcomes)
    return drawn.told_apart(alt.concat(*_panels(comparison, outcomes, drawn), columns=2, spacing=space, bounds="flush"))


def wait_charts(comparison: Comparison, outcomes: Sequence[Outcome]) -> Any:
    """The first two of `load_charts`, side by side."""
    import altair as alt

    panels = _panels(comparison, outcomes, Drawn(comparison, outcomes))
    return alt.hconcat(*panels[:2], spacing=76, bounds="flush")


def _panels(comparison: Comparison, outcomes: Sequence[Outcome], drawn: Drawn) -> list[Any]:
    chosen = rule_chosen(bind="legend", on="click")
    unit, size = unit_for([o.metrics.mean_wait_s for o in outcomes])
    base = comparison.baseline_at(max(outcome.load for outcome in outcomes))
    against = comparison.baseline if base is None else comparison.rule_name(base.setting)
    measures: list[tuple[str, str, Callable[[Outcome], float | None]]] = [
        (f"mean wait ({unit})", ",.4~r", lambda o: o.metrics.mean_wait_s / size),
        (f"mean wait against {against}", _percents(comparison, outcomes), lambda o: _change(comparison, o)),
        ("mean bounded slowdown", ",.4~r", lambda o: o.metrics.mean_bounded_slowdown),
        ("mean queue length (jobs)", "~s", lambda o: o.metrics.mean_queue_length),
    ]
    first, *others = [_panel(comparison, outcomes, drawn, chosen, *measure) for measure in measures]
    return [first.add_params(chosen), *others]  # a click on the legend of one speaks for all


def _percents(comparison: Comparison, outcomes: Sequence[Outcome]) -> str:
    """How changes are written on an axis: with more digits where all are small."""
    return "+.0%" if max(abs(_change(comparison, o) or 0.0) for o in outcomes) > 0.05 else "+.2~%"


def _change(comparison: Comparison, outcome: Outcome) -> float | None:
    part = change_of(comparison, outcome).part
    return part if part is not None and math.isfinite(part) else None


def _panel(
    comparison: Comparison,
    outcomes: Sequence[Outcome],
    drawn: Drawn,
    chosen: Any,
    title: str,
    numbers: str,
    read: Callable[[Outcome], float | None],
) -> Any:
    import altair as alt

    loads = sorted({round(outcome.load, 4) for outcome in outcomes})
    ticks = alt.Axis(format=".2f", values=loads if len(loads) <= 10 else alt.Undefined, grid=False)
    data = rows([{**drawn.row(comparison, o), "load": o.load, "value": read(o)} for o in outcomes])
    legend = drawn.legend(orient="bottom", columns=5)
    base = alt.Chart(data, width=_WIDTH, height=_HEIGHT, title=alt.Title(title, frame="group")).encode(
        x=alt.X("load:Q", title="offered load", scale=alt.Scale(zero=False, padding=12, nice=False), axis=ticks),
        y=alt.Y("value:Q", title=None, axis=alt.Axis(format=numbers, tickCount=5)),
        color=drawn.colour(legend),
        opacity=stressed(chosen),
        tooltip=tooltip("rule", load=".2f", value="+.1%" if "%" in numbers else ",.4~g"),
    )
    lines = base.mark_line(strokeWidth=2.2).encode(**drawn.dash(legend))
    return lines + base.mark_point(size=42, filled=True).encode(**drawn.shape())


def ranking(comparison: Comparison, group: Group) -> Any:
    """The rules from best to worst by mean wait, with the change against the baseline beside each bar."""
    import altair as alt

    unit, size = unit_for([o.metrics.mean_wait_s for o in group.outcomes])
    ordered = sorted(group.outcomes, key=lambda o: o.metrics.mean_wait_s)
    values = []
    for outcome in ordered:
        note = "" if group.baseline is None else f" · {change_text(comparison, outcome)}"
        values.append(
            {
                "rule": comparison.rule_name(outcome.setting),
                "wait": outcome.metrics.mean_wait_s / size,
                "label": f"{short(outcome.metrics.mean_wait_s / size)} {unit}{note}",
            }
        )
    base = alt.Chart(rows(values), width=620, height=alt.Step(26)).encode(
        y=names_axis("rule"),
        x=alt.X("wait:Q", title=f"mean wait ({unit})", axis=alt.Axis(tickCount=6)),
    )
    drawn, chosen = Drawn(comparison, group.outcomes), rule_chosen(on="click")
    bars = base.mark_bar(height=16, cornerRadiusEnd=2).encode(
        color=drawn.colour(), opacity=stressed(chosen), tooltip=tooltip("rule", wait=",.4~g")
    )
    labels = base.mark_text(align="left", dx=6, color=MUTED, fontSize=12).encode(text="label:N")
    return drawn.told_apart(bars.add_params(chosen) + labels)


def member_chart(outcome: Outcome) -> Any:
    """Which member Max-Jobs chose in this run: over all cycles, and over those with a choice."""
    import altair as alt

    ordered = sorted(outcome.members, key=lambda share: -share.preferred)
    everywhere = [{"member": s.member, "alone": s.alone, "part": s.chosen} for s in ordered]
    alone_of_choices = outcome.metrics.cycles / max(ordered[0].choices, 1)
    choices = [{"member": s.member, "alone": s.alone * alone_of_choices, "part": s.preferred} for s in ordered]
    title = f"the {ordered[0].choices:,} cycles in which members differed"
    return alt.hconcat(member_bars(everywhere, f"all {outcome.metrics.cycles:,} cycles"), member_bars(choices, title))


def member_bars(values: list[dict[str, Any]], title: str) -> Any:
    """A bar a member: `alone` it was the best in so large a part, alone or with others in `part`."""
    import altair as alt

    base = alt.Chart(rows(values), width=300, height=alt.Step(26), title=title).encode(
        y=names_axis("member"), tooltip=tooltip("member", part=".1%", alone=".1%")
    )
    scale = alt.Scale(domain=["best alone", "tied with others"], range=[ACCENT, "#b9cde4"])
    layers = [
        base.transform_calculate(how=f"'{how}'")
        .mark_bar(height=16)
        .encode(
            x=alt.X(f"{column}:Q", title=None, axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("how:N", scale=scale, legend=alt.Legend(title=None, orient="bottom")),
        )
        for how, column in (("tied with others", "part"), ("best alone", "alone"))
    ]
    labels = base.mark_text(align="left", dx=6, color=MUTED).encode(x="part:Q", text=alt.Text("part:Q", format=".0%"))
    return alt.layer(*layers, labels)
