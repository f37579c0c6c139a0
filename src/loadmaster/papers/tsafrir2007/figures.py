"""All schedulers of the paper on one log: a table, and the reduction that each brings."""

# mypy: disable-error-code="no-untyped-call"
from loadmaster.papers.log_sequences import LogSequences
from loadmaster.papers.queue_runs import Rows, over_parts
from loadmaster.papers.tsafrir2007.claims import SCHEDULERS, reduced
from loadmaster.report.page import Chart, Table
from loadmaster.report.theme import ACCENT, INK, themed
from loadmaster.report.theme import rows as as_rows


def table(rows: Rows, log: LogSequences) -> Table:
    """A row for each scheduler: means over the stretches."""
    body = []
    for name, scheduler in SCHEDULERS.items():
        wait, slowdown, accuracy, below = (
            over_parts(rows, log, *scheduler, field).mean()
            for field in ("wait_s", "bounded_slowdown", "accuracy", "below")
        )
        body.append([name, f"{wait / 60:,.0f}", f"{slowdown:,.1f}", f"{accuracy:.2f}", f"{100 * below:.0f} %"])
    head = ("scheduler", "mean wait, min", "mean bounded slowdown", "accuracy", "predicted too short")
    return Table(head, body)


def improvements(rows: Rows, log: LogSequences) -> Chart:
    """By how much the mean bounded slowdown of each is below that of EASY, with its interval."""
    import altair as alt

    names = [name for name in SCHEDULERS if name != "EASY"]
    values = []
    for name in names:
        found = reduced(rows, log, name, "EASY", "bounded_slowdown")
        values.append({"scheduler": name, "value": found.value, "low": found.low, "high": found.high})
    base = alt.Chart(as_rows(values), width=460, height=190).encode(y=alt.Y("scheduler:N", sort=names, title=None))
    title = "lower mean bounded slowdown than EASY"
    x = alt.X("value:Q", title=title, axis=alt.Axis(format="%"))
    layers = [
        base.mark_rule(color=ACCENT).encode(x=alt.X("low:Q", title=title, axis=alt.Axis(format="%")), x2="high:Q"),
        base.mark_point(color=ACCENT, filled=True, size=50).encode(x=x),
        alt.Chart(as_rows([{"zero": 0.0}])).mark_rule(color=INK, strokeDash=[5, 4]).encode(x="zero:Q"),
    ]
    return Chart(themed(alt.layer(*layers)), f"{log.name}: reductions over paired stretches, 95 % intervals.")
