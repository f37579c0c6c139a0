"""A log beside a cluster: same resources, and only jobs that can ever run."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload
from loadmaster.traces import fit_to


def job_table(**columns):
    count = len(columns["cores"])
    return Workload.of(submit_s=np.arange(count), runtime_s=np.ones(count), **columns)


def test_columns_follow_the_cluster_by_name():
    cluster = Cluster(("cores", "gpus", "memory"), [[8.0, 1.0, 64.0]])
    kept, rejected = fit_to(job_table(cores=[1, 2], memory=[3, 4]), cluster)
    assert kept.resources == cluster.resources
    assert kept.demand.tolist() == [[1, 0, 3], [2, 0, 4]]
    assert rejected.total == 0


def test_jobs_that_ask_for_what_the_cluster_lacks_are_rejected():
    kept, rejected = fit_to(job_table(cores=[1, 1], gpus=[0, 1], job_id=[70, 71]), Cluster.uniform(1, cores=8))
    assert (kept.job_id.tolist(), kept.resources) == ([70], ("cores",))
    assert rejected.lines == {"no host has what it requests: gpus": [71]}


def test_each_job_is_rejected_for_one_thing():
    jobs = job_table(cores=[1, 1, 99, 1], gpus=[0, 1, 1, 0], nvme=[1, 1, 0, 0], job_id=[70, 71, 72, 73])
    kept, rejected = fit_to(jobs, Cluster.uniform(1, cores=8))
    assert kept.job_id.tolist() == [73]
    assert rejected.lines == {
        "no host has what it requests: gpus": [71, 72],
        "no host has what it requests: nvme": [70],
    }


def test_a_job_must_fit_one_host_in_every_resource_at_once():
    cluster = Cluster(("cores", "memory"), [[8.0, 16.0], [2.0, 64.0]])
    kept, rejected = fit_to(job_table(cores=[8, 2, 4], memory=[16, 64, 32]), cluster)
    assert kept.demand.tolist() == [[8, 16], [2, 64]]
    assert rejected.lines == {"no empty host can hold it": [2]}


def test_tasks_are_one_on_a_single_host_and_many_on_any():
    cluster = Cluster.uniform(3, cores=4)
    work = job_table(cores=[1, 1, 2, 3], tasks=[4, 12, 7, 3])
    single, _ = fit_to(work, cluster)
    assert (single.tasks, single.demand.tolist()) == (None, [[4.0]])
    spread, rejected = fit_to(work, cluster, "any")
    assert spread.task_count.tolist() == [4, 12, 3]
    assert rejected.lines == {"no empty cluster can hold it": [2]}


SIZES = st.tuples(st.integers(1, 8), st.integers(0, 8))


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=12),
    st.lists(SIZES, min_size=1, max_size=5),
)
def test_what_fits_agrees_with_counting_host_by_host(jobs, hosts):
    cores, memory, tasks = zip(*jobs, strict=True)
    work = job_table(cores=list(cores), memory=list(memory), tasks=list(tasks))
    cluster = Cluster(("cores", "memory"), np.array(hosts, float))

    def room(c, m):
        return sum(min(hc // c, hm // m if m else hc // c) for hc, hm in hosts)

    expected = [k for k, (c, m, t) in enumerate(jobs) if room(c, m) >= t]
    kept, rejected = fit_to(work, cluster, "any")
    assert kept.submit_s.tolist() == expected
    assert rejected.total == len(jobs) - len(expected)
    single = [k for k, (c, m, t) in enumerate(jobs) if any(hc >= c * t and hm >= m * t for hc, hm in hosts)]
    assert fit_to(work, cluster)[0].submit_s.tolist() == single


def test_jobs_that_fit_keep_the_numbers_that_they_have_in_the_log():
    jobs = Workload.of(submit_s=[0, 1, 2], runtime_s=[9, 9, 9], cores=[1, 8, 1])
    fitting, rejected = fit_to(jobs, Cluster.uniform(2, cores=2))
    assert rejected.lines == {"no empty host can hold it": [1]}
    assert [fitting.id_of(job) for job in range(2)] == [0, 2]
