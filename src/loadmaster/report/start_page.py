"""The page of `when`: the answer, the chance of a start over time, other requests, and past forecasts."""

import math
from typing import Any

import numpy as np

from loadmaster.model.units import show_seconds
from loadmaster.report.columns import unit_for
from loadmaster.report.page import Block, Chart, Facts, Heading, Page, Table, Text
from loadmaster.report.start_claims import HEADS, StartFound, change_cells, details, start_answer
from loadmaster.report.theme import ACCENT, MUTED, STRANDED, rows, themed
from loadmaster.system.build import shown_version

AS_IT_IS = "as it is"
_CHANGES = 4
"""Lines in the chart beside the job as it is: those that start sooner first."""


def start_page(found: StartFound) -> Page:
    """The page."""
    blocks: list[Block] = [Text(line) for line in details(found)]
    blocks += [Text(note, "warning" if "synthetic" in note else "note") for note in found.notes]
    if found.sampled and math.isfinite(found.forecast.wait_s.min()):
        caption = (
            "The part of the samples in which the job has started. A line further left starts sooner. The grey band is "
            "the 90 % interval of the job as it is."
        )
        blocks += [Heading("The chance of a start over time"), Chart(start_chart(found), caption)]
    if found.changes:
        blocks += [Heading("What would start it sooner"), Table(HEADS, change_cells(found), prose=True)]
    blocks += [Heading("How this was made"), Facts(_facts(found))]
    return Page(start_answer(found), blocks, subtitle=subtitle(found), label="loadmaster when")


def subtitle(found: StartFound) -> str:
    """The job and the queue."""
    job = found.job
    tasks = f"{job.tasks:,} tasks, " if job.tasks > 1 else ""
    date = found.date(0.0)
    listed = f"the queue as listed at {date}" if date else "the queue as listed"
    return (
        f"Job {job.name}: {tasks}{job.cores:g} cores, limit {show_seconds(job.limit_s)}, has waited "
        f"{show_seconds(job.waited_s)}; {listed}: {found.running:,} running, {found.waiting:,} waiting"
    )


def start_chart(found: StartFound) -> Any:
    """The part of the samples that has started over time, a line for the job as it is and for each change."""
    import altair as alt

    able = [each for each in found.changes if not each.why_never and np.isfinite(each.forecast.wait_s).any()]
    able.sort(key=lambda each: each.forecast.median_s)
    lines = {AS_IT_IS: found.forecast} | {each.words: each.forecast for each in able[:_CHANGES]}
    finite = [made.wait_s[np.isfinite(made.wait_s)] for made in lines.values()]
    unit, size = unit_for([float(each.max(initial=1.0)) for each in finite])
    values = []
    for name, made in lines.items():
        started = (np.arange(made.wait_s.size) + 1) / made.wait_s.size
        values.append({"request": name, "wait": 0.0, "started": float((made.wait_s <= 0.0).mean())})
        values += [
            {"request": name, "wait": wait_s / size, "started": part}
            for wait_s, part in zip(made.wait_s.tolist(), started.tolist(), strict=True)
            if math.isfinite(wait_s)
        ]
    palette = [ACCENT, STRANDED, "#138a5e", "#7a4fc4", "#8a6d1d"]
    colour = alt.Color(
        "request:N",
        title=None,
        scale=alt.Scale(domain=list(lines), range=palette[: len(lines)]),
        legend=alt.Legend(orient="bottom", columns=2, symbolType="stroke"),
    )
    x = alt.X("wait:Q", title=f"{unit} from the listing on", scale=alt.Scale(nice=False))
    steps = (
        alt.Chart(rows(values), width=760, height=300)
        .mark_line(strokeWidth=2, interpolate="step-after")
        .encode(
            x=x,
            y=alt.Y("started:Q", title="part of the samples", axis=alt.Axis(format="%")),
            color=colour,
            tooltip=["request:N", alt.Tooltip("wait:Q", format=".3~g"), alt.Tooltip("started:Q", format=".0%")],
        )
    )
    made = found.forecast
    if not math.isfinite(made.high_s):
        return themed(steps)
    ends = rows([{"low": made.low_s / size, "high": made.high_s / size}])
    band = alt.Chart(ends).mark_rect(opacity=0.12, color=MUTED).encode(x=alt.X("low:Q"), x2="high:Q")
    return themed(band + steps)


def _facts(found: StartFound) -> dict[str, str]:
    facts = {
        "command": found.command,
        "version": shown_version(),
        "rule": found.rule,
        "log of the past": found.log,
        "samples": f"{found.forecast.wait_s.size:,}, seed {found.seed}" if found.sampled else "",
    }
    return {name: value for name, value in facts.items() if value}
