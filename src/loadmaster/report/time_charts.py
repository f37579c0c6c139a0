"""Charts over time: the queue, and where the capacity went, one row a rule so that none hides another."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from loadmaster.measure.timeline import Timeline
from loadmaster.model.arrays import Floats
from loadmaster.report.comparison import Comparison, Group
from loadmaster.report.record_claims import RECORDED
from loadmaster.report.rule_styles import Drawn
from loadmaster.report.theme import INK, SPARE, STRANDED, USED, rows, rule_chosen, stressed, tooltip
from loadmaster.runs import Outcome

POINTS = 12_000
"""At most about so many points a chart, shared out between its lines, so that a page stays small."""
SPANS = 3_600
"""At most so many spans of time for the rows of a resource, shared out too."""
_WIDTH, _ROW, _LOW_ROW, _MANY = 940, 52, 36, 8
"""Rows are lower where there are many."""


def queue_chart(comparison: Comparison, group: Group, base: Outcome | None) -> Any:
    """The queue's length over time; one row a rule, all on the same scale, the run `base` as a line in every row."""
    import altair as alt

    unit, size = time_unit(group)
    points = int(np.clip(POINTS / len(group.outcomes), 200, 2000))
    values = []
    for outcome in group.outcomes:
        name = comparison.rule_name(outcome.setting)
        values += [{"rule": name, "t": t, "jobs": n} for t, n in _queue(outcome, points, size)]
        if base is not None and base is not outcome:
            values += [{"rule": name, "t": t, "base": n} for t, n in _queue(base, points // 2, size)]
    chart = alt.Chart(width=_WIDTH, height=_height(len(group.outcomes))).encode(x=time_axis(unit))
    length = alt.Axis(tickCount=3, format="~s")
    drawn, chosen = Drawn(comparison, group.outcomes), rule_chosen(on="click")
    own = (
        chart.transform_filter("isValid(datum.jobs)")
        .mark_area(interpolate="step-after", line={"strokeWidth": 1}, fillOpacity=0.4)
        .add_params(chosen)
        .encode(
            opacity=stressed(chosen),
            y=alt.Y("jobs:Q", title=None, axis=length, stack=None),
            color=drawn.colour(),
            tooltip=tooltip("rule", t=".4~g", jobs=","),
        )
    )
    if base is None:
        return drawn.told_apart(own.properties(data=rows(values)).facet(row=named_rows(drawn.names), spacing=10))
    against = (
        chart.transform_filter("isValid(datum.base)")
        .mark_line(interpolate="step-after", strokeWidth=0.8, color=INK, opacity=0.65)
        .encode(y=alt.Y("base:Q", title=None, axis=length))
    )
    return drawn.told_apart(alt.layer(own, against, data=rows(values)).facet(row=named_rows(drawn.names), spacing=10))


def _queue(outcome: Outcome, points: int, size: float) -> Iterator[tuple[float, float]]:
    queue = outcome.queue.thinned(points)
    return zip((queue.time_s / size).tolist(), queue.length.tolist(), strict=True)


def capacity_charts(comparison: Comparison, group: Group) -> Any:
    """What part of the resources in most use was used, stranded, and free for more, over time; one row a rule."""
    import altair as alt

    names = comparison.case.workload.resources
    use = np.max([outcome.use.used.mean(axis=0) for outcome in group.outcomes], axis=0)
    drawn_most = sorted(np.argsort(-use, kind="stable")[:2].tolist())
    width = 430 if len(drawn_most) > 1 else 940
    drawn, chosen = Drawn(comparison, group.outcomes), rule_chosen(on="click")
    runs = [(comparison.rule_name(outcome.setting), outcome.use) for outcome in group.outcomes]
    if comparison.on_hosts is not None and any(o.setting.beta == 1.0 for o in group.outcomes):
        runs.insert(0, (RECORDED, comparison.on_hosts.use))
    charts = [
        _capacity_chart(group, runs, r, width, chosen, has_choice=r == drawn_most[0]).properties(title=names[r])
        for r in drawn_most
    ]
    return drawn.told_apart(alt.hconcat(*charts, spacing=40))


def _capacity_chart(
    group: Group, runs: Sequence[tuple[str, Timeline]], resource: int, width: int, chosen: Any, *, has_choice: bool
) -> Any:
    import altair as alt

    unit, size = time_unit(group)
    values = []
    for name, use in runs:
        time, used, stranded = _averaged(use, resource, min(240, SPANS // len(runs)))
        columns = zip((time / size).tolist(), used.tolist(), (used + stranded).tolist(), stranded.tolist(), strict=True)
        values += [{"rule": name, "t": t, "used": u, "top": top, "stranded": s} for t, u, top, s in columns]
    base = alt.Chart(width=width, height=_height(len(runs))).encode(
        x=time_axis(unit), tooltip=tooltip("rule", used=".1%", stranded=".1%"), opacity=stressed(chosen)
    )
    kinds = alt.Scale(domain=["used", "stranded", "free for more"], range=[USED, STRANDED, SPARE])
    legend = alt.Legend(title=None, orient="top", symbolType="square")
    percent = alt.Axis(format="%", tickCount=2)
    layers = [
        base.transform_calculate(all="1", kind=f"'{kind}'")
        .mark_area(interpolate="step-after")
        .encode(
            y=alt.Y(f"{upper}:Q", title=None, stack=None, axis=percent, scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("kind:N", scale=kinds, legend=legend),
        )
        for kind, upper in (("free for more", "all"), ("stranded", "top"), ("used", "used"))
    ]
    if has_choice:  # the choice of one chart counts in all
        layers[0] = layers[0].add_params(chosen)
    layered = alt.layer(*layers, data=rows(values))
    return layered.facet(row=named_rows([name for name, _ in runs]), spacing=10)


def time_unit(group: Group) -> tuple[str, float]:
    """The unit of the time axis."""
    longest = max(float(outcome.use.edges_s[-1]) for outcome in group.outcomes)
    return unit_of(longest)


def unit_of(longest_s: float) -> tuple[str, float]:
    """The unit of an axis of so many seconds, and its length in seconds."""
    if longest_s > 3 * 86400:
        return "days", 86400.0
    if longest_s > 3 * 3600:
        return "hours", 3600.0
    return ("minutes", 60.0) if longest_s > 3 * 60 else ("seconds", 1.0)


def _averaged(use: Timeline, resource: int, points: int) -> tuple[Floats, Floats, Floats]:
    """Used and stranded parts, averaged over neighbouring spans of time down to about `points`."""
    fold = max(1, use.used.shape[0] // points)
    whole = use.used.shape[0] // fold * fold
    used = use.used[:whole, resource].reshape(-1, fold).mean(axis=1)
    stranded = use.stranded[:whole, resource].reshape(-1, fold).mean(axis=1)
    return use.edges_s[:whole:fold], used, stranded


def time_axis(unit: str) -> Any:
    """The axis of the time, in a unit of `unit_of`."""
    import altair as alt

    return alt.X("t:Q", title=f"{unit} since the first arrival", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False))


def _height(runs: int) -> int:
    return _ROW if runs <= _MANY else _LOW_ROW


def named_rows(names: list[str], field: str = "rule") -> Any:
    """A row for each of `names`, which are the values of `field`, in this order."""
    import altair as alt

    header = alt.Header(labelAngle=0, labelAlign="left", labelAnchor="start", labelPadding=2, labelOrient="top")
    return alt.Row(f"{field}:N", sort=names, title=None, header=header)
