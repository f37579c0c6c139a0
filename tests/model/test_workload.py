"""A workload refuses columns that no engine could make sense of, naming the job and the rule."""

import numpy as np
import pytest

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate

GOOD = {"submit_s": [0.0, 5.0], "runtime_s": [60.0, 60.0], "cores": [1.0, 2.0], "memory": [0.0, 3.5]}


@pytest.mark.parametrize(
    ("column", "values", "rule"),
    [
        ("submit_s", [-1.0, 5.0], "submit_s of job 0 must be zero or more"),
        ("submit_s", [0.0, np.nan], "submit_s of job 1"),
        ("submit_s", [5.0, 0.0], "order of their arrival"),
        ("runtime_s", [60.0, 0.0], "runtime_s of job 1 must be more than zero"),
        ("runtime_s", [np.inf, 60.0], "runtime_s of job 0"),
        ("runtime_s", [60.0], "must have 2 rows"),
        ("cores", [1.0, -2.0], "demand of job 1 must be zero or more"),
        ("memory", [np.nan, 0.0], "demand of job 0"),
        ("estimate_s", [60.0, -1.0], "estimate_s of job 1 must be zero or more"),
        ("estimate_s", [np.nan, 60.0], "estimate_s of job 0"),
        ("tasks", [0, 1], "tasks of job 0 must be 1 or more"),
        ("project", [0, -1], "project of job 1"),
    ],
)
def test_a_wrong_column_is_refused_with_its_job_and_rule(column, values, rule):
    with pytest.raises(InputError) as error:
        Workload.of(**{**GOOD, column: values})
    assert rule in str(error.value)


def test_jobs_and_hosts_must_name_the_same_resources():
    with pytest.raises(InputError, match="the hosts have cores, gpus"):
        simulate(
            Workload.of(**GOOD),
            Cluster.uniform(1, cores=8, gpus=2),
            POLICIES["first-fit"],
            named("netbatch"),
        )


def test_the_offered_load_counts_from_the_first_arrival_that_is_left():
    jobs = Workload.of(submit_s=[0, 900, 1000], runtime_s=[1, 50, 50], cores=[1, 1, 1])
    cluster = Cluster.uniform(1, cores=2)
    assert jobs.offered_load(cluster) == pytest.approx(101 / 2000)
    assert jobs.take(slice(1, None)).offered_load(cluster) == pytest.approx(100 / 200)
    assert jobs.take(slice(2, None)).offered_load(cluster) == float("inf")


@pytest.mark.parametrize(("name", "column"), [
    ("estimate", "write estimate_s="), ("runtime", "write runtime_s="), ("users", "write user="),
    ("partition", r"write constraints=Constraints\(partition="),
])  # fmt: skip
def test_a_slip_in_the_name_of_a_column_makes_no_resource(name, column):
    with pytest.raises(InputError, match=column):
        Workload.of(submit_s=[0], runtime_s=[1], cores=[1], **{name: [1]})
