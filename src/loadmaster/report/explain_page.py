"""The why-page of a job: what it waited for, the hosts that it could have had, and a timeline."""

from typing import Any

import numpy as np

from loadmaster.measure.timeline import queue_series
from loadmaster.model.units import percent
from loadmaster.report.explanation import amounts, sentences
from loadmaster.report.gantt import take_lane
from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
from loadmaster.report.page_footer import page_footer
from loadmaster.report.scores_chart import scores_chart
from loadmaster.report.theme import ACCENT, INK, MUTED, STRANDED, USED, rows, themed, tooltip, unchecked
from loadmaster.report.time_charts import unit_of
from loadmaster.runs.choice import Choice
from loadmaster.runs.explain import Explanation
from loadmaster.runs.rebuild import tasks_between
from loadmaster.runs.record import Record

_PADDING = {"left": 5, "top": 18, "right": 5, "bottom": 5}
MOST_BARS, POINTS = 1_500, 2_000


def explain_page(record: Record, explanation: Explanation, top: int, command: str = "") -> Page:
    """The page.

    Args:
        record: of the run.
        explanation: of the job.
        top: how many of the hosts that it could have had stand in the table.
        command: the command that makes it again.
    """
    title, *more = _plain(record, explanation)
    sections: list[list[Block]] = [[Text(note, "warning") for note in record.live_notes]]
    looked = ""
    for line in more:
        if line.endswith(":"):  # what its table says
            looked = line[:-1] + "."
        elif line in _SECTIONS or line.startswith("Why host "):
            sections.append([Heading(line)])
        elif line:
            sections[-1].append(Text(line))
    if explanation.delay.reasons:
        sections[0 if len(sections) == 1 else 1].append(_reasons(explanation, looked))
    if explanation.choice is not None:
        sections[-1] += _hosts(record, explanation, explanation.choice, top)
    blocks = [block for section in sections for block in section]
    with unchecked():
        blocks += _times(record, explanation)
    setting = record.setting
    facts = {
        "command": command,
        "run": record.about.get("command", ""),
        "policy": setting.policy,
        "discipline": setting.discipline,
        "seed": setting.seed,
        "name of the data": record.case.digest,
    }
    subtitle = f"job {explanation.identifier} under {setting.policy}, {setting.discipline}"
    return Page(title, [*blocks, *page_footer(facts)], subtitle, "loadmaster explain")


_SECTIONS = ("What it waited for",)


def _plain(record: Record, explanation: Explanation) -> list[str]:
    """The sentences; the reasons, which have a table, left out."""
    return [text for text in sentences(record, explanation) if not text.startswith("  ")]


def _reasons(explanation: Explanation, caption: str) -> Table:
    total = max(sum(explanation.delay.reasons.values()), 1)
    cells = [[reason, f"{count:,}", percent(count / total)] for reason, count in explanation.delay.reasons.items()]
    return Table(("what stood in the way", "cycles", "of those looked at"), cells, caption)


def _hosts(record: Record, explanation: Explanation, choice: Choice, top: int) -> list[Block]:
    cluster, taken = record.case.cluster, explanation.hosts[0]
    cells: list[list[str]] = []
    best: set[tuple[int, int]] = set()
    for rank, each in enumerate(choice.candidates):
        if rank >= top and each.host != taken:
            continue
        free = [amounts((name,), value[None]) for name, value in zip(cluster.resources, each.free, strict=True)]
        if each.host == taken:
            best.add((len(cells), 0))
        cells.append([cluster.name(each.host), f"{each.score:.6g}", *free])
    left = len(choice.candidates) - len(cells)
    caption = "The star marks the host that it got." + (f" {left:,} more hosts had higher scores." if left > 0 else "")
    heads = ("host", "score", *(f"{name} free" for name in cluster.resources))
    scores = Chart(scores_chart(record, explanation, top), "Scores: the lowest wins; the host that it got in colour.")
    return [Table(heads, cells, caption, frozenset(best)), scores]


def _times(record: Record, explanation: Explanation) -> list[Block]:
    """Its host and the queue around its time."""
    last_s = float(record.schedule.cycles.time_s[-1]) if record.schedule.cycles.time_s.size else explanation.submit_s
    start_s = last_s if explanation.start_s is None else explanation.start_s
    end_s = start_s + (0.0 if explanation.start_s is None else explanation.runtime_s)
    margin_s = max(0.12 * (end_s - explanation.submit_s), 30.0)
    span = (max(explanation.submit_s - margin_s, 0.0), end_s + margin_s)
    blocks: list[Block] = [Heading("Timeline")]
    if explanation.start_s is not None:
        chart = _host_over_time(record, explanation, span)
        name = record.case.cluster.name(explanation.hosts[0])
        if chart is not None:
            caption = f"What ran on host {name} in that time; the job is highlighted. Lines: its arrival, its start."
            blocks.append(Chart(themed(chart.properties(padding=_PADDING)), caption))
    caption = "Jobs waiting as each cycle found them. Lines: the arrival of the job, and its start."
    return [*blocks, Chart(themed(_queue(record, explanation, span).properties(padding=_PADDING)), caption)]


