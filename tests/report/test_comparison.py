import io
from dataclasses import replace

import polars as pl
import pytest
from comparisons import comparison
from comparisons import with_metrics as of_run
from rich.console import Console

from loadmaster.measure.losses import Losses
from loadmaster.model import Workload
from loadmaster.model.units import percent
from loadmaster.report.answer import answer
from loadmaster.report.columns import columns_for, marked, short, unit_for
from loadmaster.report.compare_document import comparison_document, lowest
from loadmaster.report.comparison import Comparison, faults
from loadmaster.report.summary import write_summary
from loadmaster.report.terminal import print_comparison, title
from loadmaster.runs import Setting, Threads, case_of
from loadmaster.runs.sweep import sweep
from loadmaster.traces import Skipped, Trace
from loadmaster.traces.hosts import parse_hosts


def printed(shown, width=100):
    console = Console(file=io.StringIO(), width=width)
    print_comparison(console, shown)
    return console.file.getvalue()


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


def with_metrics(shown, index, **metrics):
    """The comparison with other numbers of one run."""
    runs = list(shown.outcomes)
    runs[index] = of_run(runs[index], **metrics)
    return replace(shown, outcomes=runs)


def test_a_run_that_breaks_littles_law_is_told():
    shown = with_metrics(comparison({("first-fit", 0.9): 1000.0}), 0, little_error=0.05, unstarted=3)
    law, unstarted = faults(shown)
    assert law == "first-fit, netbatch, load 0.90: Little's law does not hold (5.00 % apart)"
    assert unstarted == "first-fit, netbatch, load 0.90: 3 jobs never started; means leave them out"


def test_a_warning_that_holds_of_several_runs_is_told_once():
    shown = comparison({(f"policy{i}", 0.9): 100.0 for i in range(7)})
    for i in range(6):
        shown = with_metrics(shown, i, unstarted=1 if i == 5 else 2)
    two, one = faults(shown)
    named = "; ".join(f"policy{i}, netbatch, load 0.90" for i in range(4))
    assert two == f"{named}; 1 more: 2 jobs never started; means leave them out"
    assert one == "policy5, netbatch, load 0.90: 1 job never started; means leave them out"
    for i in range(7):
        shown = with_metrics(shown, i, unstarted=2)
    assert faults(shown) == ["all runs: 2 jobs never started; means leave them out"]


def test_jobs_that_never_started_have_a_column_of_their_own_only_where_there_are_some():
    shown = comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 500.0})
    assert "never" not in printed(shown)
    text = printed(with_metrics(shown, 1, unstarted=1234))
    assert "never" in text
    assert "1,234" in text


def test_what_a_run_lost_is_shown_only_where_something_was_lost():
    shown = comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 500.0})
    assert "killed" not in printed(shown)
    lost = Losses(killed=7, lost_core_s=36000.0, never_run={"held": 2})
    run = with_metrics(shown, 1, unstarted=2).outcomes[1]
    values = run.values | {"killed": 7.0, "lost_core_s": 36000.0}
    outcomes = [shown.outcomes[0], replace(run, losses=lost, values=values)]
    shown = replace(shown, outcomes=outcomes)
    assert "killed" in printed(shown)
    assert {"killed", "lost core hours"} <= {column.title for column in columns_for(shown)}
    assert faults(shown)[-1].endswith("2 jobs never started (2: held); means leave them out")
    assert {"killed", "lost_core_s", "never_run"} <= outcomes[1].row().keys()
    assert not {"killed", "lost_core_s", "never_run"} & outcomes[0].row().keys()


def test_the_use_of_every_resource_has_a_column():
    workload = Workload.of(submit_s=[0.0], runtime_s=[10.0], cores=[1.0], memory=[1.0], gpus=[2.0])
    case = case_of(Trace(workload, parse_hosts("2x4c8g4gpu")))
    shown = Comparison(case, sweep(case, [Setting("first-fit", "easy")], None, Threads(1)), "first-fit")
    assert [column.title for column in columns_for(shown)][-1] == "gpus used"


def test_a_run_that_left_jobs_unstarted_is_never_the_best():
    """Its mean leaves out those who wait for ever."""
    shown = with_metrics(comparison({("first-fit", 0.9): 1000.0, ("mix-fit", 0.9): 5.0}), 1, unstarted=1)
    assert shown.groups[0].best.setting.policy == "first-fit"
    assert marked(columns_for(shown)[0], shown.groups[0]) == [True, False]
    assert lowest(shown) == [
        {"load": 0.9, "mean_wait_s": 1000.0, "candidates": [{"policy": "first-fit", "discipline": "netbatch"}]}
    ]


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
    keys += ["mean_slowdown", "mean_bounded_slowdown", "mean_queue_length", "makespan_s", "utilization", "metrics"]
    keys += ["cycles", "simulated_jobs_per_s", "warm_up_s", "drain_s", "steady_mean_wait_s", "steady_mean_queue_length"]
    keys += ["overloaded", "jain_of_users", "worst_user", "worst_user_bounded_slowdown"]
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


def test_where_too_much_work_is_left_out_there_is_no_verdict_and_nothing_is_marked_or_called_lowest():
    waits = comparison({("first-fit", 0.9): 100.0, ("mix-fit", 0.9): 50.0})
    lost = Skipped(work=0.2)
    lost.add("no empty host can hold it", [1, 2], count=90)
    few = replace(waits, case=replace(waits.case, rejected=lost))
    jobs = few.case.workload.jobs
    lost_jobs = f"90 of {jobs + 90} jobs ({percent(90 / (jobs + 90))}) with 20 % of the work"
    assert answer(few).startswith(f"No verdict: {lost_jobs} are left out; ")
    assert (comparison_document(few)["rejected_work"], comparison_document(waits)["rejected_work"]) == (0.2, 0.0)
    assert f"{jobs} synthetic jobs that fit on " in title(few)
    assert "that fit" not in title(waits)
    column = columns_for(few)[0]
    assert marked(column, waits.groups[0]) == [False, True]
    assert marked(column, few.groups[0]) == [False, False]
    document = comparison_document(few)
    assert (document["verdict"], document["verdict_because"]) == ("none", answer(few))
    assert (document["lowest"], comparison_document(waits)["lowest"] != []) == ([], True)
