"""How charts look: the same colour for a policy in every chart and every report, one calm theme."""

from collections.abc import Sequence
from typing import Any

FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
INK, MUTED, RULE, ACCENT = "#1c2430", "#5b6675", "#e3e7ec", "#1f5fa8"
USED, STRANDED, SPARE = "#5b8db8", "#e08a3c", "#edf0f3"

_COLOURS = {
    # One hue a family: blue best-fit, orange worse-fit, green mix-fit; the darker one looks at cores.
    "first-fit": "#7a828e",
    "best-fit-cores": "#1f5fa8",
    "best-fit-memory": "#6fa8dc",
    "worse-fit-cores": "#c2620a",
    "worse-fit-memory": "#f0ad4e",
    "mix-fit": "#138a5e",
    "mix-fit-origin": "#77c29f",
    "max-jobs": "#c92a3a",
    "opportunity-cost": "#7a4fc4",
    "dot-product": "#c2479b",
    "least-loaded": "#8a6d1d",
    "round-robin": "#1d9aa8",
    "random": "#b5a99a",
}
_OTHERS = ("#111827", "#4d7c0f", "#9d174d", "#0369a1", "#a16207", "#57534e")


def colours(policies: Sequence[str]) -> list[str]:
    """A colour for every policy; the built-in ones always have the same, a user's own take the rest in turn."""
    own = [policy for policy in policies if policy not in _COLOURS]
    return [_COLOURS.get(policy) or _OTHERS[own.index(policy) % len(_OTHERS)] for policy in policies]


def colour_of(policies: Sequence[str], title: str | None = None, **legend: Any) -> Any:
    """The colour channel for the column `policy`, in the order given."""
    import altair as alt

    shown = alt.Legend(title=title, symbolType="stroke", symbolStrokeWidth=4, **legend)
    return alt.Color("policy:N", scale=alt.Scale(domain=list(policies), range=colours(policies)), legend=shown)


def themed(chart: Any) -> Any:
    """`chart` in the house's look."""
    return (
        chart.configure(font=FONT, background="#ffffff")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=MUTED, titleColor=INK, titleFontWeight="normal", gridColor=RULE, domainColor="#b8c0ca",
            tickColor="#b8c0ca", labelFontSize=11, titleFontSize=12, titlePadding=8,
        )
        .configure_header(labelColor=INK, titleColor=INK, labelFontSize=12)
        .configure_legend(labelColor=INK, titleColor=MUTED, labelFontSize=12, titleFontWeight="normal", labelLimit=220)
        .configure_title(color=INK, fontSize=14, fontWeight=600, anchor="start", subtitleColor=MUTED, offset=10)
    )  # fmt: skip


def rows(values: list[dict[str, Any]]) -> Any:
    """Rows as a chart takes them, numbers cut to six digits: a chart shows no more."""
    import altair as alt

    data: Any = alt.Data
    return data(values=[{key: _cut(value) for key, value in row.items()} for row in values])


def names_axis(column: str) -> Any:
    """A vertical channel of names, in the order of the rows, without a line or ticks."""
    import altair as alt

    axis = alt.Axis(ticks=False, domain=False, labelPadding=8, labelFontSize=12, labelColor=INK)
    return alt.Y(f"{column}:N", sort=None, title=None, axis=axis)


def tooltip(*names: str, **formats: str) -> list[Any]:
    """What shows under the pointer: columns of names as they are, columns of numbers in their format."""
    import altair as alt

    return [f"{name}:N" for name in names] + [alt.Tooltip(f"{name}:Q", format=how) for name, how in formats.items()]


def _cut(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value
