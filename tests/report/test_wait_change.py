"""One baseline at a load: table, document, page, charts, frame and headline tell the same change of the same run."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from comparisons import comparison
from hypothesis import assume, given
from hypothesis import strategies as st

from loadmaster.report.answer import answer
from loadmaster.report.columns import change_text, columns_for
from loadmaster.report.compare_document import comparison_document
from loadmaster.report.compare_page import compare_page
from loadmaster.report.comparison import percent
from loadmaster.report.confidence import signed
from loadmaster.report.interval_chart import interval_chart
from loadmaster.report.load_charts import load_charts, ranking
from loadmaster.report.page import Table
from loadmaster.report.summary import summary_frame
from loadmaster.report.terminal import table
from loadmaster.report.wait_change import change_of
from loadmaster.runs.judgement import Sampled, judgement
from loadmaster.runs.samples import Drawing, SampleRun

RULES = [(policy, discipline) for discipline in ("netbatch", "easy") for policy in ("first-fit", "mix-fit")]
LOADS = (0.7, 0.9)
CELLS = [(policy, load, discipline) for load in LOADS for policy, discipline in RULES]
WAITS = st.lists(st.floats(1.0, 1e5), min_size=8, max_size=8)
BASELINES = st.sampled_from(["first-fit", "mix-fit"])


def compared(waits, baseline):
    return comparison(dict(zip(CELLS, waits, strict=True)), baseline)


def with_samples(shown, seed=0):
    """Samples of every run around the logarithm of its own mean wait."""
    rng = np.random.default_rng(seed)
    found = []
    for load in LOADS:
        same = [outcome for outcome in shown.outcomes if outcome.load == load]
        log = rng.normal(0, 1, 40)
        drawn = [np.exp(log + rng.normal(math.log(o.metrics.mean_wait_s), 0.1, 40)) for o in same]
        runs = tuple(tuple(SampleRun(9, 0, 0, {"mean_wait_s": float(w)}) for w in waits) for waits in drawn)
        found.append(judgement(shown.case, same, shown.baseline, Sampled(Drawing("seeds"), runs)))
    return replace(shown, judgements=tuple(found))


def terminal_cells(shown):
    cells = list(table(shown, columns_for(shown)).columns[2].cells)
    return [str(cell) for cell in cells if str(cell)]


def page_cells(shown):
    first = next(block for block in compare_page(shown).blocks if isinstance(block, Table))
    assert first.columns[2] == "change"
    return [row[2].replace("\N{NO-BREAK SPACE}", " ") for row in first.rows]


@given(WAITS, BASELINES, st.booleans())
def test_table_document_page_and_frame_tell_the_same_change(waits, baseline, samples):
    shown = compared(waits, baseline)
    shown = with_samples(shown) if samples else shown
    rows = comparison_document(shown)["rows"]
    frame = summary_frame(shown)
    assert terminal_cells(shown) == [change_text(shown, outcome) for outcome in shown.outcomes]
    assert frame["difference"].to_list() == [row["difference"] for row in rows]
    for outcome, row, cell in zip(shown.outcomes, rows, terminal_cells(shown), strict=True):
        base = (outcome.setting.policy, outcome.setting.discipline) == (baseline, "netbatch")
        assert (cell == "baseline") == base
        assert row["difference"] == change_of(shown, outcome).part
        if not base and abs(row["difference"]) < 99:
            assert cell.startswith(signed(row["difference"]))
        if not samples:
            other = next(o for o in shown.outcomes if o is shown.baseline_at(outcome.load))
            assert row["difference"] == pytest.approx(outcome.metrics.mean_wait_s / other.metrics.mean_wait_s - 1)


@pytest.mark.parametrize("samples", [False, True])
@pytest.mark.parametrize("baseline", ["first-fit", "mix-fit"])
def test_the_page_has_the_changes_of_the_table_and_its_charts_those_of_the_document(samples, baseline):
    shown = compared([100, 90, 60, 40, 1000, 800, 500, 650], baseline)
    shown = with_samples(shown) if samples else shown
    rows = comparison_document(shown)["rows"]
    assert page_cells(shown) == terminal_cells(shown)
    labels = json.dumps(ranking(shown, shown.at(0.9)).to_dict(), ensure_ascii=False)
    for row in rows[4:]:
        text = "baseline" if row["difference"] == 0 else signed(row["difference"])
        assert f"· {text}" in labels
    drawn = [each["value"] for each in load_values(load_charts(shown, shown.outcomes).to_dict(), "mean wait against")]
    assert drawn == [float(f"{row['difference']:.6g}") for row in rows]
    if samples:
        notes = json.dumps(interval_chart(shown, shown.judgement).to_dict(), ensure_ascii=False)
        assert all(change_text(shown, outcome) in notes for outcome in shown.outcomes[4:])


def load_values(spec, title):
    """The rows of the panel of that title, whichever layer has it."""
    panel = next(each for each in spec["concat"] if title in json.dumps(each))
    return (panel.get("data") or panel["layer"][0]["data"])["values"]


@given(WAITS, BASELINES, st.booleans())
def test_the_headline_names_the_change_of_the_row_that_it_names(waits, baseline, samples):
    shown = compared(waits, baseline)
    shown = with_samples(shown) if samples else shown
    told = re.search(r"([\d.,]+ %) (less|more) than (\S+ under \S+)", answer(shown))
    base = shown.baseline_at(0.9)
    assume(told is not None)
    part, way, against = told.groups()
    assert against == shown.rule_name(base.setting)
    changes = [row["difference"] for row in comparison_document(shown)["rows"] if row["load"] == 0.9]
    assert part in [percent(abs(change)) for change in changes if (change < 0) == (way == "less")]


def test_the_headline_of_a_comparison_with_a_clear_best_tells_its_change():
    shown = compared([100, 90, 60, 40, 1000, 800, 500, 650], "mix-fit")
    assert "50 % less than" not in answer(shown)
    assert "first-fit under easy has the lowest mean wait on this log: 38 % less than mix-fit under netbatch" in (
        answer(shown)
    )
    assert change_text(shown, shown.outcomes[6]) == "−38 %"


def test_a_run_that_leaves_out_more_jobs_is_compared_with_nothing_in_any_table():
    shown = compared([100, 90, 60, 40, 1000, 800, 500, 650], "first-fit")
    runs = list(shown.outcomes)
    runs[5] = replace(runs[5], metrics=replace(runs[5].metrics, unstarted=3))
    shown = replace(shown, outcomes=runs)
    assert change_text(shown, runs[5]) == "-"
    assert comparison_document(shown)["rows"][5]["difference"] is None
    assert change_text(shown, runs[6]) == "−50 %"


def test_where_nobody_waits_under_the_baseline_the_change_is_none_or_beyond_all():
    shown = compared([0, 0, 1, 0, 0, 0, 2, 0], "first-fit")
    assert terminal_cells(shown) == ["baseline", "±0.0 %", "+∞", "±0.0 %"] * 2
    rows = comparison_document(shown)["rows"]
    assert [row["difference"] for row in rows] == [0.0, 0.0, None, 0.0] * 2


def test_one_rule_alone_has_no_change_and_no_column_of_it():
    shown = comparison({("first-fit", 0.9): 5.0})
    assert comparison_document(shown)["rows"][0]["difference"] is None
    first = next(block for block in compare_page(shown).blocks if isinstance(block, Table))
    assert "change" not in first.columns
