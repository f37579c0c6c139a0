"""Where the tasks of a job may go, if the user leaves it open, goes by the log and its machines, and is said."""

import pytest

from loadmaster.model import Cluster, Constraints, Workload
from loadmaster.traces import fit_by

PARALLEL = Workload.of(submit_s=[0, 1, 2, 3], runtime_s=[9] * 4, cores=[1] * 4, tasks=[1, 4, 4, 2])
SERIAL = Workload.of(submit_s=[0, 1], runtime_s=[9] * 2, cores=[1, 8])


@pytest.mark.parametrize(
    ("workload", "cores", "of_log", "spread", "jobs", "note"),
    [
        (PARALLEL, 8, True, "any", 4, "(--spread any), since the machines are those of the log's header"),
        (PARALLEL, 1, False, "any", 4, "(--spread any), since 75 % of the jobs fit on no single host"),
        (PARALLEL, 2, False, "single-host", 2, "All tasks of a job go to one host; --spread any"),
        (PARALLEL, 8, False, "single-host", 4, "All tasks of a job go to one host; --spread any"),
        (SERIAL, 4, True, "single-host", 1, ""),
    ],
)
def test_auto_takes_any_for_machines_of_the_header_or_where_most_jobs_fit_no_host(
    workload, cores, of_log, spread, jobs, note
):
    fitted = fit_by("auto", workload, Cluster.uniform(8, cores=cores), machines_of_log=of_log)
    assert (fitted.spread, fitted.workload.jobs) == (spread, jobs)
    assert note in fitted.note
    assert bool(note) == bool(fitted.note)


@pytest.mark.parametrize(("choice", "jobs"), [("single-host", 1), ("any", 4)])
def test_what_the_user_chose_is_taken_and_needs_no_note(choice, jobs):
    fitted = fit_by(choice, PARALLEL, Cluster.uniform(8, cores=1), machines_of_log=True)
    assert (fitted.spread, fitted.workload.jobs, fitted.note) == (choice, jobs, "")


@pytest.mark.parametrize(("choice", "least"), [("asked", [0, 2, 4]), ("any", None), ("single-host", None)])
def test_hosts_asked_for_bind_only_where_they_are_chosen(choice, least):
    bound = Constraints(min_hosts=[0, 2, 4], max_hosts=[0, 2, 0], nice=[1, 2, 3])
    jobs = Workload.of(submit_s=[0] * 3, runtime_s=[9] * 3, cores=[1] * 3, tasks=[1, 4, 4], constraints=bound)
    kept = fit_by(choice, jobs, Cluster.uniform(8, cores=8)).workload.constraints
    assert (None if kept.min_hosts is None else kept.min_hosts.tolist()) == least
    assert (kept.max_hosts is None) == (least is None)
    assert kept.nice.tolist() == [1, 2, 3]


def test_any_is_not_taken_where_it_helps_no_job():
    wide = Workload.of(submit_s=[0], runtime_s=[9], cores=[9], tasks=[2])
    assert fit_by("auto", wide, Cluster.uniform(8, cores=1)).spread == "single-host"
