"""Charts of a live run: the queue and waits over time, the hosts, and what was counted in spans of time."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from loadmaster.measure.timeline import thinned
from loadmaster.model.units import CORES, MEMORY
from loadmaster.report.theme import ACCENT, INK, MUTED, STRANDED, USED, colours, rows, tooltip
from loadmaster.runs.live_timeline import KINDS, LiveTimeline, ObservedHost

_WIDTH = 940
_POINTS = 2500
_SPANS = 60
_SHOWN = 3
"""So many names of hosts show under the pointer where several are alike."""


class Spans(NamedTuple):
    """How time is shown.

    The axis' unit and its `size` in seconds; all else in that unit: where the axis begins and
    ends, and the length of the spans in which things are counted. `since`: what it is counted from.
    """

    unit: str
    size: float
    first: float
    last: float
    length: float
    since: str = "the record began"


def spans_of(timeline: LiveTimeline) -> Spans:
    """How time is cut for what is counted."""
    first_s, last_s = timeline.counted[0].at_s, max(timeline.last_s, timeline.counted[0].at_s + 1.0)
    length_s = last_s - first_s
    unit, size = next(
        (unit, size)
        for unit, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
        if length_s > 3 * size or size == 1.0
    )
    return Spans(unit, size, first_s / size, last_s / size, length_s / size / _SPANS, timeline.since)


def queue_over_time(timeline: LiveTimeline, spans: Spans) -> Any:
    """Jobs that wait and that run, as every cycle found them; every peak is kept."""
    import altair as alt

    time = np.array([each.at_s for each in timeline.counted])
    values = []
    for what in ("waiting", "running"):
        number = np.array([getattr(each, what) for each in timeline.counted], float)
        shown = [each.tolist() for each in thinned(time, number, _POINTS)]
        # What the last cycle found held to the end: without that, a run of one cycle would show nothing.
        at, jobs = [*shown[0], spans.last * spans.size], [*shown[1], shown[1][-1]]
        values += [{"what": what, "t": t / spans.size, "jobs": n} for t, n in zip(at, jobs, strict=True)]
    base = alt.Chart(rows(values), width=_WIDTH, height=110).encode(
        x=_time(spans),
        y=alt.Y("jobs:Q", title=None, axis=alt.Axis(tickCount=4, tickMinStep=1, format="~s"), stack=None),
        color=alt.Color("what:N", scale=alt.Scale(domain=["waiting", "running"], range=[STRANDED, USED]), legend=None),
        tooltip=tooltip("what", t=".4~g", jobs=","),
    )
    area = base.mark_area(interpolate="step-after", line={"strokeWidth": 1}, fillOpacity=0.4)
    header = alt.Header(labelAngle=0, labelAlign="left", labelAnchor="start", labelPadding=2, labelOrient="top")
    row = alt.Row("what:N", sort=["waiting", "running"], title=None, header=header)
    return area.encode(row=row).properties(spacing=8).resolve_scale(y="independent")


def waits_over_time(timeline: LiveTimeline, spans: Spans, unit: str, size: float) -> Any:
    """A point a job where it began; the line is the mean of a span of time."""
    import altair as alt

    began = sorted(timeline.began)
    at, wait = (np.array([each[k] for each in began], float) for k in (0, 1))
    shown = thinned(at, wait, _POINTS)
    points = [{"t": t / spans.size, "wait": w / size} for t, w in zip(*map(np.ndarray.tolist, shown), strict=True)]
    span = np.floor((at / spans.size - spans.first) / spans.length).astype(int)
    means = [
        {"t": spans.first + (number + 0.5) * spans.length, "wait": float(wait[span == number].mean()) / size}
        for number in np.unique(span).tolist()
    ]
    # A little room on top: what lies on the edge of a chart that can be zoomed is cut.
    scale = alt.Scale(type="sqrt", domain=[0.0, 1.08 * float(wait.max()) / size or 1.0], nice=False)
    y = alt.Y("wait:Q", title=f"wait ({unit})", scale=scale, axis=alt.Axis(tickCount=5))
    few = len(points) < _SPANS
    dots = alt.Chart(rows(points), width=_WIDTH, height=200).mark_circle(
        size=40 if few else 14, opacity=0.7 if few else 0.35, color=ACCENT
    )
    alone = {"color": INK, "size": 40} if len(means) == 1 else False
    line = alt.Chart(rows(means)).mark_line(color=INK, strokeWidth=1.6, interpolate="monotone", point=alone)
    tips = tooltip(t=".4~g", wait=".4~g")
    return alt.layer(*(each.encode(x=_time(spans), y=y, tooltip=tips) for each in (dots, line)))


def hosts_chart(timeline: LiveTimeline) -> Any | None:
    """Hosts by free cores and free memory, the corners in which either is stranded shaded; None without both."""
    import altair as alt

    if not {CORES, MEMORY} <= set(timeline.resources):
        return None
    cores, memory = (list(timeline.resources).index(name) for name in (CORES, MEMORY))
    gib = 2.0**30
    top = [max(host.capacity[r] for host in timeline.hosts) * 1.06 or 1.0 for r in (cores, memory)]
    top[1] /= gib
    asks = [timeline.typical[cores], timeline.typical[memory] / gib]
    low = [-0.03 * limit for limit in top]  # so that a host without anything left does not lie on the axis
    corners = [
        {"x": asks[0], "x2": top[0], "y": low[1], "y2": asks[1]},
        {"x": low[0], "x2": asks[0], "y": asks[1], "y2": top[1]},
    ]
    shaded = alt.Chart(rows(corners), width=520, height=340).mark_rect(color=STRANDED, opacity=0.16)
    scales = [alt.Scale(domain=ends, nice=False) for ends in zip(low, top, strict=True)]
    x = alt.X("x:Q", title="free cores", scale=scales[0])
    y = alt.Y("y:Q", title="free memory (GiB)", scale=scales[1])
    colour = alt.Scale(domain=list(KINDS), range=[USED, STRANDED, MUTED, "#c92a3a"])
    dots = alt.Chart(rows(_alike(timeline.hosts, cores, memory, gib))).mark_circle(opacity=0.85, stroke=INK)
    return alt.layer(
        shaded.encode(x=x, x2="x2:Q", y=y, y2="y2:Q"),
        dots.encode(
            x=x,
            y=y,
            size=alt.Size(
                "hosts:Q", scale=alt.Scale(range=[30, 700], domain=[0, max(20, len(timeline.hosts))]), legend=None
            ),
            color=alt.Color(
                "kind:N", scale=colour, legend=alt.Legend(title=None, symbolOpacity=1, symbolStrokeWidth=0)
            ),
            tooltip=tooltip("names", "kind", hosts=",", x=".4~g", y=".4~g"),
        ),
    )


def _alike(hosts: Sequence[ObservedHost], cores: int, memory: int, gib: float) -> list[dict[str, Any]]:
    """One point for all hosts with the same left."""
    groups = defaultdict(list)
    for host in hosts:
        groups[host.free[cores], host.free[memory] / gib, host.kind].append(host.name)
    return [
        {
            "x": x,
            "y": y,
            "kind": kind,
            "hosts": len(names),
            "names": ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else ""),
        }
        for (x, y, kind), names in groups.items()
    ]


def counted_chart(
    what: Iterable[tuple[float, str, int]], kinds: Sequence[str], palette: Sequence[str], spans: Spans, title: str
) -> Any:
    """Bars over spans of time of equal length, by kind: (when in seconds, kind, how many)."""
    import altair as alt

    sums: Counter[tuple[int, str]] = Counter()
    for at_s, kind, number in what:
        sums[min(int((at_s / spans.size - spans.first) / spans.length), _SPANS - 1), kind] += number
    edges = np.linspace(spans.first, spans.last, _SPANS + 1).tolist()
    values = [
        {"t": edges[span], "to": edges[span + 1], "kind": kind, "number": number, "order": kinds.index(kind)}
        for (span, kind), number in sums.items()
        if number
    ]
    legend = alt.Legend(title=None, orient="top", symbolType="square", columns=5)
    return (
        alt.Chart(rows(values), width=_WIDTH, height=150)
        .mark_bar(binSpacing=1)
        .encode(
            x=_time(spans).bin("binned"),
            x2="to:Q",
            y=alt.Y("number:Q", title=title, axis=alt.Axis(tickCount=4, tickMinStep=1, format="~s")),
            color=alt.Color("kind:N", scale=alt.Scale(domain=list(kinds), range=list(palette)), legend=legend),
            order=alt.Order("order:Q"),
            tooltip=tooltip("kind", t=".4~g", number=","),
        )
    )


AGREED = ("same job, same hosts", "same job, other hosts", "the site alone")


def agreement_chart(timeline: LiveTimeline, spans: Spans) -> Any:
    """The site's starts over time, by whether ours were the same in that cycle."""
    what = [
        (each.at_s, kind, number)
        for each in timeline.agreed
        for kind, number in zip(AGREED, (each.same_hosts, each.same_job, each.site_only), strict=True)
    ]
    return counted_chart(what, AGREED, (USED, "#9fc0dc", STRANDED), spans, "starts of the site")


