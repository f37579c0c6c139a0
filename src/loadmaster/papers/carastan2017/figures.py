"""Mean bounded slowdowns of the sequences under each policy: the medians as a table, and all of them."""

# mypy: disable-error-code="no-untyped-call"
import numpy as np

from loadmaster.papers.carastan2017.claims import CONDITIONS, FIELD, FITTED, NAMES, ORDERS
from loadmaster.papers.log_sequences import LogSequences
from loadmaster.papers.queue_runs import Rows, over_parts
from loadmaster.report.page import Chart, Table
from loadmaster.report.theme import ACCENT, themed
from loadmaster.report.theme import rows as as_rows


def medians(rows: Rows, log: LogSequences) -> Table:
    """The median over sequences of the mean bounded slowdown: a row for each condition, a column for each policy."""
    body = []
    for condition in CONDITIONS:
        values = [over_parts(rows, log, condition.discipline(order), condition.estimates, FIELD) for order in ORDERS]
        body.append([condition.name, *(f"{np.median(each):,.1f}" for each in values)])
    return Table(("median of the mean bounded slowdown", *(NAMES[order] for order in ORDERS)), body)


def slowdowns(rows: Rows, log: LogSequences) -> Chart:
    """A point a sequence, on a logarithmic scale."""
    import altair as alt

    values = [
        {
            "policy": NAMES[order],
            "slowdown": float(each),
            "kind": "fitted" if order in FITTED else "known",
            "at": c.name,
        }
        for c in CONDITIONS
        for order in ORDERS
        for each in over_parts(rows, log, c.discipline(order), c.estimates, FIELD)
    ]
    colour = alt.Color("kind:N", title=None, scale=alt.Scale(domain=["known", "fitted"], range=["#c2620a", ACCENT]))
    points = alt.Chart(as_rows(values), width=230, height=240).mark_point(opacity=0.6, size=34)
    x = alt.X("policy:N", sort=[NAMES[order] for order in ORDERS], title=None, axis=alt.Axis(labelAngle=-45))
    y = alt.Y("slowdown:Q", title="mean bounded slowdown", scale=alt.Scale(type="log"))
    chart = points.encode(x=x, y=y, color=colour).facet(
        alt.Column("at:N", title=None, sort=[c.name for c in CONDITIONS])
    )
    return Chart(themed(chart), f"{log.name}: a point a sequence.")
