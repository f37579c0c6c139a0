"""The picture of rules H3 and H4: use beside capacity, and the jobs that waited while there was room."""

from typing import Any

from loadmaster.measure.queueing_check import RoomOverTime
from loadmaster.report.theme import INK, MUTED, STRANDED, USED, rows, themed
from loadmaster.report.time_charts import time_axis, unit_of

ROOM_CAPTION = (
    "Above: the most in use in each span of time, as a part of all there is; above the line, more than there is. "
    "Below: jobs that waited, and those of them that would have fitted into what was free."
)
_WIDTH = 860


def room_chart(seen: RoomOverTime) -> Any:
    """Use over waiting, on one axis of time."""
    import altair as alt

    unit, size = unit_of(float(seen.since_s[-1] - seen.since_s[0]))
    columns = (seen.since_s, seen.highest, seen.waiting, seen.with_room)
    values = [
        {"t": (since - float(seen.since_s[0])) / size, "used": used, "held": waited - room, "room": room}
        for since, used, waited, room in zip(*(column.tolist() for column in columns), strict=True)
    ]
    time = alt.X("t:Q", title=None, scale=alt.Scale(nice=False), axis=alt.Axis(grid=False))
    base = alt.Chart(rows(values), width=_WIDTH)
    used = base.mark_area(interpolate="step-after", color=USED, opacity=0.75).encode(
        x=time,
        y=alt.Y("used:Q", title="in use", axis=alt.Axis(format="%", tickCount=4)),
        tooltip=[alt.Tooltip("used:Q", format=".0%")],
    )
    all_there_is = alt.Chart(rows([{"all": 1.0}])).mark_rule(color=INK, strokeDash=[4, 3]).encode(y="all:Q")
    kinds = {"room": "there was room", "held": "there was none"}
    waiting = (
        base.transform_fold(list(kinds), as_=["which", "jobs"])
        .transform_calculate(what=f"datum.which == 'room' ? '{kinds['room']}' : '{kinds['held']}'")
        .mark_area(interpolate="step-after")
        .encode(
            x=time_axis(unit),
            y=alt.Y("jobs:Q", title="jobs that waited", stack="zero", axis=alt.Axis(tickCount=4, tickMinStep=1)),
            color=alt.Color(
                "what:N",
                legend=alt.Legend(title=None, orient="top", symbolType="square"),
                scale=alt.Scale(domain=list(kinds.values()), range=[STRANDED, MUTED]),
            ),
            tooltip=["what:N", alt.Tooltip("jobs:Q", format=",.0f")],
        )
    )
    return themed(alt.vconcat((used + all_there_is).properties(height=130), waiting.properties(height=130), spacing=14))
