"""The answer names a best only where samples do, says what ties, and always the p99 and the longest wait."""

import io
import json
import math
from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest
from comparisons import comparison
from rich.console import Console

from loadmaster.measure.paired_comparison import Difference
from loadmaster.report.answer import answer, more_of_the_answer
from loadmaster.report.columns import change_text, columns_for, marked
from loadmaster.report.compare_document import comparison_document
from loadmaster.report.compare_page import report_blocks
from loadmaster.report.confidence import difference_text, would_tell
from loadmaster.report.confidence_page import sure_blocks
from loadmaster.report.interval_chart import interval_chart
from loadmaster.report.page import Heading
from loadmaster.report.terminal import print_comparison
from loadmaster.runs.judgement import Sampled, judgement
from loadmaster.runs.samples import Drawing, SampleRun

WAITS = {("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 800.0, ("random", 0.9): 1100.0}


def sampled(levels, waits=WAITS, how="seeds", noise=0.02, samples=40, cut=(0,)):
    """A comparison whose samples lie around exp(level), and cut as many dependencies as `cut` says in turn."""
    shown = comparison(waits)
    rng = np.random.default_rng(0)
    common = rng.normal(0, 1, samples)
    runs = []
    for level in levels:
        made = np.exp(common + level + rng.normal(0, noise, samples))
        runs.append(
            tuple(
                SampleRun(9, 0, each, {"mean_wait_s": float(wait)})
                for wait, each in zip(made, cycle(cut), strict=False)
            )
        )
    found = judgement(shown.case, shown.outcomes, "first-fit", Sampled(Drawing(how), tuple(runs)))
    return replace(shown, judgements=(found,))


def printed(shown, width=130):
    console = Console(file=io.StringIO(), width=width)
    print_comparison(console, shown)
    return console.file.getvalue()


def test_a_best_is_named_with_its_interval_and_the_nearest_rule():
    text = answer(sampled([0, -0.5, -0.3]))
    assert text.startswith("mix-fit is the best of 3 rules over 40 logs of other seeds: 40 % less than first-fit (95 %")
    assert "the nearest, random, waits 2" in text


def test_dependencies_that_few_samples_cut_are_not_told_as_none():
    for cut, words in (((1, 0, 0, 0), "0.25 dependencies"), ((1,), "1 dependency "), ((60, 40), "50 dependencies")):
        lines = more_of_the_answer(sampled([0, -0.5, -0.3], cut=cut))
        assert any(f"A sample cuts {words}" in line for line in lines)
    assert not any("cuts" in line for line in more_of_the_answer(sampled([0, -0.5, -0.3])))


def test_where_the_baseline_is_the_best_the_next_is_told():
    text = answer(sampled([0, 0.5, 0.3]))
    assert text.startswith("first-fit is the best of 3 rules")
    assert "the nearest, random, waits 3" in text


def test_what_cannot_be_told_apart_is_said_and_no_winner_named():
    text = answer(sampled([0, -0.005, 0.5], noise=0.05))
    assert text.startswith("These logs cannot tell first-fit and mix-fit apart, over 40 logs of other seeds")
    assert "best" not in text


def test_a_lead_over_a_baseline_that_a_race_left_early_says_over_how_many_samples_it_is():
    shown = sampled([0, -0.5, -0.5], noise=0.05)
    baseline, *others = shown.judgement.sampled.runs
    race = Sampled(Drawing("seeds"), (baseline[:10], *others), looks=(1, 3, 3), ending="time")
    found = judgement(shown.case, shown.outcomes, "first-fit", race)
    text = answer(replace(shown, judgements=(found,)))
    assert "over 40 logs of other seeds" in text
    assert "less than first-fit (over the first 10; 95 % interval" in text
    assert "over the first" not in answer(shown)
    captions = [
        block.caption for block in sure_blocks(replace(shown, judgements=(found,))) if hasattr(block, "caption")
    ]
    assert any("after 10 samples or more" in each for each in captions)
    assert any("the part of the first 10 samples in which" in each for each in captions)
    assert not any("10" in block.caption for block in sure_blocks(shown) if hasattr(block, "caption"))


@pytest.mark.parametrize(("levels", "said"), [([1.0, 0.99, 1.01], True), ([1.0, 0.9], False)])
def test_of_several_rules_it_is_said_that_verdicts_are_adjusted_for_their_number(levels, said):
    shown = sampled(levels, waits=dict(list(WAITS.items())[: len(levels)]))
    assert any("adjusted for the number" in getattr(block, "caption", "") for block in sure_blocks(shown)) == said


def test_a_short_log_has_no_verdict_and_what_is_lowest_on_it_is_still_told():
    text = answer(sampled([0, -0.5, 0.3], how="users"))
    assert text.startswith("No verdict: the log has 0 whole weeks, and 4 are needed to show how weeks differ")
    assert "mix-fit has the lowest mean wait on this log" in text


def test_several_disciplines_are_judged_in_one_unit():
    waits = {("first-fit", 0.9, "netbatch"): 1000.0, ("first-fit", 0.9, "easy"): 400.0}
    text = answer(sampled([0, -1.0], waits))
    assert text.startswith("easy is the best of 2 rules over 40 logs of other seeds: 63 % less than netbatch")


def test_p99_and_the_longest_wait_stand_beside_the_mean_with_samples_and_without():
    for shown in (comparison(WAITS), sampled([0, -0.5, -0.3])):
        first = more_of_the_answer(shown)[0]
        assert first.startswith("On this log mix-fit waits 13.3 min on average, p99 ")
        assert "at most" in first
        assert "first-fit 16.7 min, p99" in first
        assert {"p99 wait", "longest wait"} <= {column.title.rsplit(" ", 1)[0] for column in columns_for(shown)}


def test_without_samples_the_command_that_would_tell_is_there_and_with_them_it_is_not():
    plain = comparison(WAITS)
    assert would_tell(plain) == "loadmaster compare --samples 100"
    assert any("loadmaster compare --samples 100" in line for line in more_of_the_answer(plain))
    python = replace(plain, command="loadmaster.compare(limit=3)")
    assert would_tell(python) == "loadmaster.compare(limit=3, samples=100)"
    assert would_tell(sampled([0, -0.5, -0.3])) == ""
    assert would_tell(comparison({("first-fit", 0.9): 10.0})) == ""


def test_where_samples_of_a_log_would_not_tell_either_that_is_said():
    plain = comparison(WAITS)
    short = replace(plain, case=replace(plain.case, recipe=None))
    assert would_tell(short) == ""
    assert any("nor would samples drawn from this log" in line for line in more_of_the_answer(short))


def test_rows_carry_difference_interval_and_rank_and_the_document_its_verdict():
    shown = sampled([0, -0.5, -0.3])
    made = comparison_document(shown)
    assert made["verdict"] == "best"
    assert made["best"] == [{"policy": "mix-fit", "discipline": "netbatch"}]
    base, best, _ = made["rows"]
    assert (base["difference"], base["difference_low"], base["difference_high"]) == (0.0, 0.0, 0.0)
    assert best["difference_low"] < best["difference"] == pytest.approx(math.expm1(-0.5), abs=0.01)
    assert best["difference"] < best["difference_high"] < 0
    assert best["mean_wait_rank"] == 41
    assert made["loads"][0]["interval"] == "mean"


def test_tied_rows_are_all_named_in_the_document():
    made = comparison_document(sampled([0, -0.005, 0.5], noise=0.05))
    assert made["verdict"] == "tied"
    assert {each["policy"] for each in made["best"]} == {"first-fit", "mix-fit"}


def test_without_samples_rows_have_the_difference_of_this_run_and_nothing_of_an_interval():
    made = comparison_document(comparison(WAITS))
    assert (made["verdict"], made["best"], made["loads"]) == ("none", [], [])
    assert made["rows"][1]["difference"] == pytest.approx(-0.2)
    assert made["rows"][1]["difference_low"] is None
    assert made["rows"][1]["mean_wait_rank"] is None


def test_shaken_logs_give_chaos_and_no_interval():
    made = comparison_document(sampled([0, -0.5, -0.3], how="shake"))
    assert made["verdict"] == "none"
    row = made["rows"][1]
    assert (row["difference_low"], row["difference_high"]) == (None, None)
    assert row["chaos_low"] < row["difference"] < row["chaos_high"]


def test_the_table_marks_what_may_be_the_best_and_shows_intervals():
    shown = sampled([0, -0.005, 0.5], noise=0.05)
    group = shown.groups[0]
    assert marked(columns_for(shown)[0], group) == [True, True, False]
    assert change_text(shown, group.outcomes[0]) == "baseline"
    assert "[" in change_text(shown, group.outcomes[1])
    assert "−0." in printed(shown) or "[−" in printed(shown)


def test_the_page_has_the_picture_of_the_intervals_and_who_waits():
    blocks = report_blocks(sampled([0, -0.5, -0.3]))
    headings = [block.text for block in blocks if isinstance(block, Heading)]
    assert "How sure this is" in headings
    assert "Waits by group, and the groups that lose" in headings
    assert "Without warm-up and drain" in headings
    assert "How sure this is" not in [b.text for b in report_blocks(comparison(WAITS)) if isinstance(b, Heading)]


def test_the_picture_is_sorted_has_the_baseline_at_nothing_and_every_whisker_around_its_dot():
    shown = sampled([0, -0.5, 3.5])
    drawn = interval_chart(shown, shown.judgements[0]).to_dict()
    rows = next(layer["data"]["values"] for layer in drawn["layer"] if len(layer["data"]["values"]) > 1)
    assert [row["rule"] for row in rows] == ["mix-fit", "first-fit", "random"]
    assert all(row["low"] <= row["mean"] <= row["high"] for row in rows)
    assert rows[1]["mean"] == 1.0
    assert rows[0]["note"].endswith("· best")
    assert rows[2]["high"] <= 20.0 * 1.0001, "cut off at the edge"
    assert ".0%" not in json.dumps(drawn), "as in the notes beside it: a space before %"


def test_one_policy_under_several_disciplines_has_its_changes_in_the_table():
    shown = comparison({("first-fit", 0.9, "fcfs+easy"): 1000.0, ("first-fit", 0.9, "lxf+easy"): 900.0})
    lines = [line.split() for line in printed(shown).splitlines() if line.startswith("first-fit")]
    assert [line[2] for line in lines] == ["baseline", "−10"]


def test_an_overloaded_system_is_said_before_its_means():
    shown = comparison(WAITS)
    grows = [
        replace(o, beside=replace(o.beside, steady=replace(o.beside.steady, overloaded=True))) for o in shown.outcomes
    ]
    shown = replace(shown, outcomes=grows)
    assert answer(shown).startswith(
        "Overloaded: the queue only grows, so the longer the log, the longer the mean wait."
    )
    assert any("the queue only grows" in line for line in comparison_document(shown)["warnings"])


def test_an_overloaded_system_is_said_before_what_samples_tell():
    shown = sampled([0, -0.5, 3.5])
    first, *others = shown.outcomes
    over = replace(first, beside=replace(first.beside, steady=replace(first.beside.steady, overloaded=True)))
    said = answer(replace(shown, outcomes=[over, *others]))
    assert said.startswith(
        "Overloaded under first-fit: its queue only grows, so the longer the log, the longer its mean wait. mix-fit is"
    )


@pytest.mark.parametrize(
    ("low", "high", "how", "text"),
    [
        (0.9, 1.02, "mean", "−5.0 % [−10, +2]"), (0.9, 1.02, "chaos", "−5.0 % ~−10, +2~"),
        (0.9, math.inf, "mean", "−5.0 % [−10, +∞]"), (0.9, 121.0, "mean", "−5.0 % [−10, +12000]"),
    ],
)  # fmt: skip
def test_a_difference_is_short(low, high, how, text):
    assert difference_text(Difference(math.log(0.95), math.log(low), math.log(high), 1.0, how)) == text
