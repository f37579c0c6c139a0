"""Every chart of a comparison shows every rule; where rules are many, each discipline once more by itself."""

import json
from dataclasses import replace

import altair as alt
import pytest
from charts_on_pages import charts_of, headings_of
from comparisons import comparison

from loadmaster.report.compare_charts import chart_blocks, main_chart
from loadmaster.report.compare_page import compare_page
from loadmaster.report.page import Chart, Heading, Text, write
from loadmaster.runs import Setting

POLICIES = ("first-fit", "mix-fit", "best-fit-cores", "worse-fit-memory")
WAYS = ("netbatch", "easy", "conservative")


def compared(policies, ways=WAYS, loads=(0.7, 0.9)):
    """Every rule has waits of its own."""
    keys = [(policy, load, way) for load in loads for way in ways for policy in policies]
    return comparison({key: 100.0 + 7 * k for k, key in enumerate(keys)})


def rules_in(chart):
    """The rules that the data of a chart name."""
    found = set()

    def look(part):
        if isinstance(part, dict):
            if isinstance(part.get("rule"), str):
                found.add(part["rule"])
            for each in part.values():
                look(each)
        elif isinstance(part, list):
            for each in part:
                look(each)

    look(chart if isinstance(chart, dict) else chart.to_dict())
    return found


def names(shown):
    return {shown.rule_name(outcome.setting) for outcome in shown.outcomes}


@pytest.mark.parametrize("policies", [POLICIES[:2], POLICIES])
@pytest.mark.parametrize("loads", [(0.9,), (0.7, 0.9)])
def test_every_main_chart_shows_every_rule(policies, loads):
    shown = compared(policies, loads=loads)
    section, charts = "", []
    for block in chart_blocks(shown):
        if isinstance(block, Heading):
            section = block.text
        elif isinstance(block, Chart) and not section.startswith("In detail"):
            charts.append(block.chart)
    assert len(charts) == 4 + (len(loads) > 1)
    assert all(rules_in(chart) == names(shown) for chart in charts)
    assert rules_in(main_chart(shown)) == names(shown)


def test_many_rules_are_drawn_once_more_discipline_by_discipline():
    titles = [block.text for block in chart_blocks(compared(POLICIES)) if isinstance(block, Heading)]
    assert titles[-3:] == ["In detail: netbatch", "In detail: easy", "In detail: conservative"]
    blocks = chart_blocks(compared(POLICIES))
    detail = blocks[next(k for k, b in enumerate(blocks) if isinstance(b, Heading) and b.text == "In detail: easy") :]
    easy = {f"{policy} under easy" for policy in POLICIES}
    assert all(rules_in(block.chart) == easy for block in detail[1:4])
    assert detail[2].caption.endswith("The line without colour in each row is first-fit under easy.")
    few = [block.text for block in chart_blocks(compared(POLICIES[:2])) if isinstance(block, Heading)]
    assert not any(title.startswith("In detail") for title in few)


def test_disciplines_of_one_policy_have_no_details_since_each_is_one_rule():
    orders = ("fcfs", "sjf", "lxf", "wfp3", "f1", "f2", "f3", "f4", "area")
    many = compared(POLICIES[:1], ways=[f"{order}+easy" for order in orders])
    titles = [block.text for block in chart_blocks(many) if isinstance(block, Heading)]
    assert len(names(many)) == 9
    assert not any(title.startswith("In detail") for title in titles)


def test_sets_of_machines_are_rules_of_their_own_in_every_chart():
    shown = compared(POLICIES[:2], ways=("easy",), loads=(0.9,))
    on = [replace(o, setting=replace(o.setting, hosts=hosts)) for hosts in ("4x8c", "2x16c") for o in shown.outcomes]
    on = [replace(o, metrics=replace(o.metrics, mean_wait_s=50.0 + k)) for k, o in enumerate(on)]
    shown = replace(shown, outcomes=on)
    assert names(shown) == {f"{policy} on {hosts}" for policy in POLICIES[:2] for hosts in ("4x8c", "2x16c")}
    charts = [block.chart for block in chart_blocks(shown) if isinstance(block, Chart)]
    assert all(rules_in(chart) == names(shown) for chart in charts)


def test_rules_that_coincide_are_drawn_as_one_and_a_picture_says_so():
    shown = compared(POLICIES[:2], ways=("easy",), loads=(0.9,))
    first = shown.outcomes[0]
    again = replace(first, setting=Setting("random", "easy"))
    shown = replace(shown, outcomes=[*shown.outcomes, again])
    picture = main_chart(shown)
    assert rules_in(picture) == {"first-fit", "mix-fit"}
    assert "The runs of first-fit and random are the same" in json.dumps(picture.to_dict()["title"]["subtitle"])


def test_the_page_of_many_rules_is_valid_and_its_rows_name_their_rules(tmp_path):
    write(tmp_path / "report.html", compare_page(compared(POLICIES)))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    specs = charts_of(text)
    for spec in specs:
        alt.Chart.from_dict(spec, validate=True)
    assert text.count('data-rule="mix-fit under easy"') == 2
    assert "In detail: easy" in headings_of(text)
    assert len(text) < 700_000


@pytest.mark.parametrize("policies", [POLICIES[:2], POLICIES])
def test_where_no_job_waited_that_is_said_and_no_empty_chart_is_drawn(policies):
    shown = compared(policies)
    none = [replace(o, metrics=replace(o.metrics, longest_wait_s=0.0, unstarted=0)) for o in shown.outcomes]
    idle, usual = chart_blocks(replace(shown, outcomes=tuple(none))), chart_blocks(shown)
    headings = [block.text for block in idle if isinstance(block, Heading)]
    assert not any("queue over time" in each for each in headings)
    said = [block for block in idle if isinstance(block, Text)]
    assert said
    assert {block.text for block in said} == {"No job waited: each began as it came."}
    charts = [sum(isinstance(block, Chart) for block in blocks) for blocks in (idle, usual)]
    assert charts[0] == charts[1] - 2 * len(said)
