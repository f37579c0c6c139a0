import io
from dataclasses import replace

import polars as pl
import pytest
from comparisons import comparison
from rich.console import Console

from loadmaster.report.columns import columns_for, marked, short, unit_for
from loadmaster.report.comparison import answer, faults
from loadmaster.report.summary import write_summary
from loadmaster.report.terminal import print_comparison


def printed(shown, width=100):
    console = Console(file=io.StringIO(), width=width)
    print_comparison(console, shown)
    return console.file.getvalue()


def test_the_answer_names_the_best_policy_and_how_much_less_one_waits():
    shown = comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 780.0})
    assert answer(shown) == "mix-fit keeps the queue shortest: 22 % less wait than first-fit (13 min, not 16.7 min)."


def test_the_answer_says_so_where_the_baseline_is_the_best():
    shown = comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 1500.0, ("random", 0.9): 1100.0})
    assert answer(shown) == "first-fit keeps the queue shortest: the next, random, waits 10 % more."


def test_the_answer_names_those_that_do_as_well():
    waits = {("first-fit", 0.9): 100.0, ("mix-fit", 0.9): 60.0, ("norm-greedy", 0.9): 60.3, ("random", 0.9): 120.0}
    text = answer(comparison(waits))
    assert text == (
        "mix-fit keeps the queue shortest, norm-greedy within 1 % of it: 40 % less wait than first-fit "
        "(1 min, not 1.67 min)."
    )
    ties = {("first-fit", 0.9): 15.0, ("mix-fit", 0.9): 15.0, ("random", 0.9): 18.0}
    assert answer(comparison(ties)) == (
        "first-fit keeps the queue shortest, mix-fit within 1 % of it: the next, random, waits 20 % more."
    )


def test_the_answer_does_not_choose_where_there_is_nothing_to_choose():
    shown = comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 995.0})
    assert answer(shown) == "The choice hardly matters here: all policies wait within 1 % of first-fit's 16.7 min."


def test_with_several_loads_the_answer_is_for_the_highest_and_says_how_far_it_holds():
    waits = {("first-fit", 0.7): 90.0, ("mix-fit", 0.7): 99.0, ("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 500.0}
    text = answer(comparison(waits))
    assert "50 % less wait than first-fit (8.33 min, not 16.7 min), at load 0.90" in text
    assert text.endswith("it is the best or within 1 % of it at 1 of 2 loads.")


def test_with_several_disciplines_the_answer_names_the_one():
    waits = {("first-fit", 0.9, "fcfs"): 1000.0, ("mix-fit", 0.9, "fcfs"): 900.0}
    waits |= {("first-fit", 0.9, "netbatch"): 800.0, ("mix-fit", 0.9, "netbatch"): 400.0}
    assert answer(comparison(waits)).endswith(", under netbatch.")


def test_a_single_run_is_told_without_a_comparison():
    assert answer(comparison({("first-fit", 0.9): 100.0})).startswith("Under first-fit a job waits 1.67 min on average")


def test_nobody_waiting_is_no_division_by_zero():
    shown = comparison({("first-fit", 0.9): 0.0, ("mix-fit", 0.9): 0.0})
    assert "hardly matters" in answer(shown)
    assert "mix-fit" in printed(comparison({("first-fit", 0.9): 0.0, ("mix-fit", 0.9): 5.0}))


def test_the_best_of_each_group_is_marked_and_ties_share_the_mark():
    shown = comparison({("first-fit", 0.9): 7.0, ("mix-fit", 0.9): 5.0, ("random", 0.9): 5.0})
    wait = columns_for(shown)[0]
    assert marked(wait, shown.groups[0]) == [False, True, True]


def test_nothing_is_marked_where_all_are_equal():
    shown = comparison({("first-fit", 0.9): 5.0, ("mix-fit", 0.9): 5.0})
    assert marked(columns_for(shown)[0], shown.groups[0]) == [False, False]


def test_the_table_fits_in_100_columns_with_every_number_whole():
    names = ("first-fit", "worse-fit-memory", "opportunity-cost", "max-jobs")
    text = printed(comparison({(name, load): 1e5 for name in names for load in (0.7, 0.95)}))
    assert max(len(line) for line in text.splitlines()) <= 100
    assert "…" not in text
    assert text.count("baseline") == 2
    assert "synthetic" in text


def test_changes_against_the_baseline_have_a_sign():
    text = printed(comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 780.0, ("random", 0.9): 1034.0}))
    assert "−22 %" in text
    assert "+3.4 %" in text


def test_a_run_that_breaks_littles_law_is_shown_plainly():
    shown = comparison({("first-fit", 0.9): 1000.0})
    broken = replace(shown.outcomes[0], metrics=replace(shown.outcomes[0].metrics, little_error=0.05, unstarted=3))
    shown = replace(shown, outcomes=[broken])
    law, unstarted = faults(shown)
    assert "Little's law does not hold (5.00% apart)" in law
    assert "3 jobs never started" in unstarted
    assert "warning: first-fit, netbatch, load 0.90: Little's law" in printed(shown, width=200)


def test_the_summary_has_one_row_a_run_and_all_columns(tmp_path):
    write_summary(tmp_path / "s.parquet", comparison({("first-fit", 0.9): 10.0, ("max-jobs", 0.9): 9.0}))
    table = pl.read_parquet(tmp_path / "s.parquet")
    assert table["policy"].to_list() == ["first-fit", "max-jobs"]
    assert table["chosen_mix-fit"].to_list() == [None, 0.9]
    assert {"utilization_cores", "stranded_memory", "little_error", "beta", "seed"} <= set(table.columns)


def test_json_rows_have_exactly_the_documented_keys():
    first, meta = comparison({("first-fit", 0.9): 10.0, ("max-jobs", 0.9): 9.0}).outcomes
    keys = ["kind", "policy", "discipline", "load", "jobs", "rejected", "unstarted"]
    keys += ["mean_wait_s", "median_wait_s", "p95_wait_s", "p99_wait_s", "longest_wait_s"]
    keys += ["mean_slowdown", "mean_bounded_slowdown", "mean_queue_length", "utilization", "makespan_s", "cycles"]
    keys += ["simulated_jobs_per_s"]
    assert list(first.row()) == keys
    assert list(meta.row()) == [*keys, "chosen"]


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.00123, "0.00123"), (9.996, "10.00"), (99.96, "100.0"), (1234567.0, "1,234,567")]
)
def test_numbers_have_three_digits_or_more(value, text):
    assert short(value) == text


def test_times_are_shown_in_a_unit_that_suits_them():
    assert unit_for([20.0, 100.0]) == ("s", 1.0)
    assert unit_for([20.0, 200.0]) == ("min", 60.0)
    assert unit_for([86400.0 * 4]) == ("d", 86400.0)
