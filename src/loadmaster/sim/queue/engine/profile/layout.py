"""Lays out the reservations of a run under conservative backfilling, and says which runs have them."""

import numpy as np

from loadmaster.backfilling import Conservative
from loadmaster.backfilling.conservative_kernel import ARRIVAL, IN_THEIR_ORDER, KEPT, NOW_ONLY, REPLAN
from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.backfilling.free_profile_kernel import FreeProfile, profile_at_start, with_more_room
from loadmaster.backfilling.start_bounds_kernel import PARTS, empty_bounds
from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, frozen_floats
from loadmaster.model.distinct_rows import distinct_rows
from loadmaster.place import Policy
from loadmaster.scheduling import AnyPolicy, Discipline
from loadmaster.sim.queue.capabilities import by_arrival
from loadmaster.sim.queue.engine.profile.state import (
    BLOCK,
    BUCKETS,
    ENDED_TASKS,
    KeptReservations,
    PlanDiff,
    Replan,
    Requests,
    Reservations,
    SearchScratch,
    UnvisitedJobs,
)
from loadmaster.sim.queue.engine.queue_engine import QueueEngine
from loadmaster.sim.queue.engine.state import ARRIVED, Jobs
from loadmaster.traces.fit import held_by

EARLY_END = {"kept": KEPT, "now": NOW_ONLY, "arrival": ARRIVAL, "start": IN_THEIR_ORDER, "replan": REPLAN}
PARTS_ANEW = 0.1
"""Classes of one demand for each doubling of the expected runtime if each pass makes a new plan: few, since each class
learns its bounds in each pass by itself."""
MOST_UNSEEN = 32
"""Passes that ended before those of earlier ones, whose changes are still kept."""
MOST_UNDONE = 2**16
"""Bounds that one pass may learn for itself; beyond that it learns no more."""


