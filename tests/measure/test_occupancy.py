"""How full hosts were over time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.measure.occupancy import occupancy
from loadmaster.model import Cluster, Cycles, Schedule, Workload

NONE = np.array([], np.int64)


def scheduled(start_s, host):
    return Schedule(np.array(start_s, float), np.array(host), Cycles(NONE * 1.0, NONE, NONE, NONE))


def by_hand(workload, cluster, schedule, edges, h):
    """The mean use of one host in each span, job by job."""
    used = np.zeros(len(edges) - 1)
    for job in range(workload.jobs):
        if schedule.host[job] == h:
            begin, end = schedule.start_s[job], schedule.start_s[job] + workload.runtime_s[job]
            inside = np.clip(np.minimum(edges[1:], end) - np.maximum(edges[:-1], begin), 0.0, None)
            used += workload.demand[job, 0] * inside
    return used / np.diff(edges) / cluster.capacity[h, 0]


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(0.1, 60), st.integers(0, 2)), min_size=1, max_size=12))
def test_a_span_of_a_host_is_used_as_much_as_its_jobs_add_up_to(jobs):
    start_s, runtime_s, host = (list(column) for column in zip(*jobs, strict=True))
    workload = Workload.of(submit_s=[0.0] * len(jobs), runtime_s=runtime_s, cores=[1] * len(jobs))
    cluster, schedule = Cluster.uniform(3, cores=16), scheduled(start_s, host)
    edges, part = occupancy(workload, cluster, schedule, 0, 3, 7)
    for h in range(3):
        assert part[h] == pytest.approx(by_hand(workload, cluster, schedule, edges, h), abs=1e-9)


def test_more_hosts_than_rows_are_put_together_by_what_they_have():
    workload = Workload.of(submit_s=[0, 0], runtime_s=[10, 10], cores=[2, 1])
    part = occupancy(workload, Cluster.uniform(4, cores=2), scheduled([0.0, 0.0], [0, 3]), 0, 2, 2)[1]
    assert part.tolist() == [[0.5, 0.5], [0.25, 0.25]]


def test_a_job_that_never_started_uses_nothing():
    workload = Workload.of(submit_s=[0, 0], runtime_s=[10, 10], cores=[2, 1])
    part = occupancy(workload, Cluster.uniform(1, cores=2), scheduled([0.0, np.nan], [0, -1]), 0, 1, 2)[1]
    assert part.tolist() == [[1.0, 1.0]]
