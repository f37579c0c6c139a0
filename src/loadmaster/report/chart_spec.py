"""Charts of Altair as specifications, the form in which a page and a kept result hold them."""

from typing import Any

from loadmaster.kept.values import Foreign
from loadmaster.report.theme import rows, unchecked

_WITHIN = ("layer", "hconcat", "vconcat", "concat")


def _of_plain(plain: dict[str, Any]) -> Any:
    import altair as alt

    with unchecked():
        chart: Any = alt.Chart.from_dict(plain, validate=False)
        _with_rows(chart, plain)
    return chart


def _with_rows(chart: Any, plain: dict[str, Any]) -> None:
    """Give the chart its rows as ours have them, so that Altair does not move them elsewhere."""
    values = plain.get("data", {}).get("values")
    if values is not None:
        chart.data = rows(values)
    for where in _WITHIN:
        for number, inner in enumerate(plain.get(where, ())):
            _with_rows(getattr(chart, where)[number], inner)
    if "spec" in plain:
        _with_rows(chart.spec, plain["spec"])


CHARTS = {
    "altair": Foreign(
        lambda value: type(value).__module__.startswith("altair.") and hasattr(value, "to_dict"),
        lambda chart: chart.to_dict(validate=False),
        _of_plain,
    )
}
"""What `loadmaster.kept.values` writes beside values of our own."""
