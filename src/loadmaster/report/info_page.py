"""The page of a log: what it is in a sentence, in numbers, and in pictures over time and over sizes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadmaster.measure.occupancy import averaged
from loadmaster.model.cluster import Cluster
from loadmaster.model.workload import Workload
from loadmaster.report.arrivals_chart import amount, label
from loadmaster.report.log_facts import log_facts, log_title
from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
from loadmaster.report.page_footer import page_footer
from loadmaster.report.theme import ACCENT, MUTED, RULE, USED, rows, themed, tooltip, unchecked
from loadmaster.report.time_charts import time_axis, unit_of
from loadmaster.traces import Trace
from loadmaster.traces.summary import Fit, Summary

SPANS, BINS = 240, 40
DAY_S, HOUR_S = 86_400.0, 3_600.0


def info_page(
    sentence: str,
    remarks: Sequence[str],
    read: Trace,
    summary: Summary,
    fitted: Fit | None,
    footer: Mapping[str, object],
    guide: Sequence[tuple[str, str, str]] = (),
    more: Sequence[Block] = (),
) -> Page:
    """The page.

    Args:
        sentence: what the log is.
        remarks: what was recorded, left out and assumed.
        read: the log.
        summary: its jobs in numbers.
        fitted: its jobs beside its machines; None where none are known.
        footer: how it was made.
        guide: further facts: a label, a value, and more about it.
        more: what stands below the pictures.
    """
    rejected = [] if fitted is None else fitted.rejected.sentences("job")
    blocks: list[Block] = [Text(text, "warning" if "wrong" in text else "note") for text in (*remarks, *rejected)]
    facts = [[name, ", ".join(filter(None, rest))] for name, *rest in (*log_facts(read, summary, fitted), *guide)]
    blocks.append(Table(("the log", ""), facts, prose=True))
    order = list(next(iter(summary.columns.values())))
    cells = [[label(name), *(amount(name, each[k]) for k in order)] for name, each in summary.columns.items()]
    blocks += [Heading("Runtimes, arrivals and demands"), Table(("", *order), cells)]
    if read.workload.jobs:
        with unchecked():
            blocks += _pictures(read.workload, read.cluster)
    return Page(sentence, [*blocks, *more, *page_footer(footer)], log_title(read), "loadmaster info")


def _pictures(workload: Workload, cluster: Cluster | None) -> list[Block]:
    cores = workload.demand[:, 0] * workload.task_count
    work = cores * workload.runtime_s
    name = workload.resources[0]
    caption = f"The {name} in use if every job started as it arrived, averaged over spans of time."
    if cluster is not None:
        caption += " The line is what all hosts have: where the area is above it, jobs must wait."
    blocks: list[Block] = [Heading("Load over time"), Chart(_load(workload, cores, name, cluster), caption)]
    week = (
        "Jobs that arrived in each hour of each day of the week, counted from the first arrival of the log, which is "
        "day 1, hour 0: a log does not always say what time that was."
    )
    if workload.span_s >= 2 * DAY_S:
        blocks += [Heading("Arrivals by hour and weekday"), Chart(_arrivals(workload), week)]
    blocks += [
        Heading("How long jobs run"),
        Chart(_spread(workload.runtime_s, "runtime", _SECONDS), "Jobs by runtime, on a logarithmic scale."),
        Heading("How large jobs are"),
        Chart(_sizes(cores, work, name), f"Jobs, and the part of all work, by the {name} of the whole job."),
    ]
    return blocks


def _load(workload: Workload, cores: Any, name: str, cluster: Cluster | None) -> Any:
    import altair as alt

    first, last = float(workload.submit_s[0]), float(workload.submit_s[-1])
    edges = np.linspace(first, last if last > first else first + 1.0, SPANS + 1)
    here, end_s = np.zeros(workload.jobs, np.int64), workload.submit_s + workload.runtime_s
    used = averaged(here, workload.submit_s, end_s, cores, 1, edges)[0]
    unit, size = unit_of(float(edges[-1] - first))
    values = [{"t": (t - first) / size, "used": u} for t, u in zip(edges[:-1].tolist(), used.tolist(), strict=True)]
    chart = (
        alt.Chart(rows(values), width=900, height=180)
        .mark_area(interpolate="step-after", color=USED, fillOpacity=0.45, line={"color": USED, "strokeWidth": 1})
        .encode(
            x=time_axis(unit),
            y=alt.Y("used:Q", title=f"{name} requested", axis=alt.Axis(format="~s", tickCount=4, tickMinStep=1)),
            tooltip=tooltip(t=".4~g", used=",.4~r"),
        )
    )
    if cluster is None:
        return themed(chart)
    line = alt.Chart(rows([{"all": float(cluster.total[0])}])).mark_rule(color="#c92a3a", strokeDash=[5, 3], size=1.5)
    return themed(chart + line.encode(y="all:Q", tooltip=[alt.Tooltip("all:Q", format=",", title="all hosts")]))


def _arrivals(workload: Workload) -> Any:
    import altair as alt

    at = workload.submit_s - workload.submit_s[0]
    day, hour = (at // DAY_S % 7).astype(int), (at % DAY_S // HOUR_S).astype(int)
    counts = np.bincount(day * 24 + hour, minlength=168)
    values = [{"day": f"day {k // 24 + 1}", "hour": k % 24, "jobs": int(n)} for k, n in enumerate(counts.tolist())]
    chart = alt.Chart(rows(values), width=860, height=190).mark_rect(stroke="#ffffff", strokeWidth=1)
    return themed(
        chart.encode(
            x=alt.X(
                "hour:O",
                title="hour of the day",
                axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False, domain=False),
            ),
            y=alt.Y("day:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False)),
            color=alt.Color(
                "jobs:Q", scale=alt.Scale(range=[RULE, USED, "#173a5e"]), title="jobs", legend=alt.Legend(format="~s")
            ),
            tooltip=tooltip("day", hour="d", jobs=","),
        )
    )


_SECONDS = {
    1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 36000: "10 h", 86400: "1 d", 864000: "10 d",
    8640000: "100 d",
}  # fmt: skip


def _spread(seconds: Any, title: str, ticks: Mapping[int, str]) -> Any:
    """A histogram of times, its classes of equal width on a logarithmic scale."""
    import altair as alt

    shown = np.maximum(seconds, 1.0)
    edges = np.geomspace(1.0, max(float(shown.max()) * 1.0001, 10.0), BINS + 1)
    counts, _ = np.histogram(shown, edges)
    values = [
        {"from": low, "to": high, "jobs": n}
        for low, high, n in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    ]
    shown_ticks = {second: text for second, text in ticks.items() if second <= edges[-1]}
    texts = " : ".join(f"datum.value == {second} ? '{text}'" for second, text in shown_ticks.items()) + " : ''"
    axis = alt.Axis(values=list(shown_ticks), labelExpr=texts, grid=False)
    chart = alt.Chart(rows(values), width=900, height=170).mark_bar(color=ACCENT, binSpacing=1)
    return themed(
        chart.encode(
            x=alt.X("from:Q", title=title, scale=alt.Scale(type="log", nice=False), axis=axis).bin("binned"),
            x2="to:Q",
            y=alt.Y("jobs:Q", title="jobs", axis=alt.Axis(format="~s", tickCount=4, tickMinStep=1)),
            tooltip=tooltip(**{"from": ".3~s", "to": ".3~s", "jobs": ","}),
        )
    )


def _sizes(cores: Any, each: Any, name: str) -> Any:
    import altair as alt

    code = np.ceil(np.log2(np.maximum(cores, 1.0))).astype(int)
    distinct = np.unique(code)
    names = {k: f"{2**k}" if k < 2 else f"{2 ** (k - 1) + 1}-{2**k}" for k in distinct.tolist()}
    count, work = np.bincount(code), np.bincount(code, each)
    values = [
        {"size": names[k], "jobs": int(count[k]), "part": float(work[k] / max(work.sum(), 1e-300))}
        for k in distinct.tolist()
    ]
    base = alt.Chart(rows(values), width=400, height=170).encode(
        x=alt.X(
            "size:N",
            sort=list(names.values()),
            title=f"{name} of the job",
            axis=alt.Axis(labelAngle=0, labelOverlap=True),
        ),
        tooltip=tooltip("size", jobs=",", part=".1%"),
    )
    jobs = base.mark_bar(color=ACCENT).encode(
        y=alt.Y("jobs:Q", title="jobs", axis=alt.Axis(format="~s", tickCount=4, tickMinStep=1))
    )
    part = base.mark_bar(color=MUTED).encode(
        y=alt.Y("part:Q", title="part of all work", axis=alt.Axis(format="%", tickCount=4))
    )
    return themed(alt.hconcat(jobs, part, spacing=40))
