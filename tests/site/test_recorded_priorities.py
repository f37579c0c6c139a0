"""Priorities as a real Slurm printed them, beside ours, fed with what happened there (rules L6 and O8 to O14).

The log of `recorded` knows seconds, and not when Slurm reckoned: that is taken from its own table of shares.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

from loadmaster.runs.site_case import site_case
from loadmaster.scheduling.notation import discipline_named
from loadmaster.traces import read_trace
from loadmaster.traces.fit import fit_to

RECORDED = Path(__file__).parent / "recorded"
PERIOD_S = 60.0
TICK_S = 60.0
"""Of the three reckonings that the table of shares shows; from the start of the log."""


def _rows(name):
    return list(csv.DictReader((RECORDED / name).read_text().splitlines(), delimiter="|"))


@pytest.fixture(scope="module")
def priorities():
    """For every priority printed: job, number of hosts, Slurm's, ours."""
    at = site_case(RECORDED / "slurm.conf", RECORDED / "accounts.txt")
    jobs, _ = fit_to(at.jobs_of(read_trace(RECORDED / "log.sacct")).workload, at.cluster, "asked")
    log = sorted(_rows("log.sacct"), key=lambda row: (int(row["Submit"]), int(row["JobID"])))
    zero = int(log[0]["Submit"])
    number = {int(row["JobID"]): job for job, row in enumerate(log)}
    ranking = discipline_named(at.discipline).order.begin(jobs, at.cluster)
    told = [(TICK_S + k * PERIOD_S, 1, -1) for k in range(5)]
    for job, row in enumerate(log):
        told += [
            (int(row["End"]) - zero, 0, job),
            (int(row["Submit"]) - zero, 2, job),
            (int(row["Start"]) - zero, 3, job),
        ]
    told.sort()
    found = []
    for row in sorted(_rows("priorities.txt"), key=lambda row: int(row["time"])):
        now_s = int(row["time"]) - zero
        while told and told[0][0] <= now_s:
            time_s, what, job = told.pop(0)
            if what == 1:
                ranking.tick(time_s)
            else:
                (ranking.ended, None, ranking.submitted, ranking.started)[what](job, time_s)
        job = number[int(row["job"])]
        ours = -float(ranking.ranks(np.array([job]), now_s)[0])
        found.append((int(row["job"]), int(log[job]["NNodes"]), int(row["priority"]), ours))
    return found


@pytest.mark.parametrize(("hosts", "many"), [(1, 50), (2, 10)])
def test_the_priority_of_a_job_is_the_same_to_the_unit(priorities, hosts, many):
    here = [(slurm, ours) for _, asked, slurm, ours in priorities if asked == hosts]
    assert len(here) > many
    assert [round(ours) for _, ours in here] == [slurm for slurm, _ in here]
