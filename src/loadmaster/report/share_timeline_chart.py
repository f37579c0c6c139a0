"""Charts of a live run under CPU shares: tasks as bars over time, and what every host gave."""

from collections import defaultdict
from typing import Any

from loadmaster.report.theme import ACCENT, rows, tooltip
from loadmaster.runs.share_timeline import ShareTimeline

_WIDTH = 940
_MOST = 60
_BARS = 4000
_UNITS = (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))


def _unit(timeline: ShareTimeline) -> tuple[str, float]:
    return next((name, size) for name, size in _UNITS if timeline.last_s > 3 * size or size == 1.0)


def shares_chart(timeline: ShareTimeline) -> Any:
    """A row for each task, the first so many of them; bars by host, darker where the share is larger."""
    import altair as alt

    unit, size = _unit(timeline)
    shown = [task for task in timeline.tasks if any(span.task == task for span in timeline.spans)][:_MOST]
    values = [
        {
            "task": timeline.name_of(span.task),
            "host": span.host,
            "share": span.share,
            "t": span.from_s / size,
            "to": span.to_s / size,
        }
        for span in timeline.spans
        if span.task in shown
    ][:_BARS]
    order = list(dict.fromkeys(timeline.name_of(task) for task in shown))
    legend = alt.Legend(title=None, orient="top", symbolType="square", columns=6, symbolLimit=24)
    return (
        alt.Chart(rows(values), width=_WIDTH, height=max(60, 16 * len(order)))
        .mark_bar(height=11)
        .encode(
            x=alt.X("t:Q", title=f"{unit} since the record began", axis=alt.Axis(grid=False)),
            x2="to:Q",
            y=alt.Y("task:N", sort=order, title=None),
            color=alt.Color("host:N", sort=list(timeline.hosts), legend=legend),
            opacity=alt.Opacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.25, 1]), legend=None),
            tooltip=tooltip("task", "host", share=".1%", t=".4~g", to=".4~g"),
        )
    )


def load_chart(timeline: ShareTimeline) -> Any:
    """Cores given over time, a row for each host."""
    import altair as alt

    unit, size = _unit(timeline)
    change: dict[tuple[str, float], float] = defaultdict(float)
    for span in timeline.spans:
        cores = span.share * timeline.tasks.get(span.task, 0.0)
        change[span.host, span.from_s] += cores
        change[span.host, span.to_s] -= cores
    values = []
    hosts = list(timeline.hosts)[:12]
    for host in hosts:
        given = 0.0
        for at_s in sorted(at_s for name, at_s in change if name == host):
            given += change[host, at_s]
            values.append({"host": host, "t": at_s / size, "cores": max(0.0, round(given, 9))})
    base = alt.Chart(rows(values), width=_WIDTH, height=60).encode(
        x=alt.X("t:Q", title=f"{unit} since the record began", axis=alt.Axis(grid=False)),
        y=alt.Y("cores:Q", title=None, axis=alt.Axis(tickCount=3)),
        tooltip=tooltip("host", t=".4~g", cores=".4~g"),
    )
    area = base.mark_area(interpolate="step-after", line={"strokeWidth": 1}, fillOpacity=0.35, color=ACCENT)
    header = alt.Header(labelAngle=0, labelAlign="left", labelAnchor="start", labelPadding=2, labelOrient="top")
    return area.encode(row=alt.Row("host:N", sort=hosts, title=None, header=header)).properties(spacing=6)
