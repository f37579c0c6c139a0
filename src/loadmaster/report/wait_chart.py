"""The distribution of waits: how many jobs waited longer than a given time."""

from typing import Any

import numpy as np

from loadmaster.measure.distribution import EDGES_S, share_within
from loadmaster.report.comparison import Comparison, Group
from loadmaster.report.rule_styles import Drawn
from loadmaster.report.theme import rows, rule_chosen, stressed, tooltip

_TICKS = {
    1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 36000: "10 h", 86400: "1 d", 864000: "10 d",
    8640000: "100 d",
}  # fmt: skip
_SHORT = 24
"""Longer names stand below the chart."""


def wait_chart(comparison: Comparison, group: Group) -> Any:
    """For every rule the part of the jobs that waited longer than a time, both on logarithmic scales."""
    import altair as alt

    values: list[dict[str, Any]] = []
    least = 1.0
    for outcome in group.outcomes:
        longer = 1.0 - share_within(outcome.wait_counts)
        shown = longer > 0.5 / max(outcome.metrics.jobs, 1)
        least = min(least, float(longer[shown].min(initial=1.0)))
        for edge, part in zip(EDGES_S[1:][shown], longer[shown], strict=True):
            values.append({"rule": comparison.rule_name(outcome.setting), "wait": float(edge), "part": float(part)})
    chosen, drawn = rule_chosen(bind="legend", on="click"), Drawn(comparison, group.outcomes)
    short = max(map(len, drawn.names)) <= _SHORT
    legend = drawn.legend(orient="right") if short else drawn.legend(orient="bottom", columns=4)
    longest = max((row["wait"] for row in values), default=10.0)
    ticks = {second: text for second, text in _TICKS.items() if second <= longest * 1.5}
    texts = " : ".join(f"datum.value == {second} ? '{text}'" for second, text in ticks.items()) + " : ''"
    floor = 10.0 ** np.floor(np.log10(max(least, 1e-6)))
    chart = (
        alt.Chart(rows(values), width=760, height=300)
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X(
                "wait:Q", title="wait", scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(values=list(ticks), labelExpr=texts),
            ),
            y=alt.Y(
                "part:Q", title="jobs that waited longer", scale=alt.Scale(type="log", domain=[float(floor), 1.0]),
                axis=alt.Axis(format="~%", values=[10.0**-k for k in range(7) if 10.0**-k >= floor]),
            ),
            color=drawn.colour(legend), **drawn.dash(legend),
            opacity=stressed(chosen),
            tooltip=tooltip("rule", wait=",.3~r", part=".2~%"),
        )
        .add_params(chosen)
    )  # fmt: skip
    return drawn.told_apart(chart)
