"""Charts as specifications: what is read back is the same chart, whatever it is put together from."""

import altair as alt
import pytest

from loadmaster.report.chart_spec import CHARTS
from loadmaster.report.theme import rows, themed, unchecked


def line(values):
    return alt.Chart(rows(values)).mark_line().encode(x="t:Q", y="n:Q")


VALUES = [{"t": 0.0, "n": 1.0, "rule": "a"}, {"t": 1.0, "n": 3.0, "rule": "b"}]


@pytest.mark.parametrize(
    "put_together",
    [
        lambda one, other: one,
        lambda one, other: alt.layer(one, other),
        lambda one, other: alt.layer(one, other, data=rows(VALUES)).facet(row="rule:N"),
        lambda one, other: alt.hconcat(one, alt.layer(one, other)),
        lambda one, other: alt.vconcat(one, alt.hconcat(one, other)),
        lambda one, other: alt.concat(one, alt.layer(one, other), columns=2),
    ],
)
def test_a_chart_that_is_read_back_is_the_same(put_together):
    with unchecked():
        chart = themed(put_together(line(VALUES), line(VALUES[:1])))
    charts = CHARTS["altair"]
    plain = charts.to_plain(chart)
    again = charts.of_plain(plain)
    assert charts.is_one(again)
    assert charts.to_plain(again) == plain
