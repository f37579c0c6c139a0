"""What `info` counts."""

import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.traces.summary import fit, summarise


def test_a_summary_counts_whole_jobs():
    work = Workload.of(
        submit_s=[0, 10, 40],
        runtime_s=[5, 5, 50],
        cores=[1, 2, 1],
        memory=[1, 1, 1],
        tasks=[1, 2, 1],
        estimate_s=[10, 10, 50],
        user=[1, 1, -1],
        project=[0, 0, 0],
    )
    found = summarise(work)
    assert (found.jobs, found.span_s, found.users, found.projects) == (3, 40.0, 1, 1)
    assert found.serial == pytest.approx(2 / 3)
    assert found.columns["cores"]["max"] == 4
    assert found.columns["gap_s"]["mean"] == 20
    assert found.columns["estimate_over_runtime"]["median"] == 2
    assert found.work == {"cores": 5 + 20 + 50, "memory": 5 + 10 + 50}


def test_a_fit_counts_kinds_of_hosts_and_the_load_of_what_fits():
    work = Workload.of(submit_s=[0, 100], runtime_s=[50, 50], cores=[2, 64])
    found = fit(work, Cluster(("cores",), [[4.0], [8.0], [4.0]]))
    assert (found.hosts, found.jobs, found.rejected.total) == (3, 1, 1)
    assert found.kinds == [(2, [4.0]), (1, [8.0])]
    assert found.load == {"cores": float("inf")}  # a single arrival spans no time


def test_an_empty_log_has_a_summary():
    found = summarise(Workload.of(submit_s=[], runtime_s=[], cores=[]))
    assert (found.jobs, found.span_s) == (0, 0.0)
