"""Replays a log with the engine: lays out the arrays, goes on until all is done, names the result."""
# mypy: disable-error-code="no-untyped-call"

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.backfilling import Blocking, Easy, Skip
from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.compiled import is_built_in, never_remembered, refusing
from loadmaster.compiled_order import COLUMNS, RANKER, no_ranker, ranker
from loadmaster.compiled_scan import SCAN, scanner
from loadmaster.kernels import kept_njit
from loadmaster.layouts import by_layout, entry_of
from loadmaster.lent import lend
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Longs
from loadmaster.model.distinct import distinct_rows
from loadmaster.order import ORDERS, Order
from loadmaster.order.order import rank_not_finite
from loadmaster.place import POLICIES, Policy
from loadmaster.place.policy import not_finite
from loadmaster.schedule import AnyPolicy, Discipline
from loadmaster.scores_kernel import empty_scores
from loadmaster.sim.queue.ends_kernel import empty_ends
from loadmaster.sim.queue.engine.loop_kernel import run
from loadmaster.sim.queue.engine.state import (
    DEMAND,
    FAN,
    HOSTS_OF_BLOCK,
    LEVELS,
    REFUSALS,
    STARTED,
    EngineHosts,
    EngineJobs,
    EngineLog,
    EngineRules,
    EngineState,
    MovingQueue,
    PromisedHead,
    RefusedDemands,
    RunningTasks,
    WaitingTree,
)
from loadmaster.sim.queue.laid_out import columns_of, ranks
from loadmaster.sim.queue.queue_state import DONE, NO_RANK, NOT_FINITE
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.served import Progress


