"""Sequences of jobs for the studies: cut from logs as the file names say, each from 0, none with too many cores."""

import gzip

import numpy as np
import pytest

from loadmaster.model import Workload
from loadmaster.papers.log_sequences import (
    DAY_S,
    archive_sequences,
    digest_of,
    lublin_sequences,
    stretches_of_days,
    stretches_of_jobs,
)
from traces.logs import swf_line


def a_log(days, jobs=100):
    return Workload.of(submit_s=np.linspace(5.0, days * DAY_S, jobs), runtime_s=[60.0] * jobs, cores=[1] * jobs)


def test_stretches_of_jobs_take_every_job_once_and_begin_at_zero():
    parts = stretches_of_jobs(a_log(30), 7)
    assert sum(part.jobs for part in parts) == 100
    assert {float(part.submit_s[0]) for part in parts} == {0.0}


@pytest.mark.parametrize(("days", "count"), [(100, 6), (40, 2), (10, 1)])
def test_stretches_of_days_are_as_long_as_asked_and_as_many_as_fit(days, count):
    parts = stretches_of_days(a_log(days), 15.0, 6)
    assert len(parts) == count
    assert all(part.span_s <= 15 * DAY_S for part in parts)
    assert sum(part.jobs for part in parts) <= 100


def test_logs_are_found_by_how_their_names_begin_and_cut_to_the_machine(tmp_path):
    lines = [swf_line(job=k, submit=k * 60, used=500, asked=500) for k in range(1, 9)]
    with gzip.open(tmp_path / "CTC-SP2-1996-3.1-cln.swf.gz", "wt") as file:
        file.write("\n".join(lines) + "\n")
    found = archive_sequences(tmp_path, ("CTC", "KTH"), lambda work: (work,))
    assert [log.name for log in found] == ["CTC"]
    assert found[0].parts[0].demand.max() == 338
    assert archive_sequences(tmp_path, ("KTH",), lambda work: (work,)) == []
    assert archive_sequences(None, ("CTC",), lambda work: (work,)) == []


def test_synthetic_sequences_differ_by_their_seed():
    log = lublin_sequences("made", 3, lambda work: work, 5, jobs=40, cores=64)
    assert len({digest_of(part) for part in log.parts}) == 3
    again = lublin_sequences("made", 1, lambda work: work, 6, jobs=40, cores=64)
    assert digest_of(again.parts[0]) == digest_of(log.parts[1])
