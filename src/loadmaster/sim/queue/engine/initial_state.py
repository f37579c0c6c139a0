"""The changing arrays of the compiled engine at the beginning of a run."""

import numpy as np

from loadmaster.model import Cluster
from loadmaster.model.arrays import Floats, frozen_floats
from loadmaster.order import FairShare
from loadmaster.scheduling import Discipline
from loadmaster.sim.queue.engine.estimates_kernel import Estimates
from loadmaster.sim.queue.engine.host_pool_kernel import CountedHosts
from loadmaster.sim.queue.engine.priority_ticks import positions
from loadmaster.sim.queue.engine.ranked_queue_kernel import KEPT
from loadmaster.sim.queue.engine.ranked_state import PendingEvents, Ranked
from loadmaster.sim.queue.engine.running_by_host_kernel import empty_running
from loadmaster.sim.queue.engine.state import (
    AMOUNTS,
    FAN,
    FIRST_ROOM,
    HOSTS_OF_BLOCK,
    LANES,
    LAST_PLACE,
    PARETO,
    STEP,
    WHOLE,
    CapacityFrontier,
    ChangedHosts,
    HeadPromise,
    Jobs,
    QueueState,
    WaitingRows,
)

MOST_STEPS = 1024
"""The most steps of whole cores in the capacity frontier and in the infeasible cache."""
BLOCK_STEPS = 64
"""The same in a block of hosts."""
SHELVES = 1024
"""Levels of free memory on which hosts are put before they are reserved one by one."""


def empty_state(
    jobs: Jobs,
    cluster: Cluster,
    discipline: Discipline,
    waiting: WaitingRows,
    estimates: Estimates,
    pool: CountedHosts,
    *,
    meta: bool,
    promises: bool,
    in_order: bool,
) -> QueueState:
    """All hosts empty, and nothing remembered; `in_order`: some search goes by the order of hosts."""
    total, hosts, kinds = jobs.submit_s.shape[0], cluster.hosts, jobs.demand.shape[0]
    projects, resources = len(jobs.span) - 1, cluster.capacity.shape[1]
    room = startable(jobs, cluster)
    tasks = int((jobs.first_task[:total] + jobs.tasks).max(initial=0))
    assert cluster.speed is not None
    return QueueState(
        free=np.array(cluster.capacity),
        speed=frozen_floats(cluster.speed),
        fastest=frozen_floats([cluster.speed[row].max(initial=0.0) or 1.0 for row in jobs.allowed]),
        open=np.ones(hosts, np.bool_),
        usable=np.ones(hosts, np.bool_),
        closed=np.zeros(hosts, np.int32),  # only an open host is reserved
        used=np.zeros(projects),
        share=_shares(discipline, projects),
        cursor=np.zeros(len(waiting.span) - 1, np.int64),
        need=np.zeros(projects, np.int64),
        left=np.zeros(1),
        end_s=np.zeros(total),
        ending=np.zeros(total, np.int32),
        failed=np.zeros((2, len(jobs.allowed), kinds), np.int64),
        failed_tasks=np.zeros((2, len(jobs.allowed), kinds), np.int32),
        steps=np.zeros((2, _steps(cluster)), STEP).view(np.recarray),
        # Further failures are not remembered.
        pareto=np.zeros((2, PARETO, resources + 2)),
        paretos=np.zeros(2, np.int64),
        # A host is on a shelf, in the heap or in neither: it leaves one before it is put into the other.
        left_free=np.zeros(2 * hosts),
        holder=np.zeros(2 * hosts, np.int32),
        shelf=np.zeros(SHELVES, np.int32),
        beside=np.zeros(hosts, np.int32),
        shelves_a_unit=np.full(1, SHELVES / (cluster.capacity[:, min(1, resources - 1)].max(initial=0.0) or 1.0)),
        on_level=np.zeros(SHELVES, np.int32),
        least=_least_demand(jobs),
        most=_most_of_blocks(cluster)[:, slice(None if in_order else 0)].copy(),
        first_room=np.zeros(kinds, FIRST_ROOM).view(np.recarray),
        partly=np.full((len(jobs.allowed), kinds), -1, np.int64),
        partly_tasks=np.zeros((len(jobs.allowed), kinds), np.int32),
        picked=np.zeros(hosts, np.int32),
        held=np.zeros(tasks, np.int32),
        undo_host=np.zeros(room, np.int32),
        undo_kind=np.zeros(room, np.int32),
        plan_job=np.zeros((2, room), np.int32),
        plan_host=np.zeros((1, room if meta else 1), np.int32),
        plan_task=np.zeros(room, np.int64),
        tally=np.array([0, 0, 0, -1, *[0] * 16], np.int64),
        estimates=estimates,
        running_by_host=empty_running(tasks, total, hosts) if promises else empty_running(0, 0, 0),
        # `news` lists a host once, by its flag.
        news=ChangedHosts(
            np.zeros(hosts, np.int32),
            np.zeros(hosts, np.bool_),
            np.array([0, 0, 0, -1, -1, 0, 0, 0, LAST_PLACE], np.int64),
        ),
        pool=pool,
    )


def _least_demand(jobs: Jobs) -> Floats:
    """float64[R]: the least of each resource that any job requests, if reservations of all jobs may be counted."""
    counted = bool(jobs.holdable.all()) and bool(jobs.whole.all()) and int(jobs.tasks.max(initial=1)) == 1
    least: Floats = jobs.demand.min(axis=0, initial=np.inf)
    return least if counted else np.zeros_like(least)


