"""A picture of verdicts: how many claims of each table or figure of a paper hold."""

from collections.abc import Sequence
from typing import Any

from loadmaster.report.theme import names_axis, rows, themed, tooltip

_COLOURS = {
    "holds": "#138a5e", "ordering holds, size differs": "#d9a514", "differs": "#c92a3a", "report only": "#b8c0ca",
    "not measured": "#e3e7ec",
}  # fmt: skip


def verdict_chart(verdicts: Sequence[tuple[str, str]]) -> Any:
    """A bar for each place, divided by the verdicts on its claims.

    Args:
        verdicts: the place and the verdict of every claim.
    """
    import altair as alt

    places = list(dict.fromkeys(place for place, _ in verdicts))
    verdict_names = list(_COLOURS)
    values = [
        {
            "place": place,
            "verdict": verdict,
            "claims": verdicts.count((place, verdict)),
            "order": verdict_names.index(verdict),
        }
        for place in places
        for verdict in verdict_names
        if (place, verdict) in verdicts
    ]
    colour = alt.Scale(domain=verdict_names, range=list(_COLOURS.values()))
    chart = alt.Chart(rows(values), width=560, height=max(60, 24 * len(places))).mark_bar(height=15)
    return themed(
        chart.encode(
            x=alt.X("claims:Q", title="claims", axis=alt.Axis(tickMinStep=1)),
            y=names_axis("place"),
            order="order:O",
            color=alt.Color("verdict:N", scale=colour, legend=alt.Legend(title=None, orient="top")),
            tooltip=tooltip("place", "verdict", claims="d"),
        )
    )
