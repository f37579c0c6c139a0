"""Replays a log with the general compiled engine: validates, lays out the arrays, names the result."""
# mypy: disable-error-code="no-untyped-call"

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.backfilling import Blocking, NetBatch, Skip
from loadmaster.compiled import is_built_in, never_remembered, refusing
from loadmaster.compiled_scan import SCAN, scanner
from loadmaster.kernels import kept_njit
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, frozen_floats, frozen_ints, frozen_longs
from loadmaster.order import ORDERS, FairShare
from loadmaster.place.policy import not_finite
from loadmaster.schedule import AnyPolicy, Discipline, MaxJobs, is_plain_data, members_of
from loadmaster.sim.queue import cycle_state
from loadmaster.sim.queue.cycle_kernel import run
from loadmaster.sim.queue.cycle_state import Jobs, Log, Rules, State
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.scores_kernel import empty_scores

MEMBERS = 8
"""Members of a meta-policy that the compiled engine takes: it is compiled once, for that many scans."""
TARGETS = {"jobs": 0, "cores": 1, "weighted": 2}

Progress = Callable[[int, int], None]


class Walk(NamedTuple):
    """What compiled engines know of a discipline that walks the queue; -1 stands for no limit."""

    reservations: int
    lookahead: int
    blocking: bool


def _limited(backfilling: NetBatch) -> Walk:
    return Walk(_limit(backfilling.reservations), _limit(backfilling.lookahead), blocking=False)


def _limit(limit: int | None) -> int:
    return -1 if limit is None else int(limit)


_WALKS: dict[type, Callable[[Any], Walk]] = {
    NetBatch: _limited,
    Skip: lambda _: Walk(0, -1, blocking=False),
    Blocking: lambda _: Walk(0, -1, blocking=True),
}
"""The backfillings that are compiled, by their exact type: a subclass walks its own way, in the plain engine."""


def walks(discipline: Discipline) -> bool:
    """Whether this is one of the disciplines whose walk is compiled."""
    return type(discipline.backfilling) in _WALKS and (by_arrival(discipline) or type(discipline.order) is FairShare)


def by_arrival(discipline: Discipline) -> bool:
    """Whether jobs are served in the order of arrival."""
    return discipline.order is ORDERS["fcfs"]


def walk_of(discipline: Discipline) -> Walk:
    """The walk of a discipline for which `walks` holds."""
    return _WALKS[type(discipline.backfilling)](discipline.backfilling)


