"""Jobs that take whole hosts start on one large host when they would on the hosts themselves."""

import numpy as np
import pytest

from loadmaster.backfilling import Easy, NetBatch
from loadmaster.model import Cluster, Workload
from loadmaster.order import ORDERS, Order
from loadmaster.place.load import policy_named
from loadmaster.runs.one_host import as_one_host
from loadmaster.scheduling import Discipline
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate

MEMORY = 4 * 2.0**30
POOLED = (
    "fcfs", "fcfs+skip", "netbatch", "netbatch(reservations=1)", "netbatch(lookahead=2)", "easy", "easy(heads=2)",
    "area+skip", "fair-share", *(f"{name}+easy" for name in ORDERS), "own",
)  # fmt: skip


def most_tasks(job, now):
    return -1000.0 * job.tasks - job.memory / 2**30


OWN = Discipline(Order("most-tasks", most_tasks), Easy())


def jobs_at_random(seed: int, cores: float = 2.0) -> Workload:
    rng = np.random.default_rng(seed)
    count = 80
    return Workload.of(
        submit_s=np.sort(rng.integers(0, 500, count)),
        runtime_s=rng.integers(1, 90, count),
        cores=[cores] * count,
        memory=rng.integers(0, 5, count) * 2.0**30,
        tasks=rng.integers(1, 8, count),
        estimate_s=rng.integers(1, 200, count),
        project=rng.integers(0, 3, count),
        user=rng.integers(0, 4, count),
    )


@pytest.mark.parametrize("name", POOLED)
def test_every_job_starts_when_it_would_on_the_hosts(name):
    hosts, discipline = Cluster.uniform(7, cores=2, memory=MEMORY), OWN if name == "own" else discipline_named(name)
    pooled = 0
    for seed in range(12):
        jobs, policy = jobs_at_random(seed), policy_named(["first-fit", "best-fit-memory", "random"][seed % 3])
        if seed % 4 == 0:  # all of the memory too
            jobs = Workload.of(
                submit_s=jobs.submit_s,
                runtime_s=jobs.runtime_s,
                cores=jobs.demand[:, 0],
                tasks=jobs.tasks,
                memory=np.full(jobs.jobs, MEMORY),
                estimate_s=jobs.estimate_s,
                project=jobs.project,
                user=jobs.user,
            )
        alone, one = as_one_host(jobs, hosts, discipline)
        pooled += one is not hosts
        assert (alone.tasks is None) == (one is not hosts and name != "own")
        interval_s = 10.0 * (seed % 2)
        runs = [
            simulate(each, machines, policy, discipline, interval_s=interval_s).start_s
            for each, machines in ((jobs, hosts), (alone, one))
        ]
        assert runs[0].tolist() == runs[1].tolist()
        assert (runs[0] > jobs.submit_s).sum() > 20
    assert pooled == (3 if isinstance(discipline.backfilling, NetBatch) else 12)


def test_who_reserves_by_free_memory_stays_on_the_hosts():
    jobs, hosts = jobs_at_random(1), Cluster.uniform(7, cores=2, memory=MEMORY)
    assert as_one_host(jobs, hosts, discipline_named("netbatch")) == (jobs, hosts)
    assert as_one_host(jobs, hosts, discipline_named("skip"))[1] is not hosts


@pytest.mark.parametrize(
    ("jobs", "hosts"),
    [
        (jobs_at_random(1), Cluster(("cores", "memory"), np.array([[2.0, MEMORY], [4.0, MEMORY]] * 4))),
        (jobs_at_random(1, cores=1.5), Cluster.uniform(7, cores=2, memory=MEMORY)),
        (jobs_at_random(1), Cluster.uniform(6, cores=2, memory=MEMORY)),
        (jobs_at_random(1), Cluster(("cores", "memory"), np.tile([2.0, MEMORY], (7, 1)), speed=np.arange(1.0, 8.0))),
    ],
    ids=["hosts differ", "tasks leave some of a host", "a job is larger than all hosts", "speeds differ"],
)
def test_others_stay_on_the_hosts(jobs, hosts):
    assert as_one_host(jobs, hosts, discipline_named("easy")) == (jobs, hosts)
    assert as_one_host(jobs, hosts, discipline_named("conservative")) == (jobs, hosts)