def knows(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether the profile serves the rules: conservative by arrival, and a policy without methods of its own."""
    backfilling = discipline.backfilling
    exact = type(backfilling) is Conservative and by_arrival(discipline) and type(policy) is Policy
    return exact and isinstance(backfilling, Conservative) and backfilling.early_end in EARLY_END


def serves(workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether the profile serves the run.

    It does if it knows the rules, hosts have one speed, a count of hosts is exact or not requested, and the empty
    cluster holds every job, since each job gets a reservation. Reservations that stay need finite expected runtimes:
    behind a job without an end some jobs get no reservation.
    """
    backfilling = discipline.backfilling
    if not knows(policy, discipline) or not isinstance(backfilling, Conservative) or workload.starting is not None:
        return False
    one_pool = hosts_are_one_pool(workload.demand, cluster)
    if backfilling.early_end == "replan":
        return backfilling.promise != "pool" and not one_pool  # each pass makes a new plan, host by host
    exact, finite = backfilling.promise != "pool" or one_pool, bool(np.isfinite(workload.expected_s).all())
    return exact and finite and bool(held_by(workload, cluster, "asked").all())


def plan_of(table: QueueEngine, workload: Workload, cluster: Cluster, discipline: Discipline) -> Reservations:
    """No job runs, and none has a reservation."""
    backfilling, jobs = discipline.backfilling, table.jobs
    assert isinstance(backfilling, Conservative)
    assert backfilling.early_end is not None
    early_end = EARLY_END[backfilling.early_end]
    as_pool = early_end != REPLAN and backfilling.promise != "hosts" and hosts_are_one_pool(workload.demand, cluster)
    requests = _requests(jobs, cluster, as_pool=as_pool)
    total, tasks, rows = len(jobs.kind), len(requests.task_job), _rows(requests)
    sky = profile_at_start(rows)
    parts = PARTS_ANEW if early_end == REPLAN else PARTS
    bounds = empty_bounds(requests.demand, requests.kind, requests.expected_s, len(requests.capacity), parts)
    return Reservations(
        jobs,
        table.capacity,
        table.rules,
        table.state,
        table.waiting,
        table.frontier,
        table.head_promise,
        table.scores,
        table.log,
        requests,
        early_end=early_end,
        as_pool=as_pool,
        total=len(requests.capacity) if len(rows) > len(requests.capacity) else -1,
        sky=sky,
        ahead=_profile_of_pass(sky) if early_end == REPLAN else sky,
        bounds=bounds,
        scratch=_scratch(requests),
        start_s=np.full(total, np.inf),
        host=np.zeros(tasks, np.int32),
        tasks=np.zeros(tasks, np.int32),
        entries=np.zeros(total, np.int32),
        runs=np.zeros(total, np.bool_),
        # A job starts once, and so comes once into the heap of expected ends, and from there into `overdue`.
        over_s=np.zeros(total),
        over=np.zeros(total, np.int32),
        overdue=np.zeros(total, np.int32),
        tally=np.zeros(16, np.int64),
        now=np.full(1, -np.inf),
        kept=None if early_end == REPLAN else _kept_profile(requests),
        replan=_replan(requests, len(bounds.need)) if early_end == REPLAN else None,
    )


def with_room(plan: Reservations) -> Reservations:
    """The same with room for more steps, enough for some passes of `running_jobs_kernel.lacks_room`.

    A pass that moves reservations over more hosts than that allows ends in `is_out_of_room`.
    """
    requests = plan.requests
    tasks = int(requests.first[plan.state.tally[ARRIVED]] - plan.tally[ENDED_TASKS])
    sky = with_more_room(plan.sky, 48 * (len(requests.capacity) + 1) + 128 * tasks)
    return plan._replace(sky=sky, ahead=sky if plan.replan is None else _profile_of_pass(sky))


def _profile_of_pass(sky: FreeProfile) -> FreeProfile:
    """The profile of a pass before it makes a reservation."""
    return sky._replace(**{each: getattr(sky, each).copy() for each in ("base", "room", "first", "many")})


def _requests(jobs: Jobs, cluster: Cluster, *, as_pool: bool) -> Requests:
    """The demands of jobs on the hosts of the profile; of a pool, one task with so many units."""
    total, expected_s = len(jobs.kind), frozen_floats(jobs.expected_s)
    if not as_pool:
        owner = np.repeat(np.arange(total, dtype=np.int32), jobs.tasks)
        return Requests(
            np.array(jobs.kind),
            np.array(jobs.tasks),
            np.array(jobs.first_task),
            owner,
            jobs.demand,
            expected_s,
            np.array(cluster.capacity),
        )
    demand, kind = distinct_rows(jobs.tasks[:, None].astype(np.float64))
    number = np.arange(total + 1, dtype=np.int64)
    return Requests(
        kind,
        np.ones(total, np.int32),
        number,
        number[:total].astype(np.int32),
        demand,
        expected_s,
        np.full((1, 1), float(cluster.hosts)),
    )


def _rows(requests: Requests) -> Floats:
    """float64[H, R]: the hosts, and their total where jobs have several tasks."""
    if requests.tasks.max(initial=1) == 1:
        return requests.capacity
    return np.concatenate((requests.capacity, requests.capacity.sum(axis=0, keepdims=True)))


def _scratch(requests: Requests) -> SearchScratch:
    hosts, resources = requests.capacity.shape
    most = int(requests.tasks.max(initial=1))
    # A host is once in `able`, in the heap of turns, and among those listed for a question.
    return SearchScratch(
        window=np.zeros((hosts, resources)),
        able=np.zeros(hosts, np.int32),
        value=np.zeros(hosts),
        again=np.zeros(1, np.int32),
        host=np.zeros(most, np.int32),
        tasks=np.zeros(most, np.int32),
        before=np.zeros(most, np.int32),
        need=np.zeros(resources),
        listed=np.zeros(hosts, np.int32),
        listed_at=np.zeros(hosts, np.int64),
        limit_s=np.zeros(hosts),
        turn_s=np.zeros(hosts),
        turn_host=np.zeros(hosts, np.int32),
        held=np.zeros(hosts, np.int64),
        held_until_s=np.zeros(hosts),
        next_step=np.zeros(hosts, np.int64),
        next_s=np.zeros(hosts),
        question=np.zeros(2, np.int64),
    )


def _kept_profile(requests: Requests) -> KeptReservations:
    total, tasks, (hosts, resources) = len(requests.kind), len(requests.task_job), requests.capacity.shape
    return KeptReservations(
        seen=np.zeros(total, np.int64),
        on_first=np.full(hosts, -1, np.int32),
        on_next=np.full(tasks, -1, np.int32),
        on_before=np.full(tasks, -1, np.int32),
        # A full heap of promises is made again from the jobs that wait, each once; at least half of it is free then.
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
        capacity=_rows(requests),
        out=np.zeros(tasks, np.bool_),
        cleared=np.zeros(hosts, np.int32),  # `cleared_at` lists a host once a pass
        cleared_at=np.zeros(hosts, np.int64),
        near=np.zeros((BUCKETS, hosts), np.int32),
        most=np.zeros((resources, hosts)),
        next_s=np.full(hosts, -np.inf),
    )


def _replan(requests: Requests, classes: int) -> Replan:
    total, kinds, hosts = len(requests.kind), len(requests.demand), len(requests.capacity)
    return Replan(
        alone=np.zeros(total, np.bool_),
        planned=np.zeros(hosts, np.int32),  # `planned_at` lists a host once a pass
        planned_at=np.zeros(hosts + 1, np.int64),
        block_s=np.zeros((classes, -(-hosts // BLOCK))),
        changes=np.ones(1, np.int64),
        changed_at=np.ones(hosts + 1, np.int64),
        exact_at=np.zeros((classes, hosts), np.int64),
        likely=np.zeros(classes, np.int32),
        # What has no room here is not learnt.
        undo_class=np.zeros(MOST_UNDONE, np.int32),
        undo_host=np.zeros(MOST_UNDONE, np.int32),
        undo_s=np.zeros(MOST_UNDONE),
        undo=np.zeros(1, np.int64),
        least=requests.demand.min(axis=0, initial=np.inf),
        roomy=np.zeros(hosts, np.int32),  # listed by one walk over the hosts
        many_roomy=np.zeros(1, np.int64),
        dead_at=np.zeros(kinds, np.int64),
        dead_long_s=np.zeros(kinds),
        diff=_empty_diff(hosts),
        since=_empty_diff(hosts),
        unseen=_empty_stack(hosts),
    )


def _empty_diff(hosts: int) -> PlanDiff:
    """An empty difference. A host is listed once, when its first time is noted, which is never infinite."""
    soonest, latest = np.full(hosts, np.inf), np.full(hosts, -np.inf)
    return PlanDiff(np.zeros(hosts, np.int32), np.zeros(1, np.int64), soonest, latest, soonest.copy(), latest.copy())


def _empty_stack(hosts: int) -> UnvisitedJobs:
    """An empty stack. `end_plan` empties a full stack; each entry has at most all hosts."""
    entries = MOST_UNSEEN * hosts
    return UnvisitedJobs(
        np.zeros(1, np.int64),
        np.zeros(MOST_UNSEEN, np.int64),
        np.zeros(MOST_UNSEEN + 1, np.int64),
        np.zeros(entries, np.int32),
        np.zeros((entries, 4)),
    )
