"""The page of a fit: the answer, both queues in one picture, the weeks, the verdict, what was tried, the file."""

from typing import Any

from loadmaster.measure.goodness_of_fit import HOUR_S, WeekByWeek
from loadmaster.measure.timeline import thinned
from loadmaster.model.units import percent, signed
from loadmaster.report.fit_claims import FitFound, fit_sentence, ranked, verdict_sentence
from loadmaster.report.page import Block, Chart, Facts, Heading, Page, Table, Text
from loadmaster.report.room_chart import ROOM_CAPTION, room_chart
from loadmaster.report.theme import ACCENT, INK, STRANDED, rows, themed
from loadmaster.report.time_charts import time_axis, unit_of

_SHOWN, _POINTS, _WIDTH = 15, 1500, 860
_KINDS = ("recorded", "model of the site's queue")


def main_chart(result: FitFound) -> Any:
    """Both queues over time; where nothing was tried, use and waiting.

    Raises:
        InputError: the log does not say when jobs started, so there is nothing to draw.
    """
    from loadmaster.model import InputError

    if result.fit is not None:
        return queues_chart(result.fit.best.beside)
    if result.room is None:
        raise InputError(result.log, "nothing to draw: the log does not say when jobs started", fix="see its answer")
    return room_chart(result.room)


def queues_chart(beside: WeekByWeek) -> Any:
    """The recorded queue as an area, the modelled one as a line over it."""
    import altair as alt
    import numpy as np

    hours = np.arange(beside.recorded.queue.size, dtype=np.float64) * HOUR_S
    unit, size = unit_of(float(hours[-1]))
    values = []
    for kind, series in zip(_KINDS, (beside.recorded.queue, beside.model.queue), strict=True):
        time, jobs = thinned(hours, series, _POINTS)
        values += [
            {"kind": kind, "t": t, "jobs": n} for t, n in zip((time / size).tolist(), jobs.tolist(), strict=True)
        ]
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=list(_KINDS), range=[STRANDED, ACCENT]),
        legend=alt.Legend(title=None, orient="top", symbolType="square"),
    )
    base = alt.Chart(rows(values), width=_WIDTH, height=220).encode(
        x=time_axis(unit),
        y=alt.Y("jobs:Q", title="jobs that wait", stack=None),
        color=colour,
        tooltip=["kind:N", alt.Tooltip("jobs:Q", format=",.0f")],
    )
    area = base.transform_filter(f"datum.kind == '{_KINDS[0]}'").mark_area(interpolate="step-after", opacity=0.55)
    line = base.transform_filter(f"datum.kind != '{_KINDS[0]}'").mark_line(interpolate="step-after", strokeWidth=1.2)
    return themed(area + line)


def weeks_chart(beside: WeekByWeek) -> Any:
    """A mark a week: recorded mean wait across, modelled one upward; on the diagonal both are alike."""
    import altair as alt

    real, ours = beside.recorded.mean_wait_s / 3600, beside.model.mean_wait_s / 3600
    values = [
        {"recorded": r, "model": m, "week": week, "which": "judges" if week % 2 else "chooses"}
        for week, (r, m) in enumerate(zip(real.tolist(), ours.tolist(), strict=True))
        if r == r and m == m
    ]
    most = max([each[name] for each in values for name in ("recorded", "model")], default=0.0) or 1.0
    scale = alt.Scale(domain=[0, most], nice=False)
    points = (
        alt.Chart(rows(values), width=380, height=380)
        .mark_circle(size=70, opacity=0.85)
        .encode(
            x=alt.X("recorded:Q", title="recorded mean wait (hours)", scale=scale),
            y=alt.Y("model:Q", title="mean wait in the model (hours)", scale=scale),
            color=alt.Color(
                "which:N",
                scale=alt.Scale(domain=["chooses", "judges"], range=[INK, ACCENT]),
                legend=alt.Legend(title="the week"),
            ),
            tooltip=[
                "week:O",
                "which:N",
                alt.Tooltip("recorded:Q", format=".3~g"),
                alt.Tooltip("model:Q", format=".3~g"),
            ],
        )
    )
    ends = rows([{"recorded": 0.0, "model": 0.0}, {"recorded": most, "model": most}])
    diagonal = alt.Chart(ends).mark_line(color=INK, strokeDash=[4, 3], strokeWidth=1)
    return themed(diagonal.encode(x="recorded:Q", y="model:Q") + points)


def tried_table(result: FitFound, shown: int = _SHOWN) -> Table:
    """The queues that came nearest on even weeks, with how near they come on odd ones."""
    body = []
    for each in ranked(result)[:shown]:
        queue, even, odd = each.queue, each.beside.even, each.beside.odd
        body.append(
            [
                queue.discipline,
                f"{queue.interval_s:g}",
                f"{queue.launch_s:g}",
                queue.estimates,
                percent(even.error),
                percent(odd.error),
                f"{odd.rank:.2f}",
                signed(odd.total),
                percent(odd.queue),
            ]
        )
    columns = (
        "discipline",
        "cycle (s)",
        "launch (s)",
        "estimates",
        "error, even weeks",
        "error, odd weeks",
        "rank, odd",
        "all waiting, odd",
        "queue, odd",
    )
    tried = 0 if result.fit is None else len(result.fit.tried)
    caption = f"The nearest of {tried} queues tried; even weeks choose, odd ones judge."
    return Table(columns, body, caption, best=frozenset({(0, 4)}))


def fit_page(result: FitFound, text: str, cpu_s: float) -> Page:
    """The page; `text` is the file that `--site` takes, empty where no queue is offered."""
    blocks: list[Block] = [Text(note, "note") for note in result.remarks]
    if result.fit is not None:
        beside = result.fit.best.beside
        blocks += [Heading("The recorded queue and the model of it"), Chart(queues_chart(beside), _QUEUES)]
        blocks += [Heading("Week by week"), Chart(weeks_chart(beside), _WEEKS), tried_table(result)]
    if result.room is not None:
        blocks += [Heading("Whether queueing can explain the waits"), Text(verdict_sentence(result))]
        blocks += [Chart(room_chart(result.room), ROOM_CAPTION)]
    if text:
        blocks += [Heading("The site's queue as a file"), Text(_USE), Facts(_lines(text))]
    blocks += [Heading("How to make it again"), Facts({"command": result.command, "CPU time": f"{cpu_s:.0f} s"})]
    return Page(fit_sentence(result), blocks, subtitle=result.log, label="loadmaster fit")


def _lines(text: str) -> dict[str, str]:
    pairs = (line.partition(": ") for line in text.splitlines() if ": " in line and line[0] not in "# -")
    return {key: value for key, _, value in pairs}


_QUEUES = "Jobs that wait at each full hour: as the log recorded them, and under the queue that was found."
_WEEKS = "Each mark is a week. On the line, the recorded and the modelled mean wait are equal."
_USE = (
    "The queue is site.yaml beside this page. loadmaster compare LOG --site site.yaml shows it as the row site, and "
    "shows for every candidate whether its gain is larger than the error of this model."
)
