"""The same jobs in what each release of Slurm prints, from 20.11 to 25.11: the text and the JSON of its commands."""

from pathlib import Path

import numpy as np
import pytest

from loadmaster.traces import ReadOptions, read_trace

GIB = 2.0**30
FOLDER = Path(__file__).parent / "releases"
ACCOUNTED = sorted(path.name for path in FOLDER.glob("sacct-*"))
LISTED = sorted(path.name for path in (*FOLDER.glob("squeue-*"), *FOLDER.glob("scontrol-job-*")))


def read(name):
    return read_trace(FOLDER / name, ReadOptions(strict=True)).workload


def told(column):
    return None if column is None else column.words()


def check_demands(log):
    total = log.demand * log.task_count[:, None]
    assert log.resources == ("cores", "memory", "gpus")
    assert total.tolist() == [[8.0, 16 * GIB, 0.0], [4.0, 8 * GIB, 2.0], [1.0, GIB, 0.0]]
    assert log.task_count.tolist() == [2, 1, 1]


def check_names(log):
    bound = log.constraints
    assert told(bound.partition) == ["main", "gpu", "main"]
    assert told(bound.qos) == ["normal", "high", "normal"]
    assert told(bound.name) == ["alpha", "beta", "gamma"]
    assert [bound.user_names[user] for user in log.user] == ["ann", "bob", "bob"]
    assert [bound.account_names[account] for account in log.project] == ["phys", "chem", "chem"]
    assert log.job_id.tolist() == [101, 102, 104]
    assert log.submit_s.tolist() == [0.0, 60.0, 120.0]


@pytest.mark.parametrize("name", ACCOUNTED)
def test_sacct_gives_the_same_jobs_in_each_release(name):
    log = read(name)
    check_names(log)
    check_demands(log)
    assert log.runtime_s.tolist() == [3600.0, 1800.0, 600.0]
    assert log.recorded_wait_s.tolist() == [600.0, 1200.0, 600.0]
    assert log.constraints.limit_s.tolist() == [7200.0, np.inf, 600.0]
    assert told(log.recorded_hosts) == ["n[1-2]", "g1", "n3"]
    assert told(log.constraints.gpu_kind) == [None, "a100", None]


@pytest.mark.parametrize("name", LISTED)
def test_a_listing_gives_the_same_jobs_in_each_release(name):
    log = read(name)
    check_names(log)
    check_demands(log)
    assert log.estimate_s.tolist() == [7200.0, 3600.0, 600.0]
    assert log.constraints.eligible_s.tolist() == [600.0, 601.0, 601.0]  # the first has run since then
    assert told(log.recorded_hosts)[0] == "n[1-2]"
