"""A picture of `explain`: what every host that a job could have had was rated."""

from typing import Any

from loadmaster.report.theme import MUTED, USED, names_axis, rows, themed, tooltip
from loadmaster.runs.choice import Candidate
from loadmaster.runs.explain import Explanation
from loadmaster.runs.record import Record


def scores_chart(record: Record, explanation: Explanation, top: int) -> Any:
    """A mark for each host, the lowest score on top; the one that was taken in colour."""
    import altair as alt

    values = [
        {"host": record.case.cluster.name(each.host), "score": each.score, "taken": each.host == explanation.hosts[0]}
        for each in _shown(explanation, top)
    ]
    colour = alt.Color("taken:N", legend=None, scale=alt.Scale(domain=[True, False], range=[USED, MUTED]))
    chart = alt.Chart(rows(values), width=700, height=max(60, 22 * len(values))).mark_circle(size=90)
    return themed(
        chart.encode(
            x=alt.X("score:Q", title="score; the lowest wins", scale=alt.Scale(zero=False)),
            y=names_axis("host"),
            color=colour,
            tooltip=tooltip("host", score=".6~g"),
        )
    )


def _shown(explanation: Explanation, top: int) -> list[Candidate]:
    """The first hosts, and the one that was taken."""
    assert explanation.choice is not None
    return [
        each
        for rank, each in enumerate(explanation.choice.candidates)
        if rank < top or each.host == explanation.hosts[0]
    ]