WORLDS = {"recorded": "site_wait_s", "site": "model_wait_s", "candidate": "own_wait_s"}
"""Of the mean waits so far: what happened, a queue by the site's own rule, a queue by ours."""


def so_far_chart(timeline: LiveTimeline, spans: Spans, unit: str, size: float) -> Any:
    """Mean waits so far over time: a line for each of `WORLDS`."""
    import altair as alt

    values = [
        {"t": each.at_s / spans.size, "wait": getattr(each, name) / size, "whose": whose}
        for each in timeline.so_far
        for whose, name in WORLDS.items()
        if getattr(each, name) is not None
    ]
    scale = alt.Scale(domain=list(WORLDS), range=[INK, MUTED, ACCENT])
    dashes = alt.Scale(domain=list(WORLDS), range=[[1, 0], [5, 4], [1, 0]])  # a good model lies upon the record
    legend = alt.Legend(title=None, orient="top", symbolType="stroke")
    line = alt.Chart(rows(values), width=_WIDTH, height=150).mark_line(point=len(timeline.so_far) < _SPANS)
    return line.encode(
        x=_time(spans),
        y=alt.Y("wait:Q", title=f"mean wait ({unit})", axis=alt.Axis(tickCount=4)),
        color=alt.Color("whose:N", scale=scale, legend=legend),
        strokeDash=alt.StrokeDash("whose:N", scale=dashes, legend=None),
        tooltip=tooltip("whose", t=".4~g", wait=".4~g"),
    )


def refusals_chart(timeline: LiveTimeline, spans: Spans) -> Any:
    """What the engine did not do, by kind, over time."""
    kinds = [kind for kind, _ in timeline.refusals.most_common()]
    palette = [_REFUSED[k % len(_REFUSED)] for k in range(len(kinds))]
    return counted_chart([(at_s, kind, 1) for at_s, kind in timeline.refused], kinds, palette, spans, "refusals")


def choices_chart(timeline: LiveTimeline, spans: Spans) -> Any:
    """The member that a meta-rule followed, over time."""
    members = list(dict.fromkeys(name for each in timeline.choices for name in (each.member, *each.best)))
    what = [(each.at_s, each.member, 1) for each in timeline.choices]
    return counted_chart(what, members, colours(members), spans, "decisions")


_REFUSED = ("#e08a3c", "#c92a3a", "#7a4fc4", "#1d9aa8", "#8a6d1d")


def _time(spans: Spans) -> Any:
    import altair as alt

    title = f"{spans.unit} since {spans.since}"
    scale = alt.Scale(domain=[spans.first, spans.last], nice=False)
    return alt.X("t:Q", title=title, scale=scale, axis=alt.Axis(grid=False))
