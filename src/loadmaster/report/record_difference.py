"""The difference of two records for people: sentences, tables, one picture."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from loadmaster.measure.metric import shown_as
from loadmaster.model.units import show_alike, show_seconds
from loadmaster.report.columns import metric_text
from loadmaster.system.counted import counted

if TYPE_CHECKING:
    from loadmaster.report.page import Page
    from loadmaster.runs.record_difference import RecordDifference

MOST_MARKS = 5_000
JOB_HEADS = ("job", "arrives", "starts", "starts in the second", "later by", "host", "host in the second")


def difference_answer(difference: "RecordDifference") -> str:
    """How many jobs differ, and in what."""
    count, later = len(difference.row), np.nan_to_num(difference.later_s)
    if difference.equal:
        return f"The two runs are equal: {counted(count, 'job')} with the same starts, hosts and ends."
    parts = [
        f"{int(which.sum()):,} start {word} (by {show_seconds(float(abs(later[which]).mean()))} on average)"
        for which, word in ((later > 0, "later"), (later < 0, "earlier"))
        if which.any()
    ]
    text = f"Of {counted(count, 'job')}, {' and '.join(parts) or 'none starts at another time'}. "
    elsewhere = int((difference.moved & (later == 0)).sum())
    if elsewhere:
        text += f"{elsewhere:,} start at the same time on other hosts. "
    if one := int(difference.started_in_one.sum()):
        text += f"{counted(one, 'job')} start in one run alone. "
    return text + _mean_wait(difference)


def _mean_wait(difference: "RecordDifference") -> str:
    one, other = difference.metrics["mean_wait_s"]
    if one == other:
        return f"The mean wait is {show_seconds(one)} in both."
    first, second = show_alike(one, other)
    return f"The mean wait is {second} in the second run and {first} in the first."


def difference_notes(difference: "RecordDifference") -> tuple[str, ...]:
    """What the reader must know beside it: jobs of one record alone, and how the two were made differently."""
    notes = [
        f"{counted(count, 'job')} stand in the {which} record alone; they count in its metrics."
        for count, which in zip(difference.only, ("first", "second"), strict=True)
        if count
    ]
    if difference.only[0] and difference.only[1]:
        notes.append("So the two are not runs of the same jobs; jobs of equal identifiers are compared.")
    parts = [f"{name} {one!r} and {other!r}" for name, (one, other) in difference.settings.items()]
    made = f"The runs were made differently: {'; '.join(parts)}." if parts else "Both runs have the same setting."
    return (*notes, made)


def metric_rows(difference: "RecordDifference") -> list[list[str]]:
    """A row for each metric that moved: its heading, the first, the second."""
    return [
        [shown_as(name).heading, *(metric_text(name, value) for value in values)]
        for name, values in difference.metrics.items()
        if values[0] != values[1] and not all(map(math.isnan, values))
    ]


def job_rows(difference: "RecordDifference", top: int) -> list[list[str]]:
    """A row for each of the jobs that differ most; `JOB_HEADS` are the titles."""
    frame = difference.frame(difference.largest_first[:top])
    return [
        [
            row["job"],
            *(_time(row[name]) for name in ("submit_s", "start_s", "start_s_second", "later_s")),
            row["host"] or "-",
            row["host_second"] or "-",
        ]
        for row in frame.iter_rows(named=True)
    ]


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else show_seconds(seconds) if seconds >= 0 else f"−{show_seconds(-seconds)}"


def difference_chart(difference: "RecordDifference") -> Any:
    """A mark for each job that differs: when it arrived, by how much later it starts in the second run."""
    import altair as alt

    from loadmaster.report.columns import unit_for
    from loadmaster.report.theme import USED, rows, themed, tooltip

    frame = difference.frame(np.sort(difference.largest_first[:MOST_MARKS])).drop_nulls("later_s")
    longest = float(np.abs(frame["later_s"].to_numpy()).max(initial=0.0))
    unit, size = unit_for([longest])
    since, span = unit_for([float(frame["submit_s"].max() or 0.0)])  # type: ignore[arg-type]
    values = [
        {"arrival": row["submit_s"] / span, "later": row["later_s"] / size, "job": row["job"]}
        for row in frame.iter_rows(named=True)
    ]
    marks = alt.Chart(rows(values), width=700, height=260).mark_circle(size=30, color=USED, opacity=0.6)
    chart = marks.encode(
        x=alt.X("arrival:Q", title=f"arrival, {since} from the start of the log"),
        y=alt.Y("later:Q", title=f"start in the second run, later by {unit}"),
        tooltip=tooltip("job", arrival=",.4~g", later=",.3~g"),
    )
    return themed(chart)


def difference_page(difference: "RecordDifference", top: int, command: str) -> "Page":
    """The answer, the metrics that moved, the jobs that differ most, and the picture of all."""
    from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
    from loadmaster.report.page_footer import page_footer

    blocks: list[Block] = [Text(note) for note in difference_notes(difference)]
    if moved := metric_rows(difference):
        blocks += [Heading("Metrics that differ"), Table(("metric", "first", "second"), moved)]
    if difference.differs.any():
        blocks += [
            Heading("Starts"),
            Chart(difference_chart(difference), "Above 0 a job starts later in the second run."),
        ]
        rows = job_rows(difference, top)
        blocks += [Heading("Jobs that differ most"), Table(JOB_HEADS, rows, prose=True)]
    runs = {
        which: record.about.get("command", "")
        for which, record in (("first run", difference.first), ("second run", difference.second))
    }
    blocks += page_footer({"command": command, **runs})
    return Page(difference_answer(difference), blocks, "", "loadmaster diff")