def empty_queue(jobs: Jobs, *, ticked: bool, amounts: int = 0) -> WaitingRows:
    """An empty queue; positions are fixed unless the order ticks. `amounts` of the whole cluster bind the jobs."""
    rows = len(jobs.kind)
    total = positions(rows) if ticked else rows
    parts = AMOUNTS + amounts if amounts else AMOUNTS if int(jobs.tasks.max(initial=1)) > 1 else WHOLE
    low, mid, top = (np.full((max(1, -(-total // FAN**level)), parts, LANES), np.inf) for level in (1, 2, 3))
    loose = np.zeros((3, len(low)), np.bool_)
    here, edge = np.zeros(total, np.bool_), np.array([jobs.span[1:], jobs.span[:-1]])
    if ticked:
        nowhere, nobody = np.full(rows, -1, np.int32), np.zeros(total, np.int32)
        return WaitingRows(here, low, mid, top, loose, nowhere, nobody, np.zeros(3, np.int64), np.zeros(rows), edge)
    own = np.array(jobs.position), np.array(jobs.at), np.array(jobs.span)
    return WaitingRows(here, low, mid, top, loose, *own, np.zeros(0), edge)


def empty_ranked_queue(jobs: int, happened: PendingEvents) -> Ranked:
    """An empty queue of at most so many jobs under an order whose ranks change; a job is in the heap once."""
    return Ranked(
        queue=np.zeros(jobs, np.int32),
        where=np.zeros(jobs, np.int32),
        cores=np.zeros(jobs),
        memory=np.zeros(jobs),
        whole=np.zeros(jobs),
        expected_s=np.zeros(jobs),
        rank=np.zeros(jobs),
        key=np.zeros(jobs),
        job=np.zeros(jobs, np.int32),
        bound=np.zeros(1),
        sample=np.zeros(KEPT),
        behind=np.zeros(jobs, np.int32),
        number=np.zeros(6, np.int64),
        happened=happened,
    )


def full_frontier(cluster: Cluster) -> CapacityFrontier:
    """Upper bounds before any host is looked at."""
    steps = _steps(cluster)
    most = np.full(4, cluster.capacity[:, 0].max())
    memory = cluster.capacity[:, 1].max() if cluster.capacity.shape[1] > 1 else 0.0
    fewest = np.concatenate(([0], 2 ** np.arange(LANES - 1)))
    lane = np.tile(np.where(fewest <= most[0], memory, -1.0), (4, 1))
    step = np.tile(np.where(np.arange(steps) <= most[0], memory, -1.0), (4, 1))
    total = cluster.capacity[:, :1].sum(axis=0)
    return CapacityFrontier(np.full(steps, -1, np.int32), most, step, lane, total, np.full(4, -1, np.int64))


def _most_of_blocks(cluster: Cluster) -> Floats:
    """float64[C + R - 2, B]: each block starts with the largest capacity of the cluster, a safe upper bound."""
    hosts, resources = cluster.capacity.shape
    steps = 1 + int(min(BLOCK_STEPS, cluster.capacity[:, 0].max()))
    return np.full((steps + max(0, resources - 2), -(-hosts // HOSTS_OF_BLOCK)), cluster.capacity.max(initial=0.0))


def _steps(cluster: Cluster) -> int:
    """The number of steps; on one host alone, each step has the same memory."""
    return 2 + int(min(MOST_STEPS if cluster.hosts > 1 else 0, cluster.capacity[:, 0].max()))


def no_moment(cluster: Cluster, room: int) -> HeadPromise:
    """No reservation; `room` bounds the starts of a pass. A host is touched once, by its stamp."""
    hosts, resources = cluster.capacity.shape
    return HeadPromise(
        then=np.zeros((hosts, resources)),
        then_at=np.full(hosts, -1, np.int64),
        held=np.zeros(hosts, np.int64),
        held_now=np.zeros(hosts, np.int64),
        touched=np.zeros(hosts, np.int32),
        number=np.array([-1, 0, 0, 0, 0, -1, 0], np.int64),
        shadow_s=np.full(1, np.inf),
        fastest=np.full(1, 1.0 if cluster.speed is None else cluster.speed.max()),
        end_s=np.zeros(room),
        ending=np.zeros(room, np.int32),
    )


def _shares(discipline: Discipline, projects: int) -> Floats:
    order = discipline.order
    return order.share_of(projects) if isinstance(order, FairShare) else np.ones(projects)


def startable(jobs: Jobs, cluster: Cluster) -> int:
    """A bound on the tasks that can start in one cycle, or run at once: what the empty cluster holds.

    Each task counts at the first resource that it requests. A host holds at most its amount of that resource, divided
    by the least that any of these tasks requests; so kinds that need different resources fit side by side. Amounts are
    exact, so the rounded quotient is never below the true one. Tasks that request nothing all fit.
    """
    unasked, bound = np.ones(len(jobs.demand), np.bool_), 0.0
    for resource in range(jobs.demand.shape[1]):
        asks = unasked & (jobs.demand[:, resource] > 0.0)
        if asks.any():
            bound += float(np.floor(cluster.capacity[:, resource] / jobs.demand[asks, resource].min()).sum())
        unasked = unasked & ~asks
    bound += float(jobs.tasks[unasked[jobs.kind]].sum())
    return max(1, int(min(bound, jobs.first_task[-1])))
