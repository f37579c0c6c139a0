"""GPUs of several kinds in one host are resources of their own in the queue (rule Q22)."""

import numpy as np
import pytest

from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Constraints, InputError, Named, Partition, SiteRules, Workload
from loadmaster.model.gpu_kinds import notes_on_unnamed_kinds, with_gpu_kinds
from loadmaster.place import POLICIES
from loadmaster.runs import case_of
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.look_ahead import looking_ahead
from loadmaster.traces import Trace

SLICED = ("1g.5gb:7", "3g.20gb:2")
ROWS = [
    (0, 100, 4, "1g.5gb"),
    (0, 100, 2, "3g.20gb"),
    (0, 50, 1, "3g.20gb"),
    (1, 10, 3, "1g.5gb"),
    (2, 10, 1, "1g.5gb"),
]
"""Arrival, runtime, GPUs, their kind."""


def jobs_of(rows=ROWS, column="gpu_kind", **more):
    submit_s, runtime_s, gpus, kind = zip(*rows, strict=True)
    bound = Constraints(**{column: Named.of(kind)}, **more)
    return Workload.of(submit_s=submit_s, runtime_s=runtime_s, cores=[1] * len(rows), gpus=gpus, constraints=bound)


def hosts_of(*features, gpus=9.0, **more):
    rules = SiteRules(features=features or (SLICED,), **more)
    return Cluster(("cores", "gpus"), np.array([[16.0, gpus]] * len(rules.features)), rules=rules)


@pytest.mark.parametrize("column", ["gpu_kind", "features"])
@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize(
    ("discipline", "expected"),
    [
        ("easy", [0, 0, 100, 1, 11]),
        ("conservative", [0, 0, 100, 1, 11]),
        ("conservative(early_end=replan)", [0, 0, 100, 1, 11]),
        ("skip", [0, 0, 100, 1, 11]),
        ("twin(members=fcfs+easy)", [0, 0, 100, 1, 11]),
        ("fcfs", [0, 0, 100, 100, 100]),
    ],
)
def test_slices_of_one_kind_do_not_serve_jobs_of_the_other(column, engine, discipline, expected):
    case = case_of(Trace(jobs_of(column=column)), hosts_of())
    rule = looking_ahead(discipline_named(discipline))
    schedule = simulate(case.workload, case.cluster, POLICIES["first-fit"], rule, engine=engine)
    assert schedule.start_s.tolist() == expected
    assert violations(case.workload, case.cluster, schedule) == ()


def test_the_checker_finds_slices_that_are_used_twice():
    """Of 9 GPUs the jobs use 7 at once, but of the two slices of the larger kind they use three."""
    case = case_of(Trace(jobs_of()), hosts_of())
    alike = Workload(**{**vars(jobs_of()), "constraints": None})
    schedule = simulate(alike, hosts_of(), POLICIES["first-fit"], discipline_named("easy"))
    assert schedule.start_s.tolist()[:3] == [0, 0, 0]
    (broken, *_) = violations(case.workload, case.cluster, schedule)
    assert "gpus 3g.20gb" in broken


def test_jobs_and_hosts_stay_as_they_are_where_no_job_names_a_kind_or_no_host_counts_kinds():
    for jobs, hosts in (
        (jobs_of([(0, 10, 1, None)]), hosts_of()),
        (jobs_of([(0, 10, 1, "a100")]), hosts_of(("a100",))),
        (jobs_of([(0, 10, 0, "1g.5gb")]), hosts_of()),
        (jobs_of(), hosts_of(("rack:12",))),
    ):
        assert with_gpu_kinds(jobs, hosts) == (jobs, hosts)


