"""Replays a log with the general compiled engine: validates, lays out the arrays, names the result."""
# mypy: disable-error-code="no-untyped-call"

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.backfilling import Blocking, Easy, NetBatch, Skip
from loadmaster.compiled import is_built_in, never_remembered, refusing
from loadmaster.compiled_order import COLUMNS, RANKER, ranker, refusing_order
from loadmaster.compiled_scan import SCAN, scanner
from loadmaster.kernels import kept_njit
from loadmaster.lent import lend
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, frozen_floats, frozen_ints, frozen_longs
from loadmaster.model.distinct import distinct_rows
from loadmaster.order import ORDERS, AnyOrder, FairShare, JobColumns, Order, job_columns
from loadmaster.order.order import rank_not_finite
from loadmaster.place.policy import not_finite
from loadmaster.schedule import AnyPolicy, Discipline, MaxJobs, is_plain_data, members_of
from loadmaster.schedule.binding import Binding
from loadmaster.scores_kernel import empty_scores
from loadmaster.sim.queue.bound_arrays import bound_of, rows_of
from loadmaster.sim.queue.bound_records import CutRuns, bound_schedule
from loadmaster.sim.queue.bound_state import Bound
from loadmaster.sim.queue.ends_kernel import empty_ends
from loadmaster.sim.queue.guess_kernel import Guess
from loadmaster.sim.queue.guessing import no_guess
from loadmaster.sim.queue.queue_kernel import run
from loadmaster.sim.queue.queue_state import (
    BLOCKING,
    DONE,
    EASY,
    FAN,
    LANES,
    NO_RANK,
    NOT_FINITE,
    PARETO,
    STARTED,
    WALK,
    Happened,
    Jobs,
    Log,
    Moment,
    Ranked,
    Rules,
    Stairs,
    State,
    Waiting,
)
from loadmaster.sim.queue.ranked_kernel import KEPT
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.ticked import book_of, happened_of, is_ticked, is_told, positions, reckoner, reckoner_type

MEMBERS = 8
"""Members of a meta-policy that the compiled engine takes: it is compiled once, for that many scans."""
MOST_STEPS = 1024
"""Whole cores that are told apart where hosts without room are passed over."""
TARGETS = {"jobs": 0, "cores": 1, "weighted": 2}

Progress = Callable[[int, int], None]


class Walk(NamedTuple):
    """What compiled engines know of a backfilling; -1 stands for no limit."""

    kind: int
    reservations: int
    lookahead: int

    @property
    def blocking(self) -> bool:
        """The first job that does not fit blocks all behind it."""
        return self.kind == BLOCKING


def _limit(limit: int | None) -> int:
    return -1 if limit is None else int(limit)


_WALKS: dict[type, Callable[[Any], Walk]] = {
    Blocking: lambda _: Walk(BLOCKING, 0, -1),
    Skip: lambda _: Walk(WALK, 0, -1),
    NetBatch: lambda rule: Walk(WALK, _limit(rule.reservations), _limit(rule.lookahead)),
    Easy: lambda _: Walk(EASY, 0, -1),
}
"""The backfillings that are compiled, by their exact type: a subclass has rules of its own, in the plain engine."""


