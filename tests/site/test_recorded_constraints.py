"""What a real Slurm did, held against our reading of what binds its jobs: limits, tiers, hosts asked, a reservation."""

import csv
from pathlib import Path

import numpy as np
import pytest

from loadmaster.measure.check_constraints import broken_constraints
from loadmaster.measure.recorded_hosts import on_hosts
from loadmaster.model.cycles import Cycles
from loadmaster.model.host_names import host_names
from loadmaster.model.schedule import Schedule
from loadmaster.runs import case_of
from loadmaster.runs.site_case import site_case
from loadmaster.traces import read_trace

HERE = Path(__file__).parent
NONE = np.array([], np.int64)


def what_happened(folder):
    """Jobs, hosts and the schedule of a record."""
    at = site_case(folder / "slurm.conf", folder / "accounts.txt")
    case = case_of(at.jobs_of(read_trace(folder / "log.sacct")), at.cluster, "asked")
    lines = (folder / "log.sacct").read_text().splitlines()
    rows = {int(row["JobID"]): row for row in csv.DictReader(lines, delimiter="|")}
    zero = min(int(row["Submit"]) for row in rows.values())
    jobs = [rows[case.workload.id_of(job)] for job in range(case.workload.jobs)]
    start_s, end_s = (np.array([float(row[name]) - zero for row in jobs]) for name in ("Start", "End"))
    hosts = [case.cluster.names.index(name) for row in jobs for name in host_names(row["NodeList"])]
    schedule = Schedule(start_s, np.array(hosts, np.int32), Cycles(NONE * 1.0, NONE, NONE, NONE), end_s)
    return case.workload, case.cluster, schedule


@pytest.mark.parametrize("name", ["recorded", "recorded_bound"])
def test_what_slurm_did_breaks_none_of_our_constraints(name):
    workload, cluster, schedule = what_happened(HERE / name)
    assert (workload.constraints.min_hosts > 1).sum() > 5
    assert broken_constraints(workload, cluster, schedule) == []
    told = on_hosts(workload, cluster)
    assert (told.unknown, told.overfull) == (0, 0)
    assert told.schedule.same_as(schedule)


def test_a_job_moved_to_one_host_would_be_seen():
    workload, cluster, schedule = what_happened(HERE / "recorded_bound")
    wide = int(np.argmax(workload.constraints.min_hosts > 1))
    schedule.host[workload.first_task[wide] : workload.first_task[wide + 1]] = 3
    assert any("fewer hosts" in each for each in broken_constraints(workload, cluster, schedule))
