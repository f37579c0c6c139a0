"""The page of every verb, as a browser shows it: wide and narrow, light and dark, by mouse and by keyboard."""

import shutil
from contextlib import chdir
from itertools import pairwise

import pytest
from charts_on_pages import elements_of
from comparisons import comparison
from pages_of_all_verbs import write_all

from loadmaster.report.compare_page import compare_page
from loadmaster.report.page import write
from loadmaster.report.theme import INK, MUTED

VERBS = (
    "compare", "simulate", "explain", "pack", "rebalance", "size", "share", "run", "reproduce", "live", "info",
)  # fmt: skip
TIMEOUT_MS = 60_000
WAITS = {
    ("first-fit", 0.7): 9.0, ("mix-fit", 0.7): 8.0, ("max-jobs", 0.7): 8.5,
    ("first-fit", 0.9): 100.0, ("mix-fit", 0.9): 80.0, ("max-jobs", 0.9): 85.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    with chdir(folder):
        return write_all(folder)


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    path = tmp_path_factory.mktemp("compared") / "report.html"
    write(path, compare_page(comparison(WAITS)))
    return path


@pytest.fixture(scope="module")
def browser():
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def shown(browser):
    """Opens a page, and gives it with what its scripts complained of."""
    opened = []

    def show(path, width=1280, scheme="light"):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        opened.append(page)
        complaints = []
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.goto(f"file://{path}")
        drawn(page, 1)
        return page, complaints

    yield show
    for page in opened:
        page.close()


def drawn(page, times):
    """Wait until all charts have been drawn so often."""
    page.wait_for_selector(f"html[data-drawn='{times}']", timeout=TIMEOUT_MS)


@pytest.mark.parametrize("verb", VERBS)
def test_a_page_is_drawn_wide_and_narrow_light_and_dark_without_complaint_or_sideways_scrolling(pages, shown, verb):
    page, complaints = shown(pages[verb])
    charts = page.locator(".chart").count()
    assert charts > 0
    for times, (width, scheme) in enumerate(((1280, "light"), (1280, "dark"), (390, "dark"), (390, "light")), 1):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        drawn(page, times)
        assert page.locator(".chart > svg").count() == charts
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 24, 30)"
        assert dark == (scheme == "dark")
    assert all(page.locator(".chart").nth(k).get_attribute("aria-label") for k in range(charts))
    assert complaints == []


def test_labels_of_an_axis_do_not_lie_on_each_other_where_the_page_is_narrow(pages, shown):
    page, _ = shown(pages["info"], width=390)
    axes = page.locator(".role-axis-label").evaluate_all(
        "each => each.map(axis => [...axis.querySelectorAll('text')]"
        ".filter(text => text.textContent && text.getAttribute('opacity') !== '0')"
        ".map(text => text.getBoundingClientRect()).map(box => [box.left, box.right, box.top, box.bottom]))"
    )
    pairs = [pair for labels in axes for pair in pairwise(labels)]
    assert len(pairs) > 20
    assert not [1 for a, b in pairs if a[0] < b[1] and b[0] < a[1] and a[2] < b[3] - 2 and b[2] < a[3] - 2]


@pytest.mark.parametrize("verb", VERBS)
def test_names_of_users_are_text_and_no_elements(pages, verb):
    text = pages[verb].read_text(encoding="utf-8")
    found = elements_of(text)
    assert found.count("script") == 5  # charts and library, packed; tables, choice and drawing
    assert not {"b", "i", "iframe", "img", "object", "link"} & set(found)
    assert {"main", "header", "h1"} <= set(found)
    if verb in ("pack", "run", "reproduce", "live"):
        assert "&lt;script&gt;alert(1)" in text


def test_a_table_is_sorted_by_a_click_and_by_the_keyboard_and_comes_back(pages, shown):
    page, complaints = shown(pages["pack"])
    table = page.locator("table").last
    names = "rows => rows.map(row => row.cells[0].textContent)"
    made = table.locator("tbody tr").evaluate_all(names)
    head = table.locator("th", has_text="cores received").first
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    received = table.locator("tbody tr").evaluate_all("rows => rows.map(row => +row.cells[4].textContent)")
    assert received == sorted(received)
    assert len(set(received)) > 1
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    received = table.locator("tbody tr").evaluate_all("rows => rows.map(row => +row.cells[4].textContent)")
    assert received == sorted(received, reverse=True)
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") is None
    assert table.locator("tbody tr").evaluate_all(names) == made
    assert complaints == []


