"""Lays out the reservations of a run under conservative backfilling, and says which runs have such."""

import numpy as np

from loadmaster.backfilling import Conservative
from loadmaster.backfilling.conservative_kernel import ARRIVAL, IN_THEIR_ORDER, KEPT, NOW_ONLY
from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.backfilling.skyline_kernel import begun_skyline, with_more_room
from loadmaster.backfilling.soon_kernel import empty_soon
from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import frozen_floats
from loadmaster.model.distinct import distinct_rows
from loadmaster.place import Policy
from loadmaster.schedule import AnyPolicy, Discipline
from loadmaster.sim.queue.laid_out import EngineArrays
from loadmaster.sim.queue.profile.state import BUCKETS, ENDED_TASKS, Kept, Plan, Requests, Scratch
from loadmaster.sim.queue.queue_state import ARRIVED, Jobs
from loadmaster.sim.queue.served import by_arrival
from loadmaster.traces.fit import held_by

EARLY_END = {"kept": KEPT, "now": NOW_ONLY, "arrival": ARRIVAL, "start": IN_THEIR_ORDER}


def knows(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether the profile serves the rules: conservative by arrival, and a policy without methods of its own."""
    backfilling = discipline.backfilling
    exact = type(backfilling) is Conservative and by_arrival(discipline) and type(policy) is Policy
    return exact and isinstance(backfilling, Conservative) and backfilling.early_end in EARLY_END


def serves(workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether the profile serves the run: it knows the rules, hosts are of one speed, a count of hosts is exact or not
    asked for, and the empty cluster holds every job, since each has a promise.
    """
    backfilling = discipline.backfilling
    if not knows(policy, discipline) or not isinstance(backfilling, Conservative):
        return False
    exact = backfilling.promise != "pool" or hosts_are_one_pool(workload.demand, cluster)
    return exact and bool(held_by(workload, cluster, "asked").all())


def plan_of(table: EngineArrays, workload: Workload, cluster: Cluster, discipline: Discipline) -> Plan:
    """No job runs, and none is promised anything."""
    backfilling, jobs = discipline.backfilling, table.jobs
    assert isinstance(backfilling, Conservative)
    assert backfilling.early_end is not None
    as_pool = backfilling.promise != "hosts" and hosts_are_one_pool(workload.demand, cluster)
    requests = _requests(jobs, cluster, as_pool=as_pool)
    total, tasks = len(jobs.kind), len(requests.task_job)
    return Plan(
        jobs, table.capacity, table.rules, table.state, table.waiting, table.stairs, table.moment, table.scores,
        table.log, requests,
        early_end=EARLY_END[backfilling.early_end],
        as_pool=as_pool,
        sky=begun_skyline(requests.capacity),
        soon=empty_soon(requests.demand, requests.kind, requests.expected_s, len(requests.capacity)),
        scratch=_scratch(requests),
        start_s=np.full(total, np.inf),
        host=np.zeros(tasks, np.int32),
        runs=np.zeros(total, np.bool_),
        # A job starts once, and so comes once into the heap of expected ends, and from there into `overdue`.
        over_s=np.zeros(total),
        over=np.zeros(total, np.int32),
        overdue=np.zeros(total, np.int32),
        tally=np.zeros(16, np.int64),
        now=np.full(1, -np.inf),
        kept=_kept(requests),
    )  # fmt: skip


def with_room(plan: Plan) -> Plan:
    """The same with room for more steps: more than `running_kernel.lacks_room` asks for, for some passes.

    A pass that moves promises over more hosts than that allows ends in `is_out_of_room`.
    """
    requests = plan.requests
    tasks = int(requests.first[plan.state.tally[ARRIVED]] - plan.tally[ENDED_TASKS])
    return plan._replace(sky=with_more_room(plan.sky, 48 * (len(requests.capacity) + 1) + 64 * tasks))


def _requests(jobs: Jobs, cluster: Cluster, *, as_pool: bool) -> Requests:
    """What jobs ask of the hosts of the profile; of a pool, one task of so many units."""
    total, expected_s = len(jobs.kind), frozen_floats(jobs.expected_s)
    if not as_pool:
        owner = np.repeat(np.arange(total, dtype=np.int32), jobs.tasks)
        return Requests(
            np.array(jobs.kind), np.array(jobs.tasks), np.array(jobs.first_task), owner, jobs.demand, expected_s,
            np.array(cluster.capacity),
        )  # fmt: skip
    demand, kind = distinct_rows(jobs.tasks[:, None].astype(np.float64))
    number = np.arange(total + 1, dtype=np.int64)
    return Requests(
        kind, np.ones(total, np.int32), number, number[:total].astype(np.int32), demand, expected_s,
        np.full((1, 1), float(cluster.hosts)),
    )  # fmt: skip


def _scratch(requests: Requests) -> Scratch:
    hosts, resources = requests.capacity.shape
    most = int(requests.tasks.max(initial=1))
    # A host is in `able`, in the heap of turns or in neither, and is listed once a question.
    return Scratch(
        window=np.zeros((hosts, resources)),
        able=np.zeros(hosts, np.int32),
        value=np.zeros(hosts),
        again=np.zeros(1, np.int32),
        host=np.zeros(most, np.int32),
        before=np.zeros(most, np.int32),
        need=np.zeros(resources),
        listed=np.zeros(hosts, np.int32),
        listed_at=np.zeros(hosts, np.int64),
        limit_s=np.zeros(hosts),
        turn_s=np.zeros(hosts),
        turn_host=np.zeros(hosts, np.int32),
        exact_at=np.zeros(hosts, np.int64),
        question=np.zeros(2, np.int64),
    )


def _kept(requests: Requests) -> Kept:
    total, tasks, (hosts, resources) = len(requests.kind), len(requests.task_job), requests.capacity.shape
    return Kept(
        seen=np.zeros(total, np.int64),
        on_first=np.full(hosts, -1, np.int32),
        on_next=np.full(tasks, -1, np.int32),
        on_before=np.full(tasks, -1, np.int32),
        # A full heap of promises is made anew from the jobs that wait, each once; at least half of it is free then.
        due_s=np.zeros(2 * total + 16),
        due=np.zeros(2 * total + 16, np.int32),
        # A job is put into `order` when it leaves the profile, or once a pass, and so stands in it once at a time.
        order_s=np.zeros(total),
        order=np.zeros(total, np.int32),
        # A job is to start once a pass; `note_moved` checks.
        moved=np.zeros(total, np.int32),
        look_s=np.full(hosts, -np.inf),
        look_most=np.zeros(resources),
        looked=np.zeros(hosts, np.int32),  # `looked_at` lists a host once a pass
        looked_at=np.zeros(hosts, np.int64),
        out=np.zeros(tasks, np.bool_),
        cleared=np.zeros(hosts, np.int32),  # `cleared_at` lists a host once a pass
        cleared_at=np.zeros(hosts, np.int64),
        near=np.zeros((BUCKETS, hosts), np.int32),
        most=np.zeros((resources, hosts)),
        next_s=np.full(hosts, -np.inf),
    )