def serves(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether this engine knows the discipline and the policy, and takes so many members."""
    return walks(discipline) and is_plain_data(policy) and len(members_of(policy)) <= MEMBERS


def replay_cycles(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float,
    seed: int,
    progress: Progress | None = None,
) -> Schedule:
    """Replay `workload` exactly as `reference.replay` does, compiled.

    Raises:
        InputError: a policy cannot be compiled, or rates a host with something that is not a finite number.
    """
    members = members_of(policy)
    jobs = jobs_of(workload, cluster, fair=type(discipline.order) is FairShare)
    rules = _rules(policy, discipline, interval_s, seed)
    state = _state(jobs, cluster, discipline, meta=rules.members > 1)
    scores = empty_scores(cluster.kinds, jobs.demand, often(jobs), rules.members)
    records = Records(workload)
    scans = tuple(scanner(member, cluster.capacity.shape[1]) for member in members)
    scans += (scans[0],) * (MEMBERS - len(scans))
    log = Log(records.start_s, records.host, *records.buffers)
    args = (jobs, np.array(cluster.capacity), rules, state, scores, log)
    engine = _engine(tuple(typeof(arg) for arg in args))
    while True:
        with refusing(_suspects(policy)):
            status = engine(*args, scans)
        records.keep(int(log.rows[0]))
        if status == cycle_state.NOT_FINITE:
            raise not_finite(_suspects(policy))
        if progress is not None:
            progress(int(state.tally[cycle_state.STARTED]), workload.jobs)
        if status == cycle_state.DONE:
            return records.schedule()


@cache
def _engine(layout: tuple[Any, ...]) -> Callable[..., int]:
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # scans are first-class functions

    def entry(jobs, capacity, rules, state, scores, log, scans):  # type: ignore[no-untyped-def]
        return run(jobs, capacity, rules, state, scores, log, scans)

    scans = types.UniTuple(types.FunctionType(SCAN), MEMBERS)
    engine: Callable[..., int] = kept_njit(types.int64(*layout, scans), nogil=True, error_model="numpy")(entry)
    return engine


def _suspects(policy: AnyPolicy) -> str:
    """Whose error it is: of a meta-policy, a member of the user's own."""
    own = [member.name for member in members_of(policy) if not is_built_in(member)]
    return ", ".join(own) or policy.name


def jobs_of(workload: Workload, cluster: Cluster, *, fair: bool) -> Jobs:
    """The workload as kernels take it; projects count only where the discipline is `fair`."""
    project = workload.project if fair and workload.project is not None else np.zeros(workload.jobs, np.int32)
    demand, kind = distinct_rows(workload.demand)
    return Jobs(
        submit_s=frozen_floats(workload.submit_s),
        runtime_s=frozen_floats(workload.runtime_s),
        kind=frozen_ints(kind),
        tasks=frozen_ints(workload.task_count),
        first_task=frozen_longs(workload.first_task),
        project=frozen_ints(project),
        demand=demand,  # raters take arrays that may be written to
        smallest=_read_only((demand <= demand.min(axis=0, initial=np.inf)).all(axis=1)),
        holdable=_read_only((demand <= cluster.capacity.min(axis=0)).all(axis=1)),
    )


def often(jobs: Jobs) -> Floats:
    """How many tasks ask for each demand, float64[K]."""
    return np.bincount(jobs.kind, jobs.tasks, jobs.demand.shape[0]).astype(np.float64)


def distinct_rows(table: Floats) -> tuple[Floats, Ints]:
    """The distinct rows of `table` float64[N, R] as float64[K, R], and for every row the number of its like, int32[N].

    Example:
        >>> rows, kind = distinct_rows(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]))
        >>> kind.tolist()
        [0, 1, 0]
    """
    names = [str(r) for r in range(table.shape[1])]
    frame = pl.DataFrame({name: table[:, r] for r, name in enumerate(names)})
    rows = frame.unique(maintain_order=True)
    numbered = rows.with_row_index("kind")
    kind = frame.join(numbered, on=names, how="left", maintain_order="left")["kind"]
    return np.array(rows.to_numpy(), order="C"), kind.to_numpy().astype(np.int32)


def _rules(policy: AnyPolicy, discipline: Discipline, interval_s: float, seed: int) -> Rules:
    members = members_of(policy)
    walk = walk_of(discipline)
    return Rules(
        interval_s=float(interval_s),
        members=len(members),
        reservations=walk.reservations,
        lookahead=walk.lookahead,
        blocking=walk.blocking,
        varies=sum(1 << m for m, member in enumerate(members) if never_remembered(member)),
        target=TARGETS[policy.target] if isinstance(policy, MaxJobs) else 0,
        seed=int(seed),
    )


def _state(jobs: Jobs, cluster: Cluster, discipline: Discipline, *, meta: bool) -> State:
    total, hosts, kinds = jobs.submit_s.shape[0], cluster.hosts, jobs.demand.shape[0]
    projects = 1 + int(jobs.project.max(initial=0))
    room = _startable(jobs, cluster)
    return State(
        free=np.array(cluster.capacity),
        open=np.ones(hosts, np.bool_),
        closed=np.zeros(hosts, np.int32),
        following=np.full(total, -1, np.int32),
        head=np.full(projects, -1, np.int32),
        tail=np.full(projects, -1, np.int32),
        used=np.zeros(projects),
        share=_shares(discipline, projects),
        cursor=np.full(projects, -1, np.int32),
        end_s=np.zeros(total),
        ending=np.zeros(total, np.int32),
        failed=np.zeros(kinds, np.int64),
        failed_tasks=np.zeros(kinds, np.int32),
        pareto=np.zeros((cycle_state.PARETO, cluster.capacity.shape[1] + 1)),
        left=np.zeros(2 * hosts),
        holder=np.zeros(2 * hosts, np.int32),
        undo_host=np.zeros(room, np.int32),
        undo_free=np.zeros((room, cluster.capacity.shape[1])),
        plan_job=np.zeros((2, room), np.int32),
        plan_host=np.zeros((1, room if meta else 1), np.int32),
        tally=np.array([0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0], np.int64),
    )


def _shares(discipline: Discipline, projects: int) -> Floats:
    order = discipline.order
    return order.share_of(projects) if isinstance(order, FairShare) else np.ones(projects)


def _startable(jobs: Jobs, cluster: Cluster) -> int:
    """A bound on the tasks that can start in one cycle: what the empty cluster holds, and one job's tasks more."""
    capacities, kind = cluster.kinds
    each = [
        np.divide(room, jobs.demand, out=np.full(jobs.demand.shape, np.inf), where=jobs.demand > 0)
        for room in capacities
    ]  # how often what a task asks for goes into each resource of a host
    held = [float(np.floor(times.min(axis=1)).max(initial=0.0)) for times in each]
    bound = float(np.dot(np.bincount(kind, minlength=len(held)), held))
    tasks = int(jobs.first_task[-1])
    return max(1, tasks if not np.isfinite(bound) else min(tasks, int(bound) + int(jobs.tasks.max(initial=1))))


def _read_only(flags: Any) -> Bools:
    array: Bools = np.ascontiguousarray(flags, dtype=np.bool_).copy()
    array.flags.writeable = False
    return array
