"""How charts look: the same colour for a policy in every chart and every report, one calm theme."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
INK, MUTED, RULE, ACCENT = "#1c2430", "#5b6675", "#e3e7ec", "#1f5fa8"
USED, STRANDED, SPARE = "#5b8db8", "#e08a3c", "#edf0f3"

DARK = {
    "#ffffff": "#14181e", INK: "#e4e9ef", MUTED: "#9aa7b5", RULE: "#2b333d", ACCENT: "#6ea8e6", SPARE: "#29313a",
    "#b8c0ca": "#4a5563", "#111827": "#cbd5e1", "#7a828e": "#98a1ae",
    "#20609f": "#3d7fd0", "#173a5e": "#d6e8fa", "#7a3d08": "#ffd9ad", "#a9c6e3": "#2f5a85",
}  # fmt: skip
"""What a page turns colours of a chart into where its reader prefers dark pages."""

CHOSEN = "rule_chosen"
"""The name of the choice of rules in every chart."""

_COLOURS = {
    # One hue a family: blue best-fit, orange worse-fit, green mix-fit; the darker one looks at cores.
    "first-fit": "#7a828e",
    "best-fit-cores": "#20609f",
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


def turn_of(policies: Sequence[str], policy: str) -> int:
    """How often all colours for a user's own policies were taken before this one took its own; 0 of a built-in one."""
    own = [each for each in policies if each not in _COLOURS]
    return 0 if policy in _COLOURS else own.index(policy) // len(_OTHERS)


def colour_of(policies: Sequence[str], title: str | None = None, **legend: Any) -> Any:
    """The colour channel for the column `policy`, in the order given."""
    import altair as alt

    shown = alt.Legend(title=title, symbolType="stroke", symbolStrokeWidth=4, **legend)
    return alt.Color("policy:N", scale=alt.Scale(domain=list(policies), range=colours(policies)), legend=shown)


def rule_chosen(**events: Any) -> Any:
    """The choice of rules: a page tells it to all its charts that have one (`choice.js` knows it by this name)."""
    import altair as alt

    return alt.selection_point(name=CHOSEN, fields=["rule"], **events)


def stressed(chosen: Any, full: float = 1.0) -> Any:
    """The opacity of marks, which what is not chosen loses most of."""
    import altair as alt

    return alt.when(chosen).then(alt.value(full)).otherwise(alt.value(0.12))


def themed(chart: Any) -> Any:
    """`chart` in the house's look."""
    import altair as alt

    with unchecked():
        axis = alt.AxisConfig(
            labelColor=MUTED,
            titleColor=INK,
            titleFontWeight="normal",
            gridColor=RULE,
            domainColor="#b8c0ca",
            tickColor="#b8c0ca",
            labelFontSize=11,
            titleFontSize=12,
            titlePadding=8,
        )
        legend = alt.LegendConfig(
            labelColor=INK, titleColor=MUTED, labelFontSize=12, titleFontWeight="normal", labelLimit=220
        )
        return chart.configure(  # all in one: Altair copies the whole chart in each such call
            font=FONT,
            background="#ffffff",
            view=alt.ViewConfig(stroke=None),
            axis=axis,
            header=alt.HeaderConfig(labelColor=INK, titleColor=INK, labelFontSize=12),
            legend=legend,
            title=alt.TitleConfig(
                color=INK, fontSize=14, fontWeight=600, anchor="start", subtitleColor=MUTED, offset=10
            ),
        )


def rows(values: list[dict[str, Any]]) -> Any:
    """Rows as a chart takes them, numbers cut to six digits: a chart shows no more."""
    with unchecked():
        return _plain_rows()(values=[{key: _shortened(value) for key, value in row.items()} for row in values])


@contextmanager
def unchecked() -> Iterator[None]:
    """Around the making of our own charts: Altair does not hold each part against its schema, which the tests do."""
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        yield


@contextmanager
def for_a_page() -> Iterator[None]:
    """As `unchecked`, for charts that only a page shows: no code changes a chart once it is there.

    So charts that are made of each other share their encodings and their look, and what is made of charts shares these.
    Altair copies them all for every layer, facet and title, which took two thirds of the time of a page.
    """
    import altair as alt

    shared: tuple[Any, ...] = (alt.Config, alt.FacetedEncoding, alt.Chart)
    with unchecked():
        for kind in shared:
            kind.__deepcopy__ = _itself
        try:
            yield
        finally:
            for kind in shared:
                with suppress(AttributeError):  # another thread's page was done before this one
                    del kind.__deepcopy__


def _itself(part: Any, _memo: Any) -> Any:
    return part


@cache
def _plain_rows() -> Any:
    """The class of data that Altair neither copies nor looks into, row by row, whenever a chart is changed."""
    import altair as alt

    class PlainRows(alt.Data):
        def __deepcopy__(self, memo: Any) -> Any:
            return self

        def to_dict(self, *_: Any, **__: Any) -> dict[str, Any]:
            return {"values": self._kwds["values"]}

    return PlainRows


def names_axis(column: str) -> Any:
    """A vertical channel of names, in the order of the rows, without a line or ticks."""
    import altair as alt

    axis = alt.Axis(ticks=False, domain=False, labelPadding=8, labelFontSize=12, labelColor=INK, labelLimit=320)
    return alt.Y(f"{column}:N", sort=None, title=None, axis=axis)


def tooltip(*names: str, **formats: str) -> list[Any]:
    """What shows under the pointer: columns of names as they are, columns of numbers in their format."""
    import altair as alt

    return [f"{name}:N" for name in names] + [alt.Tooltip(f"{name}:Q", format=how) for name, how in formats.items()]


def _shortened(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value