def serves(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether the engine knows the policy, the order and the backfilling, by their exact types."""
    order, backfilling = discipline.order, discipline.backfilling
    known = type(backfilling) in (Blocking, Skip) or backfilling == Easy()
    exactly = type(policy) is Policy and type(discipline) is Discipline and type(order) is Order
    return exactly and known


def replay(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float,
    seed: int = 0,
    progress: Progress | None = None,
) -> Schedule:
    """Replay `workload` exactly as `reference.replay` does, on hosts of speed 1 and without constraints.

    Raises:
        InputError: the policy or the order cannot be compiled, or gives no finite number.
    """
    assert isinstance(policy, Policy)
    records = Records(workload)
    engine = arrays(workload, cluster, policy, discipline, interval_s, seed, records)
    go_on, scan, order = _compiled(engine), scanner(policy, cluster.capacity.shape[1]), discipline.order
    rank = ranker(order) if engine.rules.moves and isinstance(order, Order) else no_ranker()
    columns = columns_of(workload, None, moving=engine.rules.moves)
    while True:
        with refusing(policy):
            status = go_on(engine, scan, rank, columns)
        records.keep(int(engine.log.rows[0]))
        if status == NOT_FINITE:
            raise not_finite(policy.name)
        if status == NO_RANK:
            raise rank_not_finite(order.name)
        if progress is not None:
            progress(int(engine.log.counts[STARTED]), workload.jobs)
        if status == DONE:
            _name_hosts(engine, records)
            return records.schedule()


def arrays(
    workload: Workload, cluster: Cluster, policy: Policy, discipline: Discipline, interval_s: float, seed: int,
    records: Records,
) -> EngineState:  # fmt: skip
    """A run that begins."""
    jobs, rule = _jobs(workload, discipline), discipline.backfilling
    first_fit = _is_first_fit(policy, workload, cluster)
    many, (hosts, resources), kinds = workload.jobs, cluster.capacity.shape, len(jobs.demand)
    tasks, moves = int(jobs.tasks.sum()), isinstance(discipline.order, Order) and discipline.order.moves
    return EngineState(
        jobs,
        EngineRules(
            float(interval_s), type(rule) is Blocking, type(rule) is Easy, first_fit, never_remembered(policy),
            int(seed), moves,
        ),
        _hosts(jobs, cluster, rated=1 if first_fit else kinds),
        _queue(0 if moves else many, resources),
        _ranked(many if moves else 0),
        RunningTasks(
            np.zeros(many), np.zeros(many, np.int32), empty_ends(many), np.zeros(tasks, np.int32),
            np.zeros(tasks, np.int32), np.zeros(many, np.int32),
        ),
        PromisedHead(
            np.array([-1, -1, 0, 0, 0], np.int64), np.zeros(3), np.zeros(hosts), np.zeros((hosts, resources)),
            np.zeros(hosts), np.zeros(hosts, np.int64),
        ),
        RefusedDemands(
            np.zeros((2, kinds), np.int64), np.full((2, kinds), -1, np.int64), np.zeros(2, np.int64),
            np.zeros((REFUSALS, resources)), np.zeros(REFUSALS, np.int64), np.zeros(2, np.int64),
        ),
        EngineLog(records.start_s, np.zeros(4, np.int64), *records.buffers[:3], records.buffers[5]),
    )  # fmt: skip


def _hosts(jobs: EngineJobs, cluster: Cluster, rated: int) -> EngineHosts:
    """Empty hosts, and scores for the first `rated` demands."""
    hosts, resources = cluster.capacity.shape
    blocks = np.zeros((-(-hosts // HOSTS_OF_BLOCK), HOSTS_OF_BLOCK, resources))
    blocks.reshape(-1, resources)[:hosts] = cluster.capacity
    often = np.bincount(jobs.kind, jobs.tasks, len(jobs.demand)).astype(np.float64)
    return EngineHosts(
        np.array(cluster.capacity), blocks.max(axis=1), cluster.capacity.sum(axis=0),
        empty_scores(cluster.kinds, jobs.demand[:rated], often[:rated]),
        np.full(1, -1, np.int64), np.ones(hosts, np.bool_), np.zeros(hosts, np.int32),
    )  # fmt: skip


def _queue(places: int, resources: int) -> WaitingTree:
    """No job waits."""
    nodes = np.array([-(-places // FAN ** (level + 1)) for level in range(LEVELS)], np.int64)
    least = np.full((int(nodes.sum()), DEMAND + 2 * resources), np.inf)
    first_node = np.concatenate(([0], np.cumsum(nodes)[:-1]))
    return WaitingTree(np.zeros(places, np.bool_), least, first_node, np.full(1, places, np.int64))


def _ranked(jobs: int) -> MovingQueue:
    """No job waits, of so many under an order whose ranks move."""
    return MovingQueue(
        np.zeros(jobs, np.int32), np.zeros(jobs, np.int32), np.zeros(jobs), np.zeros(jobs), np.zeros(jobs, np.int32)
    )


def _is_first_fit(policy: Policy, workload: Workload, cluster: Cluster) -> bool:
    """Whether the policy comes to the first host that fits: on a pool it rates all free hosts alike."""
    alike = is_built_in(policy) and not policy.contextual and hosts_are_one_pool(workload.demand, cluster)
    return policy is POLICIES["first-fit"] or alike


def _jobs(workload: Workload, discipline: Discipline) -> EngineJobs:
    demand, kind = distinct_rows(workload.demand)
    at, place = _order(workload, discipline)
    return EngineJobs(
        np.array(workload.submit_s), np.array(workload.runtime_s), np.array(workload.expected_s),
        np.array(workload.task_count, np.int64), np.array(kind, np.int32), np.array(demand),
        np.array(workload.first_task, np.int64), place.astype(np.int32), at.astype(np.int32),
    )  # fmt: skip


def _order(workload: Workload, discipline: Discipline) -> tuple[Longs, Longs]:
    """int64[J] each: the job at every place of an order that never changes, and the place of every job."""
    number = np.arange(workload.jobs)
    order = discipline.order
    if order is ORDERS["fcfs"] or not isinstance(order, Order) or order.moves:
        return number, number
    at = np.argsort(ranks(order, workload), kind="stable")
    place = np.empty_like(at)
    place[at] = number
    return at, place


def _name_hosts(engine: EngineState, records: Records) -> None:
    """Write the host of every task where the schedule has it."""
    running, jobs = engine.running, engine.jobs
    started = np.flatnonzero(~np.isnan(records.start_s))
    runs = running.runs[started]
    first = np.cumsum(runs) - runs
    of_run = np.repeat(jobs.first_task[started] - first, runs) + np.arange(int(runs.sum()))
    of_task = np.repeat(
        jobs.first_task[started] - (np.cumsum(jobs.tasks[started]) - jobs.tasks[started]), jobs.tasks[started]
    ) + np.arange(int(jobs.tasks[started].sum()))
    records.host[of_task] = np.repeat(running.run_host[of_run], running.run_tasks[of_run])


@by_layout
def _compiled(*engine: Any) -> Callable[..., int]:
    """The loop for arrays of such a layout."""

    def entry(engine, scan, rank, columns):  # type: ignore[no-untyped-def]
        return run(lend(engine), scan, rank, columns)

    (given,) = engine
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # a scan is a first-class function
    signature = types.int64(typeof(given), types.FunctionType(SCAN), types.FunctionType(RANKER), COLUMNS)
    return entry_of(kept_njit(signature, nogil=True, error_model="numpy")(entry))
