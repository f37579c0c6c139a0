"""The registry of metrics: each formula is what its summary says, on a schedule worked out by hand."""

import math

import numpy as np
import pytest

from loadmaster.measure.metric import METRICS, Metric, metric_named, values_of
from loadmaster.measure.scheduled import ScheduledJobs
from loadmaster.model import Cluster, Cycles, InputError, Schedule, Workload


def scheduled(start_s=(0.0, 10.0, np.nan)):
    """Three jobs of 10 s on one core: one starts at once, one waits 10 s, one never starts."""
    log = Workload.of(submit_s=[0, 0, 5], runtime_s=[10, 10, 10], cores=[1, 1, 1])
    cycles = Cycles(np.array([0.0, 10.0]), np.array([2, 1]), np.array([1, 1]), np.array([0, 0]))
    host = np.where(np.isnan(start_s), -1, 0).astype(np.int32)
    return ScheduledJobs(log, Cluster.uniform(1, cores=1), Schedule(np.array(start_s), host, cycles))


def test_every_metric_is_a_number_of_the_unit_that_it_names():
    values = values_of(scheduled())
    assert list(values) == [*METRICS, "utilization_cores", "stranded_cores"]
    assert all(isinstance(value, float) for value in values.values())
    assert {name for name, value in values.items() if math.isnan(value)} == {
        "energy_kwh", "energy_cost", "carbon_kg", "jain_of_users",
    }  # fmt: skip
    for metric in METRICS.values():
        assert metric.name.endswith("_s") == (metric.unit in ("s", "core_s")), metric.name
        assert metric.heading
        assert metric.summary
        assert metric.better in ("lower", "higher", "")
    parts = [values[metric.name] for metric in METRICS.values() if metric.unit == "part"]
    assert all(0 <= part <= 1 for part in parts)


def test_means_are_over_the_jobs_that_started():
    values = values_of(scheduled())
    assert (values["mean_wait_s"], values["p90_wait_s"], values["longest_wait_s"]) == (5.0, 9.0, 10.0)
    assert (values["mean_turnaround_s"], values["waiting_part"], values["unstarted"]) == (15.0, 0.5, 1.0)
    assert (values["mean_slowdown"], values["mean_bounded_slowdown"]) == (1.5, 1.5)


def test_a_run_in_which_nothing_starts_has_metrics_too():
    values = values_of(scheduled((np.nan, np.nan, np.nan)))
    assert values["unstarted"] == 3.0
    assert values["mean_wait_s"] == values["p90_wait_s"] == values["mean_turnaround_s"] == values["waiting_part"] == 0.0


def test_a_metric_of_ones_own_works_on_the_columns_of_the_jobs(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def late(jobs):\n    return (jobs.wait_s[jobs.started] > 5).mean()\n")
    assert values_of(scheduled(), [f"{path}:late"])[f"{path}:late"] == 0.5
    assert metric_named(f"{path}:late").heading == "late"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("def mine(jobs, hosts):\n    return 1.0\n", "takes one argument"),
        ("def mine(jobs):\n    return jobs.nothing\n", "AttributeError"),
        ("def mine(jobs):\n    return 'much'\n", "ValueError"),
        ("def mine(jobs):\n    return float('inf')\n", "infinite"),
        ("import sys\ndef mine(jobs):\n    sys.exit(3)\n", "does not end the program"),
    ],
)
def test_what_is_no_metric_is_refused_in_one_line(tmp_path, text, rule):
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(InputError, match=rule):
        values_of(scheduled(), [f"{path}:mine"])


def test_a_name_that_is_near_a_metric_is_answered_by_it():
    with pytest.raises(InputError, match="did you mean p95_wait_s"):
        metric_named("p95_wait")


def two_users_on_one_host():
    """Until 10 s user 0 holds all cores of a host and half of its memory; one of two jobs of user 1 waits 20 s."""
    log = Workload.of(submit_s=[0, 0, 10], runtime_s=[10, 10, 10], cores=[2, 1, 1], memory_gb=[2, 2, 2], user=[0, 1, 1])
    cycles = Cycles(np.array([0.0]), np.array([3]), np.array([3]), np.array([0]))
    schedule = Schedule(np.array([0.0, 20.0, 10.0]), np.array([0, 0, 0], np.int32), cycles)
    return ScheduledJobs(log, Cluster.uniform(1, cores=2, memory_gb=4), schedule)


def test_what_was_stranded_and_how_even_users_were_slowed_down_are_metrics_too():
    values = values_of(two_users_on_one_host())
    assert (values["stranded_cores"], values["stranded_memory_gb"]) == (0.0, pytest.approx(0.5))
    assert values["jain_of_users"] == (1 + 2) ** 2 / (2 * (1 + 2**2))


@pytest.mark.parametrize("name", ["stranded_memory", "utilization_gpus", "jain_of_users"])
def test_a_metric_of_a_resource_can_be_chosen_by_name(name):
    assert metric_named(name).name == name


def test_a_name_that_is_near_no_metric_is_answered_by_where_all_stand():
    with pytest.raises(InputError, match="under metrics in `loadmaster compare --json`"):
        metric_named("nonsense")


def test_a_metric_without_a_title_is_headed_by_its_name():
    assert Metric("lost_core_s", "", "core_s", lambda jobs: 0.0).heading == "lost"
    assert Metric("p90_wait_s", "", "s", lambda jobs: 0.0).heading == "p90 wait"