def serves(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether this engine knows order, backfilling and policy, and takes so many members."""
    backfilling = discipline.backfilling
    one_head = not isinstance(backfilling, Easy) or backfilling == Easy()
    order = discipline.order
    known = type(order) in (Order, FairShare) or is_told(order)
    return (
        type(backfilling) in _WALKS and one_head and known and is_plain_data(policy)
        and len(members_of(policy)) <= MEMBERS
    )  # fmt: skip


def walk_of(discipline: Discipline) -> Walk:
    """What compiled engines know of the backfilling of a discipline that they serve."""
    return _WALKS[type(discipline.backfilling)](discipline.backfilling)


def by_arrival(discipline: Discipline) -> bool:
    """Whether jobs are served in the order of arrival."""
    return discipline.order is ORDERS["fcfs"]


def _is_told_by_length(discipline: Discipline) -> bool:
    """Whether what is expected of jobs may change their order, so that it is no longer known before they come."""
    return isinstance(discipline.order, Order) and not by_arrival(discipline)


def replay_compiled(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float,
    seed: int,
    progress: Progress | None = None,
    binding: Binding | None = None,
    guess: Guess | None = None,
) -> Schedule:
    """Replay `workload` exactly as `reference.replay` does, compiled; `binding` is what binds its jobs.

    `guess` is what is expected of jobs that nothing binds, where that is not known before; then `workload` has its
    `expected_s` for estimates.

    Raises:
        InputError: a policy cannot be compiled, or rates a host with something that is not a finite number.
    """
    members, order, records = members_of(policy), discipline.order, Records(workload)
    table, bound = laid_out(workload, cluster, policy, discipline, interval_s, seed, records, binding, guess=guess)
    scans = tuple(scanner(member, cluster.capacity.shape[1]) for member in members)
    scans += (scans[0],) * (MEMBERS - len(scans))
    columns = columns_of(workload, bound, moving=table.rules.moving and not table.rules.told)
    if table.rules.moving and guess is not None:
        columns = columns._replace(expected_s=guess.expected_s)
    rank, book = ranker(order if isinstance(order, Order) else ORDERS["fcfs"]), book_of(order, workload, cluster)
    heard = typeof(book), typeof(table.waiting), typeof(table.ranked), typeof(table.jobs)
    reckon = reckoner(heard, table.rules.told)
    engine = _engine(tuple(typeof(arg) for arg in table), heard, typeof(bound))
    cut = CutRuns()
    while True:
        with refusing(_suspects(policy)):
            status = engine(*table, scans, columns, rank, book, reckon, bound)
        records.keep(int(table.log.rows[0]))
        if bound is not None:
            cut.keep(bound, workload.task_count)
        if status == NOT_FINITE:
            raise not_finite(_suspects(policy))
        if status == NO_RANK:
            raise rank_not_finite(discipline.order.name)
        if progress is not None:
            progress(min(int(table.state.tally[STARTED]), workload.jobs), workload.jobs)
        if status == DONE and binding is not None and bound is not None:
            return bound_schedule(records.schedule(), binding, bound, cut, cluster)
        if status == DONE:
            return records.schedule()


class Table(NamedTuple):
    """All that the engine works on, in the order in which it takes it."""

    jobs: Jobs
    capacity: Floats
    rules: Rules
    state: State
    waiting: Waiting
    ranked: Ranked
    stairs: Stairs
    moment: Moment
    ends: Any
    scores: Any
    log: Log


def laid_out(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, interval_s: float, seed: int,
    records: Records, binding: Binding | None, *, asks: bool = False, guess: Guess | None = None,
) -> tuple[Table, Bound | None]:  # fmt: skip
    """A run that begins, and what binds its jobs; `asks`: somebody outside decides."""
    jobs, bound = jobs_of(workload, cluster, discipline), None
    if binding is not None:
        jobs = rows_of(jobs, binding)
        bound = bound_of(workload, cluster, binding, jobs, asks=asks)
    rules = _rules(jobs, cluster, policy, discipline, interval_s, seed)
    if guess is not None:
        rules = rules._replace(moving=rules.moving or _is_told_by_length(discipline))
    waiting = _nobody_waits(jobs, ticked=rules.ticked)
    state = _state(jobs, cluster, discipline, waiting, guess or no_guess(), meta=rules.members > 1)
    if binding is not None:
        state = state._replace(left=binding.counters.most.copy())
    rows = len(jobs.kind)
    return Table(
        jobs, np.array(cluster.capacity), rules, state, waiting,
        _ranked(rows if rules.moving or rules.ticked else 0, happened_of(discipline.order, rows)),
        _stairs(cluster), _moment(cluster, len(state.undo_host)),
        empty_ends(rows), empty_scores(cluster.kinds, jobs.demand, often(jobs), rules.members),
        Log(records.start_s, records.host, *records.buffers),
    ), bound  # fmt: skip


@cache
def _engine(layout: tuple[Any, ...], heard: tuple[Any, ...], binds: Any) -> Callable[..., int]:
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # scans are first-class functions

    def entry(  # type: ignore[no-untyped-def]
        jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, columns, rank, book,
        reckon, bound,
    ):  # fmt: skip
        return run(
            lend(jobs), capacity, lend(rules), lend(state), lend(waiting), lend(ranked), lend(stairs), lend(moment),
            lend(ends), lend(scores), lend(log), scans, columns, rank, lend(book), reckon,
            None if bound is None else lend(bound),
        )  # fmt: skip

    scans = types.UniTuple(types.FunctionType(SCAN), MEMBERS)
    hook = types.FunctionType(reckoner_type(heard))
    signature = types.int64(*layout, scans, COLUMNS, types.FunctionType(RANKER), heard[0], hook, binds)
    engine: Callable[..., int] = kept_njit(signature, nogil=True, error_model="numpy")(entry)
    return engine


def _suspects(policy: AnyPolicy) -> str:
    """Whose error it is: of a meta-policy, a member of the user's own."""
    own = [member.name for member in members_of(policy) if not is_built_in(member)]
    return ", ".join(own) or policy.name


def jobs_of(workload: Workload, cluster: Cluster, discipline: Discipline) -> Jobs:
    """The workload as kernels take it; projects count only under a discipline that knows them."""
    fair = type(discipline.order) is FairShare and workload.project is not None
    project = workload.projects if fair else np.zeros(workload.jobs, np.int32)
    demand, kind = distinct_rows(workload.demand)
    position, at = _positions(workload, cluster, discipline, project)
    count = np.bincount(project, minlength=1)
    return Jobs(
        submit_s=frozen_floats(workload.submit_s),
        runtime_s=frozen_floats(workload.runtime_s),
        expected_s=frozen_floats(workload.expected_s),
        kind=frozen_ints(kind),
        tasks=frozen_ints(workload.task_count),
        first_task=frozen_longs(workload.first_task),
        project=frozen_ints(project),
        demand=demand,  # raters take arrays that may be written to
        smallest=_read_only((demand <= demand.min(axis=0, initial=np.inf)).all(axis=1)),
        holdable=_read_only((demand <= cluster.capacity.min(axis=0)).all(axis=1)),
        position=frozen_ints(position),
        at=frozen_ints(at),
        span=frozen_longs(np.concatenate(([0], np.cumsum(count)))),
        hosts=frozen_ints(np.zeros(workload.jobs, np.int32)),
        allowed=_read_only(np.ones((1, cluster.hosts), np.bool_)),
        whole=_read_only(np.ones(1, np.bool_)),
        uses=frozen_longs(np.zeros(workload.jobs + 1, np.int64)),
        use_limit=frozen_ints(np.zeros(0, np.int32)),
        use_amount=frozen_floats(np.zeros(0)),
    )


def _positions(workload: Workload, cluster: Cluster, discipline: Discipline, project: Ints) -> tuple[Ints, Ints]:
    """int32[J] each: where every job stands in an order that never changes, and who stands there."""
    number = np.arange(workload.jobs, dtype=np.int32)
    if by_arrival(discipline):
        return number, number
    order = discipline.order
    if (isinstance(order, Order) and order.moves) or is_told(order):
        return number, number
    at = np.lexsort((number, project if not isinstance(order, Order) else _ranks(order, workload))).astype(np.int32)
    position = np.empty_like(at)
    position[at] = number
    return position, at


def columns_of(workload: Workload, bound: Bound | None, *, moving: bool) -> JobColumns:
    """The columns of every row that orders look at; none where ranks never move."""
    columns = job_columns(workload)
    if not moving:
        return _writable(JobColumns._make(column[:0] for column in columns))
    return _writable(columns if bound is None else JobColumns._make(column[bound.row.owner] for column in columns))


def _writable(columns: JobColumns) -> JobColumns:
    """The columns that orders look at, as rankers take them: arrays that may be written to."""
    return JobColumns._make(np.array(column) for column in columns)


def _ranks(order: Order, workload: Workload) -> Floats:
    """float64[J]: ranks that never change."""
    ranks = np.zeros(workload.jobs)
    with refusing_order(order.name):
        wrong = ranker(order)(_writable(job_columns(workload)), np.zeros(0, np.int32), workload.jobs, 0.0, ranks)
    if wrong:
        raise rank_not_finite(order.name)
    return ranks


def often(jobs: Jobs) -> Floats:
    """How many tasks ask for each demand, float64[K]."""
    return np.bincount(jobs.kind, jobs.tasks, jobs.demand.shape[0]).astype(np.float64)


def _rules(
    jobs: Jobs, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, interval_s: float, seed: int
) -> Rules:
    members = members_of(policy)
    walk = walk_of(discipline)
    assert cluster.speed is not None
    return Rules(
        interval_s=float(interval_s),
        backfilling=walk.kind,
        members=len(members),
        reservations=walk.reservations,
        lookahead=walk.lookahead,
        varies=sum(1 << m for m, member in enumerate(members) if never_remembered(member)),
        target=TARGETS[policy.target] if isinstance(policy, MaxJobs) else 0,
        seed=int(seed),
        moving=_moves(discipline.order),
        ticked=is_ticked(discipline.order),
        told=is_told(discipline.order),
        pruned=isinstance(policy, MaxJobs) and not policy.log_ties,
        several_speeds=bool((cluster.speed != cluster.speed[0]).any()),
        everywhere=bool(jobs.whole.all()),
        limited=bool(jobs.use_limit.size),
    )


def _moves(order: AnyOrder) -> bool:
    """Whether ranks change at every pass."""
    return order.moves if isinstance(order, Order) else is_told(order) and not is_ticked(order)


def _state(
    jobs: Jobs, cluster: Cluster, discipline: Discipline, waiting: Waiting, guess: Guess, *, meta: bool
) -> State:
    total, hosts, kinds = jobs.submit_s.shape[0], cluster.hosts, jobs.demand.shape[0]
    projects, resources = len(jobs.span) - 1, cluster.capacity.shape[1]
    room = _startable(jobs, cluster)
    assert cluster.speed is not None
    return State(
        free=np.array(cluster.capacity),
        speed=frozen_floats(cluster.speed),
        fastest=frozen_floats([cluster.speed[row].max(initial=0.0) or 1.0 for row in jobs.allowed]),
        open=np.ones(hosts, np.bool_),
        usable=np.ones(hosts, np.bool_),
        closed=np.zeros(hosts, np.int32),
        used=np.zeros(projects),
        share=_shares(discipline, projects),
        cursor=np.zeros(len(waiting.span) - 1, np.int64),
        left=np.zeros(1),
        end_s=np.zeros(total),
        ending=np.zeros(total, np.int32),
        failed=np.zeros((2, len(jobs.allowed), kinds), np.int64),
        failed_tasks=np.zeros((2, len(jobs.allowed), kinds), np.int32),
        pareto=np.zeros((2, PARETO, resources + 2)),
        paretos=np.zeros(2, np.int64),
        left_free=np.zeros(2 * hosts),
        holder=np.zeros(2 * hosts, np.int32),
        undo_host=np.zeros(room, np.int32),
        undo_free=np.zeros((room, resources)),
        plan_job=np.zeros((2, room), np.int32),
        plan_host=np.zeros((1, room if meta else 1), np.int32),
        plan_task=np.zeros(room, np.int64),
        tally=np.array([0, 0, 0, -1, *[0] * 8], np.int64),
        guess=guess,
    )


def _nobody_waits(jobs: Jobs, *, ticked: bool) -> Waiting:
    rows = len(jobs.kind)
    total = positions(rows) if ticked else rows
    low, mid, top = (np.full((max(1, -(-total // FAN**level)), 2, LANES), np.inf) for level in (1, 2, 3))
    here = np.zeros(total, np.bool_)
    if ticked:
        nowhere, nobody = np.full(rows, -1, np.int32), np.zeros(total, np.int32)
        return Waiting(here, low, mid, top, nowhere, nobody, np.zeros(3, np.int64), np.zeros(rows))
    return Waiting(here, low, mid, top, np.array(jobs.position), np.array(jobs.at), np.array(jobs.span), np.zeros(0))


def _ranked(jobs: int, happened: Happened) -> Ranked:
    return Ranked(
        queue=np.zeros(jobs, np.int32),
        where=np.zeros(jobs, np.int32),
        cores=np.zeros(jobs),
        memory=np.zeros(jobs),
        expected_s=np.zeros(jobs),
        rank=np.zeros(jobs),
        key=np.zeros(jobs),
        job=np.zeros(jobs, np.int32),
        bound=np.zeros(1),
        sample=np.zeros(KEPT),
        number=np.zeros(5, np.int64),
        happened=happened,
    )


def _stairs(cluster: Cluster) -> Stairs:
    steps = 2 + int(min(MOST_STEPS, cluster.capacity[:, 0].max()))
    most = np.full(2, cluster.capacity[:, 0].max())
    memory = cluster.capacity[:, 1].max() if cluster.capacity.shape[1] > 1 else 0.0
    fewest = np.concatenate(([0], 2 ** np.arange(LANES - 1)))
    lane = np.tile(np.where(fewest <= most[0], memory, -1.0), (2, 1))
    return Stairs(most, np.full((2, steps), memory), lane, np.full(2, -1, np.int64))


def _moment(cluster: Cluster, room: int) -> Moment:
    hosts, resources = cluster.capacity.shape
    return Moment(
        then=np.zeros((hosts, resources)),
        then_at=np.zeros(hosts, np.int64),
        held=np.zeros(hosts, np.int64),
        touched=np.zeros(hosts, np.int32),
        number=np.array([-1, 0, 0], np.int64),
        shadow_s=np.full(1, np.inf),
        fastest=np.full(1, 1.0 if cluster.speed is None else cluster.speed.max()),
        end_s=np.zeros(room),
        ending=np.zeros(room, np.int32),
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
