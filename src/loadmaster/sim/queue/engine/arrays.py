"""Lays out the arrays of the compiled engine from a log, a cluster and their rules."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadmaster.compiled_rules.orders import ranks_of
from loadmaster.compiled_rules.policies import is_built_in, never_remembered
from loadmaster.host_index.core_rows_kernel import (
    BEST_CORES,
    BEST_MEMORY,
    RATED,
    WORSE_CORES,
    WORSE_MEMORY,
    empty_rows,
)
from loadmaster.host_index.scores_kernel import Scores, empty_scores
from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Ints, frozen_bools, frozen_floats, frozen_ints, frozen_longs
from loadmaster.model.cards import host_cards
from loadmaster.model.distinct_rows import distinct_rows
from loadmaster.order import AnyOrder, FairShare, JobColumns, Order, job_columns
from loadmaster.place import POLICIES, Policy
from loadmaster.scheduling import Discipline, Twin, members_of
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints, only_amounts_bind
from loadmaster.scheduling.twin import ByColumns
from loadmaster.sim.queue.capabilities import (
    BackfillingKind,
    backfilling_kind_of,
    by_arrival,
    is_ticked,
    meta_rule_kind_of,
    tracks_events_of,
)
from loadmaster.sim.queue.engine.card_arrays import hosts_on_cards, jobs_on_cards, state_on_cards
from loadmaster.sim.queue.engine.cluster_amounts_state import amounts_of
from loadmaster.sim.queue.engine.constraint_arrays import bound_of, open_rows, rows_of
from loadmaster.sim.queue.engine.constraint_state import ConstraintState
from loadmaster.sim.queue.engine.cycle_ends_kernel import CycleEnds, empty_cycle_ends
from loadmaster.sim.queue.engine.estimates import no_estimates
from loadmaster.sim.queue.engine.estimates_kernel import Estimates
from loadmaster.sim.queue.engine.expected_ends_kernel import empty_ends
from loadmaster.sim.queue.engine.host_pool import no_pool, on_one_host, pool_of, scores_all_alike
from loadmaster.sim.queue.engine.initial_state import (
    empty_queue,
    empty_ranked_queue,
    empty_state,
    full_frontier,
    no_moment,
    startable,
)
from loadmaster.sim.queue.engine.priority_ticks import book_of, empty_events
from loadmaster.sim.queue.engine.queue_engine import QueueEngine
from loadmaster.sim.queue.engine.records import Records
from loadmaster.sim.queue.engine.starting_state import begin, runs_of_start
from loadmaster.sim.queue.engine.state import BLOCKING, EASY, WALK, Jobs, Log, QueueRules
from loadmaster.sim.queue.queue_run import QueueRun

MOST_HOSTS_IN_ROWS, MOST_ROWS = 8192, 129
"""Rows of hosts serve no more hosts, as long rows are slow to read, and hosts of fewer cores than rows."""
_ROW_RULES = {BEST_CORES: (0, 1.0), WORSE_CORES: (0, -1.0), BEST_MEMORY: (-1, 1.0), WORSE_MEMORY: (-1, -1.0)}
"""The amount by which each rule of rows rates hosts, and its sign."""
TRIED_HOSTS = 64
"""Hosts on which a policy is compared with the rules of rows."""
MOST_CYCLES = 2.0**20
"""The most cycles that a job may run where ends stand by cycle: 4 MB."""


def engine_arrays(
    run: QueueRun,
    records: Records,
    binding: ResolvedConstraints | None = None,
    *,
    news: bool = False,
    estimates: Estimates | None = None,
    pooled: bool = True,
) -> tuple[QueueEngine, ConstraintState | None]:
    """The engine at the beginning of a run, and what binds its jobs.

    Args:
        run: the jobs, the hosts, the rules; of estimates it is asked nothing.
        records: take what happens.
        binding: what binds the jobs; None: nothing.
        news: ends of jobs are noted.
        estimates: what is expected of jobs, where that is not known before.
        pooled: hosts that a count describes are one host to the engine.
    """
    workload, cluster, policy, discipline = run.workload, run.cluster, run.policy, run.discipline
    runs, cards = runs_of_start(workload, cluster, binding), host_cards(workload, cluster)
    jobs, bound, pool, host = jobs_of(workload, cluster, discipline), None, None, records.host
    if binding is not None:
        jobs = rows_of(jobs, binding)
        if news or not only_amounts_bind(workload, cluster, binding):
            bound = bound_of(workload, cluster, binding, jobs, news=news)
    if bound is None and pooled and cards is None:
        pool = pool_of(jobs, cluster, policy, discipline, records.host)
    rules = _rules(jobs, run, counted=pool is not None)
    if workload.starting is not None:
        rules = rules._replace(begins_s=float(workload.starting.now_s))
    hosts = cluster  # orders still see the real cluster
    if pool is not None:
        host = np.full(workload.jobs, -1, np.int32)
        jobs, hosts = on_one_host(jobs, pool)
    if cards is not None:
        hosts = hosts_on_cards(cluster, cards)
        jobs = jobs_on_cards(jobs, hosts, cards)
    if estimates is not None or bound is not None:
        rules = rules._replace(keeps=False)
    if estimates is not None:
        rules = rules._replace(moving=rules.moving or _is_reordered_by_estimates(discipline))
    amounts = 0 if binding is None or news else binding.cluster_wide  # news: the scheduling pass counts them
    waiting = empty_queue(jobs, ticked=rules.ticked, amounts=amounts)
    state = empty_state(
        jobs,
        hosts,
        discipline,
        waiting,
        estimates or no_estimates(),
        pool or no_pool(),
        meta=rules.members > 1,
        promises=rules.backfilling == EASY,
        in_order=(rules.first_fit | rules.next_fit) != 0 or int(jobs.tasks.max(initial=1)) > 1,
    )
    if cards is not None:
        state = state_on_cards(state, jobs, cards)
    if binding is not None:
        state = state._replace(left=binding.counters.most.copy())
        if amounts:
            state = state._replace(amounts=amounts_of(binding, open_rows(binding)))
    rows = len(jobs.kind)
    engine = QueueEngine(
        jobs,
        np.array(hosts.capacity),
        rules,
        state,
        waiting,
        empty_ranked_queue(rows if rules.moving or rules.ticked else 0, empty_events(discipline.order, rows)),
        full_frontier(hosts),
        no_moment(hosts, len(state.undo_host)),
        empty_ends(rows),
        empty_scores(hosts.kinds, jobs.demand, often(jobs), rules.members),
        Log(records.start_s, host, *records.buffers),
        columns_of(workload, None, moving=False),
        book_of(discipline.order, workload, cluster),
    )
    if runs is not None:
        begin(engine, runs, bound)
    if news:  # the scheduling pass makes all promises
        return _without_promises(engine), bound
    if estimates is None and state.cards is None and state.amounts is None and is_basic(rules, discipline):
        engine = _without_promises(engine)._replace(ranked=None)
        free = bound is None and pool is None and cards is None  # nothing limits which hosts a job may use
        by_cycle = free and runs is None and not rules.limited
        state = engine.state._replace(cycle_ends=_cycle_ends(jobs, hosts, rules.interval_s if by_cycle else 0.0))
        scores = _in_rows(engine.scores, jobs, hosts, rules, members_of(policy) if free else ())
        engine = engine._replace(state=state, scores=scores)
    return engine, bound


def _in_rows(scores: Scores, jobs: Jobs, hosts: Cluster, rules: QueueRules, members: Sequence[Policy]) -> Scores:
    """The scores with rows of hosts for those of the members that rows know, where they serve the run."""
    amounts = hosts.capacity.shape[1]
    whole = all(bool((cores == np.floor(cores)).all()) for cores in (hosts.capacity[:, 0], jobs.demand[:, 0]))
    serves = amounts <= 2 and whole and not rules.several_speeds and rules.everywhere
    most_cores = int(hosts.capacity[:, 0].max(initial=0.0))
    serves = serves and hosts.hosts <= MOST_HOSTS_IN_ROWS and most_cores < MOST_ROWS
    rule = [row_rule(member, amounts) for member in members] if serves and members else [RATED] * rules.members
    return scores._replace(rows=empty_rows(rule, hosts.hosts, most_cores, len(scores.owner)))


@cache
def row_rule(policy: Policy, resources: int) -> int:
    """The rule of rows that rates hosts with so many resources as the policy does; `RATED` if there is none.

    The policy's own function says so, on random hosts: a change of its file changes the rule, or the policy is rated.
    """
    if not is_built_in(policy) or policy.contextual:
        return RATED
    hosts = np.sort(np.random.default_rng(1).uniform(1.0, 9.0, (TRIED_HOSTS, 3, resources)), axis=1)
    scores = [policy.score(demand, free, capacity) for demand, free, capacity in hosts]
    for rule, (amount, sign) in _ROW_RULES.items():
        if scores == [sign * free[amount] for _, free, _ in hosts]:
            return rule
    return RATED


def _cycle_ends(jobs: Jobs, hosts: Cluster, interval_s: float) -> CycleEnds:
    """No ends yet, by cycle if `interval_s` is given and no job runs too many cycles."""
    assert hosts.speed is not None
    longest = jobs.runtime_s.max(initial=0.0) / hosts.speed.min(initial=np.inf) / interval_s if interval_s else np.inf
    return empty_cycle_ends(longest if longest < MOST_CYCLES else 0.0, startable(jobs, hosts))


def is_basic(rules: QueueRules, discipline: Discipline) -> bool:
    """Whether no head of the queue is promised anything and ranks never change: fcfs and netbatch, mostly.

    Such a run, if nothing predicts its jobs, has its own engine. It is compiled in less time, since it lacks the parts
    for promises, moving ranks and estimates. Where cards, licences or power are counted it takes the engine of EASY,
    which is as fast: few runs count them, so they do not have two engines each.
    """
    changes = rules.moving or rules.ticked or rules.tracks_events or rules.shortest
    return rules.backfilling in (BLOCKING, WALK) and not changes and not isinstance(discipline, Twin)


def _without_promises(engine: QueueEngine) -> QueueEngine:
    """The engine without the parts that promise a start to the head of the queue, and without estimates."""
    state = engine.state._replace(estimates=None, running_by_host=None)
    return engine._replace(state=state, head_promise=None, ends=None)


def _is_reordered_by_estimates(discipline: Discipline) -> bool:
    """Whether corrected estimates may change the order of jobs, so that it is not known before they arrive."""
    return isinstance(discipline.order, Order) and not by_arrival(discipline)


def jobs_of(workload: Workload, cluster: Cluster, discipline: Discipline) -> Jobs:
    """The workload as kernels take it; projects count only under an order that uses them."""
    fair = type(discipline.order) is FairShare and workload.project is not None
    project = workload.projects if fair else np.zeros(workload.jobs, np.int32)
    demand, kind = distinct_rows(workload.demand)
    position, at = _positions(workload, discipline, project)
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
        smallest=frozen_bools((demand <= demand.min(axis=0, initial=np.inf)).all(axis=1)),
        holdable=frozen_bools((demand <= cluster.capacity.min(axis=0)).all(axis=1)),
        position=frozen_ints(position),
        at=frozen_ints(at),
        span=frozen_longs(np.concatenate(([0], np.cumsum(count)))),
        hosts=frozen_ints(np.zeros(workload.jobs, np.int32)),
        allowed=frozen_bools(np.ones((1, cluster.hosts), np.bool_)),
        whole=frozen_bools(np.ones(1, np.bool_)),
        uses=frozen_longs(np.zeros(workload.jobs + 1, np.int64)),
        use_limit=frozen_ints(np.zeros(0, np.int32)),
        use_amount=frozen_floats(np.zeros(0)),
    )


def _positions(workload: Workload, discipline: Discipline, project: Ints) -> tuple[Ints, Ints]:
    """int32[J] each: the position of each job in an order that never changes, and the job at each position."""
    number = np.arange(workload.jobs, dtype=np.int32)
    if by_arrival(discipline):
        return number, number
    order = discipline.order
    if (isinstance(order, Order) and order.moves) or tracks_events_of(order):
        return number, number
    key = ranks_of(order, job_columns(workload), 0.0) if isinstance(order, Order) else _narrow(project)
    at = np.argsort(key, kind="stable").astype(np.int32)
    position = np.empty_like(at)
    position[at] = number
    return position, at


def _narrow(numbers: Ints) -> NDArray[np.integer[Any]]:
    """The same numbers, from zero up, in 16 bits where they fit: NumPy sorts these by radix."""
    return numbers.astype(np.uint16) if numbers.max(initial=0) < 2**16 else numbers


def columns_of(workload: Workload, bound: ConstraintState | None, *, moving: bool) -> JobColumns:
    """The columns of each row that orders look at; empty where ranks never move."""
    if not moving:
        return JobColumns._make(np.zeros(0, kind) for kind in _COLUMN_TYPES)
    columns = job_columns(workload)
    return _writable(columns if bound is None else JobColumns._make(column[bound.row.owner] for column in columns))


_COLUMN_TYPES = [np.float64 if kind == Floats else np.int32 for kind in JobColumns.__annotations__.values()]


def _writable(columns: JobColumns) -> JobColumns:
    """The columns that orders look at, as writable arrays: compiled orders take only those."""
    return JobColumns._make(np.array(column) for column in columns)


def often(jobs: Jobs) -> Floats:
    """How many tasks request each demand, float64[K]."""
    return np.bincount(jobs.kind, jobs.tasks, jobs.demand.shape[0]).astype(np.float64)


def _rules(jobs: Jobs, run: QueueRun, *, counted: bool) -> QueueRules:
    cluster, policy, discipline = run.cluster, run.policy, run.discipline
    members, meta, walk = members_of(policy), meta_rule_kind_of(policy), backfilling_kind_of(discipline)
    assert cluster.speed is not None
    assert meta is not None
    return QueueRules(
        interval_s=float(run.interval_s),
        begins_s=-np.inf,
        backfilling=walk.kind,
        members=len(members),
        reservations=walk.reservations,
        lookahead=walk.lookahead,
        varies=sum(1 << m for m, member in enumerate(members) if never_remembered(member)),
        first_fit=sum(1 << m for m, member in enumerate(members) if counted or _is_first_fit(member, jobs, cluster)),
        next_fit=sum(1 << m for m, member in enumerate(members) if member is POLICIES["round-robin"]),
        target=meta.target,
        seed=int(run.seed),
        moving=_moves(discipline.order),
        ticked=is_ticked(discipline.order),
        tracks_events=tracks_events_of(discipline.order),
        shortest=walk.shortest,
        pruned=meta.pruned,
        several_speeds=bool((cluster.speed != cluster.speed[0]).any()),
        everywhere=bool(jobs.whole.all()),
        limited=bool(jobs.use_limit.size),
        keeps=_keeps(discipline, walk, cluster),
    )


def _is_first_fit(policy: Policy, jobs: Jobs, cluster: Cluster) -> bool:
    """Whether the policy always takes the first host that fits."""
    return policy is POLICIES["first-fit"] or scores_all_alike(policy, jobs, cluster)


def _keeps(discipline: Discipline, walk: BackfillingKind, cluster: Cluster) -> bool:
    """Whether a pass tells which jobs fail in the next one, in a run without constraints or estimate model."""
    order, speed = discipline.order, cluster.speed
    known = walk.kind == EASY or (walk.kind == WALK and walk.reservations == 0 and walk.lookahead < 0)
    one_speed = speed is None or bool((speed == speed[0]).all())
    return known and one_speed and type(order) is Order and not order.moves


def _moves(order: AnyOrder) -> bool:
    """Whether ranks change at every pass."""
    if isinstance(order, Order):
        return order.moves
    return type(order) is ByColumns or (tracks_events_of(order) and not is_ticked(order))
