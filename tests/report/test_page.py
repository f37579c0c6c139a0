import json
import re
import shutil
import subprocess

import altair as alt
import pytest
from charts_on_pages import charts_of, headings_of, unpacked
from comparisons import comparison

from loadmaster.measure.timeline import thinned
from loadmaster.model import InputError
from loadmaster.report.columns import change_text
from loadmaster.report.compare_charts import main_chart
from loadmaster.report.compare_page import compare_page
from loadmaster.report.compressed_assets import compressed_library
from loadmaster.report.load_charts import ranking
from loadmaster.report.page import Chart, Facts, Heading, Page, Table, Text, write
from loadmaster.report.picture import write_picture
from loadmaster.report.theme import ACCENT, DARK, INK, colours, rows, themed
from loadmaster.report.time_charts import unit_of

POLICIES = ("first-fit", "mix-fit", "max-jobs")
COLOURED = (
    "first-fit", "best-fit-cores", "best-fit-memory", "worse-fit-cores", "worse-fit-memory", "mix-fit", "max-jobs",
    "opportunity-cost",
)  # fmt: skip


def two_loads():
    return comparison({(policy, load): 100.0 * load for policy in POLICIES for load in (0.7, 0.9)})


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write(path, compare_page(two_loads()))
    return path


def test_a_page_holds_all_it_shows_and_asks_nothing_of_a_network(report):
    text = report.read_text(encoding="utf-8")
    without_code = re.sub(r"(<script[^>]*>).*?</script>", r"\1</script>", text, flags=re.DOTALL)
    assert not re.search(r'\b(src|href)=(?!"#)', without_code)
    assert "@import" not in without_code
    assert "url(" not in without_code
    assert len(text) < 600_000


def test_a_report_shows_answer_table_charts_and_how_it_was_made(report):
    text = report.read_text(encoding="utf-8")
    for section in (
        "Against the load",
        "Mean wait at load 0.90",
        "The queue over time",
        "How long jobs waited",
        "Where the capacity went",
        "What max-jobs chose",
        "How this was made",
    ):
        assert any(title.startswith(section) for title in headings_of(text))
    assert "<h1>" in text
    assert "loadmaster compare" in text
    assert "synthetic" in text


def test_every_chart_is_a_valid_specification_that_renders(report):
    import vl_convert

    specs = charts_of(report.read_text(encoding="utf-8"))
    assert len(specs) == 6
    for spec in specs:
        alt.Chart.from_dict(spec, validate=True)
        assert "<svg" in vl_convert.vegalite_to_svg(spec)


def test_a_browser_without_a_network_draws_every_chart(report, tmp_path):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("no Chromium on this machine")
    shown = subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={tmp_path}",
            "--virtual-time-budget=20000",
            "--dump-dom",
            f"file://{report}",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    assert len(re.findall(r'<div class="chart[^"]*" id="chart\d"[^>]*>.*?<svg', shown, re.DOTALL)) == 6


def test_text_of_users_is_escaped(tmp_path):
    path = tmp_path / "p.html"
    chart = alt.Chart(alt.Data(values=[{"a": "</script><script>alert(1)</script>"}])).mark_point().encode(x="a:N")
    table = Table(["<i>"], [["<u>"]], bands={0: "<s>"})
    blocks = [Heading("<b>"), Text("a & b"), table, Facts({"<": ">"}), Chart(chart)]
    write(path, Page("<title>", blocks))
    text = path.read_text(encoding="utf-8")
    assert "<b>" not in text
    assert "a &amp; b" in text
    assert "<script>alert" not in text


def test_the_library_in_the_package_is_one_plain_script_for_the_charts_that_are_written():
    script = unpacked(compressed_library())
    assert "globalThis.vegaEmbed=" in script
    assert "</script" not in script.lower()
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


def test_the_same_charts_make_the_same_page(report, tmp_path):
    write(tmp_path / "again.html", compare_page(two_loads()))
    assert (tmp_path / "again.html").read_bytes() == report.read_bytes()