def test_a_job_without_a_kind_runs_where_hosts_have_one_kind():
    jobs = jobs_of([(0, 10, 2, "1g.5gb"), (0, 10, 2, "a100")], column="features")
    whole = jobs_of([(0, 10, 2, "1g.5gb"), (0, 10, 2, None)], partition=Named.of(["mig", "whole"]))
    parts = {"partitions": (Partition("mig", (0,)), Partition("whole", (1,)))}
    for log, hosts in ((jobs, hosts_of(SLICED, ("a100",))), (whole, hosts_of(SLICED, (), **parts))):
        case = case_of(Trace(log), hosts)
        assert case.workload.resources == ("cores", "gpus", "gpus 1g.5gb", "gpus 3g.20gb")
        schedule = simulate(case.workload, case.cluster, POLICIES["first-fit"], discipline_named("easy"))
        assert schedule.host.tolist() == [0, 1]
        assert violations(case.workload, case.cluster, schedule) == ()


MIXED = ("gpu:a100:2", "gpu:v100:4")


@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_a_job_of_no_one_kind_takes_of_the_sum_and_is_counted_in_a_note(engine):
    """Six GPUs: the first job takes four of any model, so both A100s are still there, and then one V100 is not."""
    rows = [(0, 100, 4, None), (1, 50, 2, "gpu:a100"), (2, 10, 1, "gpu:v100"), (3, 10, 2, "gpu:a100&gpu:v100")]
    case = case_of(Trace(jobs_of(rows, column="features")), hosts_of(MIXED, gpus=6.0))
    assert case.workload.resources == ("cores", "gpus", "gpus a100", "gpus v100")
    schedule = simulate(case.workload, case.cluster, POLICIES["first-fit"], discipline_named("fcfs"), engine=engine)
    assert schedule.start_s.tolist() == [0, 1, 51, 61]
    assert violations(case.workload, case.cluster, schedule) == ()
    (note,) = notes_on_unnamed_kinds(case.workload, case.cluster)
    assert note in case.notes
    assert note.startswith("2 jobs request GPUs of no one model and may run on hosts with several (such as 0)")


def test_a_host_of_one_model_serves_the_jobs_of_this_model_beside_hosts_that_count_several():
    rows = [(0, 9, 4, "gpu:a100"), (0, 9, 2, "gpu:a100"), (0, 9, 4, "gpu:v100"), (0, 9, 1, "gpu:a100")]
    for other in ("gpu:a100", "A100"):
        case = case_of(Trace(jobs_of(rows, column="features")), hosts_of(MIXED, (other,), gpus=6.0))
        assert case.cluster.capacity[:, 2:].tolist() == [[2, 4], [6, 0]]
        schedule = simulate(case.workload, case.cluster, POLICIES["first-fit"], discipline_named("easy"))
        assert schedule.host.tolist()[:3] == [1, 0, 0]
        assert schedule.start_s.tolist() == [0, 0, 0, 0]
        assert not notes_on_unnamed_kinds(case.workload, case.cluster)


def test_a_model_that_slurm_names_is_the_kind_that_a_table_of_hosts_counts():
    jobs, hosts = jobs_of([(0, 9, 1, "gpu:a100")], column="features"), hosts_of(("A100:2", "V100:4"), gpus=6)
    log, _ = with_gpu_kinds(jobs, hosts)
    assert log.resources == ("cores", "gpus", "gpus A100", "gpus V100")
    assert log.demand.tolist() == [[1, 1, 1, 0]]


@pytest.mark.parametrize(
    ("row", "hosts", "why"),
    [
        ((0, 10, 0.5, None), hosts_of(), "a part of a GPU on hosts with GPUs of several kinds"),
        ((0, 10, 1, "1g.5gb|3g.20gb"), hosts_of(), "several kinds, any of which would do"),
        ((0, 10, 1, "1g.5gb|a100"), hosts_of(SLICED, ("a100",)), "several kinds, any of which would do"),
        ((0, 10, 0.5, "1g.5gb"), hosts_of(), "a part of a GPU on hosts with GPUs of several kinds"),
        ((0, 10, 1, "1g.5gb"), hosts_of(gpus=8.0), "the counts add up to 9, and the host has 8 gpus"),
    ],
)
def test_what_cannot_be_told_apart_is_refused_in_one_line(row, hosts, why):
    with pytest.raises(InputError, match=why):
        with_gpu_kinds(jobs_of([ROWS[0], row], column="features"), hosts)
