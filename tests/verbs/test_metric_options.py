"""`--metrics`: what a comparison shows, on the terminal, in JSON, in frames, with intervals, from Python."""

import pytest

import loadmaster as lm
from loadmaster.cli.simulate import _chosen_metrics, _lines
from loadmaster.model import InputError
from loadmaster.report.columns import columns_for
from loadmaster.report.compare_document import comparison_document
from loadmaster.report.page import Table

RULES = {"policies": ["first-fit"], "disciplines": ["fcfs", "easy"]}


def late(jobs):
    """The part of the jobs that waited over a minute."""
    return float((jobs.wait_s > 60).mean())


@pytest.fixture(scope="module")
def log():
    return lm.generate.netbatch(jobs=300, hosts=4, load=1.1, seed=2)


def test_chosen_metrics_are_the_columns_of_the_table_and_every_metric_stands_in_the_row(log):
    made = lm.compare(log, **RULES, metrics="p95_wait_s,waiting_part")
    assert made.comparison.metrics == ("p95_wait_s", "waiting_part")
    row = comparison_document(made.comparison)["rows"][-1]
    assert row["metrics"]["mean_wait_s"] == row["mean_wait_s"]
    assert {"p90_wait_s", "waiting_part", "mean_turnaround_s"} <= set(row["metrics"])
    assert made.frame["waiting_part"].to_list() == [
        each["metrics"]["waiting_part"] for each in comparison_document(made.comparison)["rows"]
    ]
    assert [each.title for each in columns_for(made.comparison)] == [
        "mean wait s",
        "p95 wait min",
        "jobs that waited",
    ]


def test_a_function_of_ones_own_is_a_metric_and_has_an_interval_over_samples(log):
    made = lm.compare(log, **RULES, metrics=["longest_wait_s", late], samples=6)
    rows = [row for row in comparison_document(made.comparison)["rows"] if row["kind"] == "candidate"]
    (name,) = (key for key in rows[0]["metrics"] if key.endswith("late"))
    assert all(0 <= row["metrics"][name] <= 1 for row in rows)
    differences = rows[1]["differences"]
    assert {name, "longest_wait_s", "mean_bounded_slowdown"} <= set(differences)
    mean = differences["mean_wait_s"]
    assert (mean["difference"], mean["low"], mean["high"]) == tuple(
        rows[1][key] for key in ("difference", "difference_low", "difference_high")
    )
    assert rows[0]["differences"] is None


def test_a_name_that_is_no_metric_is_refused_before_anything_runs(log):
    with pytest.raises(InputError, match="did you mean p95_wait_s"):
        lm.compare(log, **RULES, metrics="p95_wait")


def test_simulate_measures_a_metric_of_ones_own_too(log):
    made = lm.simulate(log, policy="first-fit", discipline="easy", metrics=late)
    (name,) = (key for key in made.figures["metrics"] if key.endswith("late"))
    assert 0 <= made.figures["metrics"][name] <= 1


def test_simulate_shows_the_chosen_metrics_alone(log):
    run = lm.simulate(log, policy="first-fit", discipline="easy", metrics="p99_wait_s,lost_core_s")
    assert run.metrics == ("p99_wait_s", "lost_core_s")
    shown = "\n".join(_lines(_chosen_metrics(run.figures, run.metrics)))
    assert "p99 wait" in shown
    assert "lost core" in shown
    assert "median" not in shown
    table = next(block for block in run.page().blocks if isinstance(block, Table))
    assert [head.rpartition(" ")[0] for head in table.columns[1:]] == ["mean wait", "p99 wait", "lost core"]


@pytest.mark.parametrize("name", ["stranded_memry", "utilization_gpus"])
def test_a_metric_of_a_resource_that_the_hosts_lack_is_refused(log, name):
    for verb, rules in ((lm.compare, RULES), (lm.simulate, {"policy": "first-fit", "discipline": "fcfs"})):
        with pytest.raises(InputError, match="no such metric"):
            verb(log, **rules, metrics=name)
