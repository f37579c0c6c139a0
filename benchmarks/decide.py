"""One decision on a snapshot: `python benchmarks/decide.py [--beside COMMIT] [--only WORDS]`.

3,000 hosts that are nearly full and 5,000 waiting jobs of up to 40 demands, seed 1: the first decision, and the next a
minute later, when three tasks have ended early and what the first promised is taken over.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial

import numpy as np
from two_commits import Case, main

from loadmaster.model import Cluster
from loadmaster.model.snapshot import NextLoops, Queue, Running, Snapshot
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline, discipline_named
from loadmaster.scheduling.compiled_decide import compiled

HOSTS, JOBS = 3000, 5000
RULES = (
    "none", "skip", "netbatch", "easy", "easy(fill=shortest)", "easy(heads=10)", "stepwise(depth=100)", "selective",
    "conservative", "conservative(early_end=replan)", "slurm",
)  # fmt: skip
POLICY_NAMES = ("first-fit", "worse-fit-cores", "mix-fit", "opportunity-cost")


@cache
def snapshot(hosts, jobs, seed=1):
    """Hosts of two kinds filled by running tasks until 4 % of the cores are left, and a queue."""
    rng = np.random.default_rng(seed)
    capacity = np.array([[16.0, 64.0], [32.0, 128.0]])[rng.integers(0, 2, hosts)]
    cluster = Cluster(("cores", "memory"), capacity)
    free, tasks = capacity.copy(), []
    while free[:, 0].sum() > 0.04 * capacity[:, 0].sum():
        host, demand = int(rng.integers(0, hosts)), _demand(rng)
        if (demand <= free[host]).all():
            free[host] -= demand
            tasks.append((len(tasks), host, demand, 1000.0 + 60.0 * rng.integers(-5, 600)))
    job, host, demand, end_s = (np.array(column) for column in zip(*tasks, strict=True))
    running = Running(job + jobs, host.astype(np.int32), demand, end_s, np.zeros(len(job), np.int32))
    count = np.where(rng.random(jobs) < 0.9, 1, rng.integers(2, 9, jobs)).astype(np.int32)
    queue = Queue(
        np.arange(jobs),
        np.array([_demand(rng) for _ in range(jobs)]),
        count,
        60.0 * rng.integers(1, 600, jobs),
        np.zeros(jobs, np.int32),
        np.cumsum(count).astype(np.int64) - count,
        eligible_s=rng.uniform(0, 1000, jobs),
    )
    clock = NextLoops(main_s=1000.0, backfill_s=1000.0)
    return Snapshot(1000.0, cluster, free, queue, running, clock=clock)


def _demand(rng):
    return np.array([float(rng.choice([1, 1, 2, 2, 4, 8, 12, 16])), float(rng.choice([1, 2, 4, 8, 16]))])


def a_minute_later(before, decision):
    """The same cluster and queue when what was decided has started, some tasks are over and three ended early."""
    queue, running, now_s = before.queue, before.running, before.now_s + 60.0
    row_of = {int(job): row for row, job in enumerate(queue.job)}
    row = np.array([row_of[place.job] for place in decision.place for _ in place.hosts], np.int64)
    host = np.array([host for place in decision.place for host in place.hosts], np.int32)
    job, host = np.append(running.job, queue.job[row]), np.append(running.host, host)
    demand = np.concatenate((running.demand, queue.demand[row]))
    end_s = np.append(running.expected_end_s, before.now_s + queue.expected_s[row])
    goes_on = np.flatnonzero(end_s > now_s)
    goes_on = np.delete(goes_on, np.linspace(0, len(goes_on) - 1, 3).astype(np.int64))
    free = before.cluster.capacity.copy()
    np.subtract.at(free, host[goes_on], demand[goes_on])
    tasks = Running(job[goes_on], host[goes_on], demand[goes_on], end_s[goes_on], np.zeros(len(goes_on), np.int32))
    waits = np.setdiff1d(np.arange(len(queue)), row)
    columns = ("job", "demand", "tasks", "expected_s", "project", "first_task", "eligible_s")
    return replace(
        before,
        now_s=now_s,
        free=free,
        running=tasks,
        promises=dict(decision.promises),
        early_end=True,
        arrived=False,
        queue=replace(queue, **{name: getattr(queue, name)[waits] for name in columns}),
        clock=decision.clock,
    )


def cases() -> Iterator[Case]:
    for rule in RULES:
        for policy in POLICY_NAMES:
            for later in (False, True):
                name = f"{rule}, {policy}, {'the next' if later else 'the first'}"
                yield Case(name, partial(ready, rule, policy, later))


def ready(rule, policy, later):  # type: ignore[no-untyped-def]
    discipline = Discipline(ORDERS["fcfs"], discipline_named(rule).backfilling)
    before = snapshot(HOSTS, JOBS)
    if later:
        before = a_minute_later(before, decided(discipline, before, policy))
    return partial(decided, discipline, before, policy)


def decided(discipline, snapshot, policy):  # type: ignore[no-untyped-def]
    """The decision on a snapshot that remembers nothing of an earlier one."""
    unread = replace(snapshot, queue=replace(snapshot.queue), running=replace(snapshot.running))
    return compiled(discipline, unread).serve(unread, POLICIES[policy])


if __name__ == "__main__":
    main(["decide"], __doc__)