def test_rows_stay_in_their_bands_and_units_count_when_a_table_is_sorted(compared, shown):
    page, _ = shown(compared)
    table = page.locator("table").first
    table.locator("th", has_text="mean wait").first.locator("button").click()
    bands = "bodies => bodies.map(body => [...body.rows].map(row => row.cells[0].textContent))"
    first, second = table.locator("tbody").evaluate_all(bands)
    assert first == ["load 0.70, netbatch", "mix-fit", "max-jobs", "first-fit"]
    assert second == ["load 0.90, netbatch", "mix-fit", "max-jobs", "first-fit"]


def test_a_policy_chosen_in_one_chart_is_stressed_in_all_and_in_the_tables(compared, shown):
    page, complaints = shown(compared)
    pressed = page.locator(".policies [aria-pressed=true]")
    faint = "#chart0 .mark-line path[opacity='0.12']"
    assert pressed.count() == 0
    assert page.locator(faint).count() == 0
    page.locator("#chart1 .mark-rect path").first.click()  # the ranking: the best policy on top
    page.wait_for_selector(".policies [aria-pressed=true]")
    assert pressed.all_text_contents() == ["mix-fit"]
    page.wait_for_selector(faint, state="attached")
    assert page.locator("tr.dim").first.locator("th").text_content() in ("first-fit", "max-jobs")
    page.locator(".policies button", has_text="first-fit").focus()
    page.keyboard.press("Enter")
    assert sorted(pressed.all_text_contents()) == ["first-fit", "mix-fit"]
    page.locator(".policies .all").click()
    assert pressed.count() == 0
    assert page.locator("tr.dim").count() == 0
    assert complaints == []


def test_a_page_is_printed_light_from_a_dark_one_and_the_first_tab_skips_to_the_content(compared, shown):
    page, _ = shown(compared, scheme="dark")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
    page.wait_for_function(
        "document.querySelectorAll('.paper > svg').length === document.querySelectorAll('.chart').length"
    )
    assert page.locator(".paper").first.is_hidden()
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".chart").first.is_hidden()
    assert page.locator(".paper").first.is_visible()
    inks = page.locator(".paper .role-axis-label text").evaluate_all(
        "each => each.map(text => text.getAttribute('fill'))"
    )
    assert set(inks) == {INK, MUTED}
    assert page.locator(".policies").is_hidden()


def test_a_chart_over_time_is_zoomed_by_the_wheel_with_alt_alone_and_whole_after_a_double_click(compared, shown):
    page, complaints = shown(compared)
    chart = page.locator(".chart:has(+ .hint)").first
    axis = "place => [...place.querySelectorAll('.role-axis-label text')].map(text => text.textContent).join()"
    whole = chart.evaluate(axis)
    chart.hover(position={"x": 400, "y": 60})
    page.mouse.wheel(0, 1)
    page.wait_for_timeout(200)
    assert chart.evaluate(axis) == whole
    chart.hover(position={"x": 400, "y": 60})
    page.keyboard.down("Alt")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Alt")
    handle = chart.element_handle()
    page.wait_for_function(f"([place, before]) => ({axis})(place) !== before", arg=[handle, whole])
    chart.dblclick(position={"x": 400, "y": 60})
    page.wait_for_function(f"([place, before]) => ({axis})(place) === before", arg=[handle, whole])
    assert complaints == []


def test_a_rule_of_several_disciplines_chosen_in_a_legend_is_stressed_in_its_rows_alone(shown, tmp_path):
    waits = {
        ("first-fit", "netbatch"): 90.0,
        ("mix-fit", "netbatch"): 80.0,
        ("first-fit", "easy"): 50.0,
        ("mix-fit", "easy"): 40.0,
    }
    keys = [(policy, load, way, wait) for load in (0.7, 0.9) for (policy, way), wait in waits.items()]
    write(tmp_path / "report.html", compare_page(comparison({key[:3]: key[3] * key[1] for key in keys})))
    page, complaints = shown(tmp_path / "report.html")
    page.locator("#chart0 .role-legend-label text", has_text="mix-fit under easy").first.click()
    page.wait_for_selector(".policies [aria-pressed=true]")
    assert page.locator(".policies [aria-pressed=true]").all_text_contents() == ["mix-fit under easy"]
    table = page.locator("table").first
    bright = table.locator("tbody tr[data-rule]:not(.dim)")
    assert bright.count() == 2
    assert {row.get_attribute("data-rule") for row in bright.all()} == {"mix-fit under easy"}
    assert complaints == []
