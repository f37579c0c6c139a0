"""Charts of Altair as specifications, the form in which a page and a kept result hold them."""

from typing import Any

from loadmaster.report.theme import rows, unchecked
from loadmaster.results.values import Foreign

_PUT_TOGETHER = {"layer": "LayerChart", "hconcat": "HConcatChart", "vconcat": "VConcatChart", "concat": "ConcatChart"}
"""Where a chart has its parts, and its class in Altair."""


def _of_plain(plain: dict[str, Any]) -> Any:
    with unchecked():
        return _chart_of(plain)


def _chart_of(plain: dict[str, Any]) -> Any:
    """The chart, with the rows of each part as ours have them, so that Altair does not move them elsewhere."""
    import altair as alt

    where = next((each for each in _PUT_TOGETHER if each in plain), "")
    chart: Any = getattr(alt, _PUT_TOGETHER.get(where, "Chart")).from_dict(plain, validate=False)
    values = plain.get("data", {}).get("values")
    if values is not None:
        chart.data = rows(values)
    if where:
        setattr(chart, where, list(map(_chart_of, plain[where])))
    if "spec" in plain:
        chart.spec = _chart_of(plain["spec"])
    return chart


CHARTS = {
    "altair": Foreign(
        lambda value: type(value).__module__.startswith("altair.") and hasattr(value, "to_dict"),
        lambda chart: chart.to_dict(validate=False),
        _of_plain,
    )
}
"""What `loadmaster.results.values` writes beside values of our own."""
