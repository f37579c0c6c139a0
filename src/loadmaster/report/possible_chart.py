"""How far from the best possible: every run between the bound, the best schedule found, and the longest waits."""

from typing import TYPE_CHECKING, Any

from loadmaster.report.columns import short, unit_for
from loadmaster.report.comparison import Comparison
from loadmaster.report.possible_claims import BEST_FOUND, BOUND, runs_at
from loadmaster.report.theme import ACCENT, INK, MUTED, STRANDED, rows

if TYPE_CHECKING:  # the search compiles kernels
    from loadmaster.search.possible import Possible

_WIDTH = 400
_SHORTEST_S = 1.0
"""What waits less is drawn here: there is no 0 on a scale of logarithms."""


def possible_chart(comparison: Comparison, each: "Possible") -> Any:
    """Mean waits on the left, longest waits on the right, of all runs at one load; both scales are logarithmic."""
    import altair as alt

    runs = sorted(runs_at(comparison, each), key=lambda o: o.metrics.mean_wait_s)
    names = [comparison.rule_name(o.setting) for o in runs]
    means = {name: o.metrics.mean_wait_s for name, o in zip(names, runs, strict=True)}
    longest = {name: o.metrics.longest_wait_s for name, o in zip(names, runs, strict=True)}
    lines = {BOUND: each.bound_s} | ({} if each.found is None else {BEST_FOUND: each.found["mean_wait_s"]})
    tails = {} if each.found is None else {BEST_FOUND: each.found["longest_wait_s"]}
    order = [*lines, *names]
    left = _panel("mean wait", lines | means, lines, order, alt.Axis(labelLimit=260))
    return alt.hconcat(left, _panel("longest wait", tails | longest, tails, order, None), spacing=24)


def _panel(title: str, waits: dict[str, float], lines: dict[str, float], order: list[str], axis: Any) -> Any:
    import altair as alt

    unit, size = unit_for(list(waits.values()))
    values = [
        {
            "name": name,
            "wait": max(wait_s, _SHORTEST_S) / size,
            "label": f"{short(wait_s / size)} {unit}",
            "what": name if name in lines else "run",
        }
        for name, wait_s in waits.items()
    ]
    base = alt.Chart(rows(values), width=_WIDTH, height=alt.Step(24)).encode(
        x=alt.X("wait:Q", title=f"{title} ({unit})", scale=alt.Scale(type="log", padding=40, nice=False)),
        color=alt.Color(
            "what:N", scale=alt.Scale(domain=[BOUND, BEST_FOUND, "run"], range=[STRANDED, ACCENT, INK]), legend=None
        ),
    )
    across = base.transform_filter("datum.what != 'run'").mark_rule(strokeDash=[4, 3])
    at = alt.Y("name:N", sort=order, title=None, axis=axis, scale=alt.Scale(domain=order))
    dots = base.mark_circle(size=70, opacity=1).encode(y=at)
    labels = base.mark_text(align="left", dx=8).encode(y=at, text="label:N", color=alt.value(MUTED))
    return across + dots + labels