def test_rows_of_a_chart_stay_the_same_object_however_it_is_changed():
    data = rows([{"policy": "first-fit", "wait": 1 / 3}])
    chart = themed(alt.Chart(data).mark_point().encode(x="wait:Q").properties(title="wait"))
    assert chart.data is data
    assert chart.to_dict()["data"] == {"values": [{"policy": "first-fit", "wait": 0.333333}]}


def test_a_page_without_charts_carries_no_script(tmp_path):
    write(tmp_path / "p.html", Page("Title", [Text("words")]))
    assert "<script" not in (tmp_path / "p.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["p.png", "p.svg"])
def test_the_main_chart_is_written_as_a_picture(tmp_path, name):
    write_picture(tmp_path / name, main_chart(two_loads()))
    head = (tmp_path / name).read_bytes()[:5]
    assert head in (b"\x89PNG\r", b"<svg ")


def test_the_main_chart_of_one_load_is_a_ranking(tmp_path):
    write_picture(tmp_path / "p.svg", main_chart(comparison({("first-fit", 0.9): 10.0, ("mix-fit", 0.9): 8.0})))
    assert "offered load" not in (tmp_path / "p.svg").read_text()


def test_another_ending_than_png_and_svg_is_one_clear_error(tmp_path):
    with pytest.raises(InputError, match=r"\.png or \.svg"):
        write_picture(tmp_path / "p.gif", main_chart(two_loads()))


def test_a_page_that_cannot_be_written_is_one_clear_error(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path / "missing" / "p.html", Page("Title", []))


def test_a_policy_has_the_same_colour_in_every_company():
    assert colours(["mix-fit", "mine.py:f"])[0] == colours(["first-fit", "other.py:g", "mix-fit"])[2]
    assert len(set(colours(["a.py:f", "b.py:f", "first-fit", "max-jobs"]))) == 4


def test_policies_keep_apart_on_dark_pages_too():
    shown = [DARK.get(colour, colour) for colour in colours(COLOURED)]
    assert len(set(shown)) == len(shown)
    assert not {DARK[ACCENT], DARK[INK]} & set(shown)


def test_a_long_series_is_thinned_and_keeps_its_extremes():
    import numpy as np

    time = np.arange(100_000.0)
    value = np.sin(time / 997) + (time == 54_321) * 50
    shown_time, shown = thinned(time, value, 400)
    assert shown.size <= 400
    assert shown.max() == value.max()
    assert np.all(np.diff(shown_time) > 0)


def test_the_chart_of_mean_waits_and_the_table_write_the_same_change():
    same = comparison({("first-fit", 0.9): 20.0, ("mix-fit", 0.9): 20.0, ("max-jobs", 0.9): 25.0})
    group = same.groups[0]
    labels = json.dumps(ranking(same, group).to_dict(), ensure_ascii=False)
    assert [change_text(same, outcome) for outcome in group.outcomes][1:] == ["±0.0 %", "+25 %"]
    assert "s · ±0.0 %" in labels
    assert "s · +25 %" in labels


def test_a_run_alone_has_no_column_of_changes():
    def heads(waits):
        page = compare_page(comparison(waits))
        return next(block.columns for block in page.blocks if type(block) is Table)

    assert "change" not in heads({("first-fit", 0.9): 9.0})
    assert "change" in heads({("first-fit", 0.9): 9.0, ("mix-fit", 0.9): 8.0})


def test_drains_of_all_rules_are_told_in_one_unit():
    page = compare_page(comparison({("first-fit", 0.9): 9.0, ("mix-fit", 0.9): 8.0}))
    table = next(block for block in page.blocks if type(block) is Table and "mean queue" in block.columns)
    assert table.columns[-1] in ("drain s", "drain min", "drain h", "drain d")
    assert all(float(row[-1].replace(",", "")) >= 0 for row in table.rows)


def test_a_short_time_is_drawn_in_seconds():
    assert unit_of(70.0) == ("seconds", 1.0)
    assert unit_of(700.0) == ("minutes", 60.0)