def _x(span: tuple[float, float]) -> tuple[Any, float, float]:
    """The channel of time, its unit in seconds, and where it begins."""
    import altair as alt

    unit, size = unit_of(span[1] - span[0])
    scale = alt.Scale(domain=[0, (span[1] - span[0]) / size], nice=False)
    title = f"{unit} from {span[0]:,.0f} s of the log on"
    return alt.X("t:Q", title=title, scale=scale, axis=alt.Axis(grid=False)), size, span[0]


def _host_over_time(record: Record, explanation: Explanation, span: tuple[float, float]) -> Any | None:
    import altair as alt

    x, size, first = _x(span)
    tasks = tasks_between(record, *span)
    here = np.flatnonzero(tasks.host == explanation.hosts[0])
    if len(here) > MOST_BARS:
        return None
    lanes: list[float] = []
    values = []
    for k in here.tolist():
        start, end, job = float(tasks.start_s[k]), float(tasks.end_s[k]), int(tasks.job[k])
        lane = take_lane(lanes, start, end)
        values.append(
            {
                "t": (max(start, span[0]) - first) / size,
                "to": (min(end, span[1]) - first) / size,
                "y": lane,
                "below": lane + 0.84,
                "job": str(record.name_of(job)),
                "ran": (end - start) / size,
                "requests": amounts(record.workload.resources, tasks.demand[k]),
                "what": "this job" if job == explanation.job else "another",
            }
        )
    kinds = alt.Scale(domain=["this job", "another"], range=[ACCENT, "#b8c0ca"])
    bars = (
        alt.Chart(rows(values), width=900, height=int(np.clip(16 * len(lanes), 40, 420)))
        .mark_rect(stroke="#ffffff", strokeWidth=0.5)
        .encode(
            x=x,
            x2="to:Q",
            y=alt.Y("y:Q", title=None, axis=None, scale=alt.Scale(reverse=True, nice=False, domain=[0, len(lanes)])),
            y2="below:Q",
            color=alt.Color("what:N", scale=kinds, legend=None),
            tooltip=tooltip("job", "requests", t=".4~g", ran=".4~g"),
        )
    )
    return bars + _moments(explanation, x, size, first)


def _queue(record: Record, explanation: Explanation, span: tuple[float, float]) -> Any:
    import altair as alt

    x, size, first = _x(span)
    queue = queue_series(record.workload, record.schedule).between(*span).thinned(POINTS)
    moments = zip(queue.time_s.tolist(), queue.length.tolist(), strict=True)
    values = [{"t": (t - first) / size, "jobs": n} for t, n in moments]
    most = int(queue.length.max())  # a few jobs have no halves
    ticks = alt.Axis(values=list(range(most + 1))) if most < 4 else alt.Axis(tickCount=4, format="~s")
    area = (
        alt.Chart(rows(values), width=900, height=120)
        .mark_area(interpolate="step-after", color=USED, fillOpacity=0.4, line={"color": USED, "strokeWidth": 1})
        .encode(
            x=x,
            y=alt.Y("jobs:Q", title="jobs waiting", axis=ticks),
            tooltip=tooltip(t=".4~g", jobs=","),
        )
    )
    return area + _moments(explanation, x, size, first)


def _moments(explanation: Explanation, x: Any, size: float, first: float) -> Any:
    import altair as alt

    values = [{"t": (explanation.submit_s - first) / size, "what": "it arrived"}]
    if explanation.start_s is not None:
        values.append({"t": (explanation.start_s - first) / size, "what": "it started"})
    kinds = alt.Scale(domain=["it arrived", "it started"], range=[STRANDED, INK])
    base = alt.Chart(rows(values)).encode(x=x, tooltip=["what:N"])
    rules = base.mark_rule(size=1.6, strokeDash=[5, 3]).encode(
        color=alt.Color("what:N", scale=kinds, legend=None), y=alt.value(0), y2=alt.value("height")
    )
    words = base.mark_text(align="left", dx=4, dy=-6, color=MUTED, fontSize=11).encode(text="what:N", y=alt.value(0))
    return (rules + words).resolve_scale(color="independent")
