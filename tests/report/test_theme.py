from contextlib import nullcontext

import altair as alt
from comparisons import comparison

from loadmaster.report import compare_page
from loadmaster.report.page import write
from loadmaster.report.theme import for_a_page, rows, unchecked

POLICIES = ("first-fit", "mix-fit", "max-jobs")
WAITS = {(policy, load): 60.0 + 10 * k + load for k, policy in enumerate(POLICIES) for load in (0.8, 1.1)}


def test_charts_that_share_their_parts_make_the_same_page_as_charts_that_copy_them(tmp_path, monkeypatch):
    write(tmp_path / "shared.html", compare_page.compare_page(comparison(WAITS)))
    monkeypatch.setattr(compare_page, "for_a_page", nullcontext)
    write(tmp_path / "copied.html", compare_page.compare_page(comparison(WAITS)))
    assert (tmp_path / "shared.html").read_bytes() == (tmp_path / "copied.html").read_bytes()


def test_outside_of_a_page_charts_copy_their_parts_as_altair_does():
    with unchecked():
        chart = alt.Chart(rows([{"a": 1}])).mark_bar().encode(x="a:Q")
    with for_a_page():
        assert chart.copy().encoding is chart.encoding
        with for_a_page():
            pass
    assert chart.copy().encoding is not chart.encoding
    assert not hasattr(alt.FacetedEncoding, "__deepcopy__")


def test_a_page_may_be_written_twice(tmp_path):
    page = compare_page.compare_page(comparison(WAITS))
    write(tmp_path / "first.html", page)
    write(tmp_path / "second.html", page)
    assert (tmp_path / "first.html").read_bytes() == (tmp_path / "second.html").read_bytes()
