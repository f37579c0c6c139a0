"""Lays out the state of the general pass: the whole log as one snapshot, of which a pass sees the waiting rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from loadmaster.backfilling import Blocking, Slurm
from loadmaster.backfilling.conservative_kernel import serve_conservative
from loadmaster.backfilling.easy_kernel import serve_easy
from loadmaster.backfilling.pass_arrays import END, STANDING, USE, PromiseArrays, RowArrays
from loadmaster.backfilling.slurm_kernel import serve_slurm
from loadmaster.compiled_rules.policies import never_remembered
from loadmaster.host_index.scores_kernel import empty_scores
from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Longs
from loadmaster.model.cards import host_cards
from loadmaster.model.snapshot import Need, Queue, Running, Snapshot
from loadmaster.order import ORDERS, FairShare, Order
from loadmaster.place import POLICIES
from loadmaster.scheduling import AnyPolicy, Discipline, members_of
from loadmaster.scheduling.compiled_decide import CompiledRule, counts_hosts, rule_of
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints, is_one_pool
from loadmaster.scheduling.slurm_snapshot import slurm_arrays
from loadmaster.scheduling.snapshot_arrays import SnapshotArrays, ends_on, table
from loadmaster.sim.queue.capabilities import by_arrival, tracks_events_of
from loadmaster.sim.queue.engine import backfilling_passes_kernel
from loadmaster.sim.queue.engine.card_arrays import demand_on_cards, hosts_on_cards, pass_cards
from loadmaster.sim.queue.engine.constraint_arrays import open_rows
from loadmaster.sim.queue.engine.constraint_state import ConstraintState
from loadmaster.sim.queue.engine.general_state import EVENT, GeneralPass, SlurmTimers, WaitingOrder
from loadmaster.sim.queue.engine.queue_engine import QueueEngine
from loadmaster.sim.queue.engine.runtime_limits import RuntimeLimits
from loadmaster.sim.queue.engine.state import Jobs
from loadmaster.sim.queue.engine.work_limits import WorkCounts, work_of

FEW_STEPS = 4096
"""Running tasks whose ends a plan can hold at first."""


def pass_function(rule: CompiledRule) -> Callable[..., None]:
    """The function that the engine calls for each pass: of a kernel `serve_NAME` it is `pass_NAME`."""
    if rule.entry is serve_easy and rule.shadow_times and rule.promise != "hosts":
        return backfilling_passes_kernel.pass_easy_by_moments
    return getattr(backfilling_passes_kernel, rule.entry.__name__.replace("serve_", "pass_"))  # type: ignore[no-any-return]


def alone_of(rule: CompiledRule) -> Callable[..., None]:
    """The function for a pass with one row.

    With one row all backfillings act as `none`, except those that look at clocks or plans.
    """
    own = rule.entry in (serve_conservative, serve_slurm)
    return pass_function(rule) if own else backfilling_passes_kernel.pass_none


def snapshot_arrays_of(
    workload: Workload,
    cluster: Cluster,
    binding: ResolvedConstraints,
    discipline: Discipline,
    seed: int,
    *,
    bound: bool,
) -> SnapshotArrays:
    """All rows of the log, as if they all waited on an empty cluster; `bound`: `binding` binds some."""
    rows = open_rows(binding)
    jobs = binding.entries.job[rows]
    closures = (*binding.calendar.foreseen, *binding.calendar.failures)
    columns, given = dict[str, Any](), dict[str, Any]()
    hosts, demand, cards = cluster, workload.demand, host_cards(workload, cluster)
    if cards is not None:
        hosts, demand = hosts_on_cards(cluster, cards), demand_on_cards(demand, cards)
    if bound:
        columns = binding.columns(rows)
        given = {
            "allowed": binding.entries.allowed,
            "closures": closures,
            "partitions": binding.partition_hosts,
            "limits_stop": binding.rules.limits_stop,
            "cluster_wide": binding.cluster_wide,
            "cluster_wide_changes": binding.cluster_wide_changes,
        }
    queue = Queue(
        jobs,
        demand[jobs],
        workload.task_count[jobs],
        workload.expected_s[jobs],
        workload.projects[jobs],
        _task_number(workload)[jobs],
        eligible_s=binding.eligible_s[jobs],
        user=None if workload.user is None else workload.user[jobs],
        **columns,
    )
    none = np.zeros(0, np.int64)
    nowhere = none.astype(np.int32)
    nobody = Running(none, nowhere, np.zeros((0, demand.shape[1])), np.zeros(0), nowhere)
    return SnapshotArrays.of(
        Snapshot(
            -np.inf,
            hosts,
            hosts.capacity.copy(),
            queue,
            nobody,
            -1,
            seed,
            early_end=True,
            need=_groups(workload, discipline, jobs),
            left=binding.most,
            as_pool=is_one_pool(workload, cluster, binding if bound else None),
            **given,
        )
    )


def _task_number(workload: Workload) -> Longs:
    """int64: the number of the first task of each job, as policies see it."""
    state = workload.starting
    return workload.first_task if state is None or state.first_task is None else state.first_task


def rule_for(scene: SnapshotArrays, discipline: Discipline) -> CompiledRule | None:
    """The compiled form of the discipline; None if only a plain engine serves the discipline or the log."""
    return rule_of(discipline.backfilling, scene.snapshot)


def general_pass_of(
    scene: SnapshotArrays,
    rule: CompiledRule,
    binding: ResolvedConstraints,
    discipline: Discipline,
    policy: AnyPolicy,
    given: QueueEngine,
    bound: ConstraintState,
    runtime_limits: RuntimeLimits,
) -> GeneralPass:
    """The state of the general pass at the beginning of a run."""
    order, members, jobs = discipline.order, members_of(policy), given.jobs
    number, many, room = len(bound.job) - 1, len(jobs.kind), len(given.state.undo_host)
    cards = pass_cards(scene, given.state.cards)
    most_cards = 0 if cards is None else len(cards.cost)
    cards_of_ends = None if cards is None else np.zeros(room, np.int64)
    owner = np.array(bound.row.owner, np.int32)
    often = np.bincount(scene.rows.of["kind"], scene.rows.of["tasks"], len(scene.rows.demand)).astype(np.float64)
    tracks_events, work = tracks_events_of(order), work_of(binding, open_rows(binding))
    moves = isinstance(order, Order) and (
        order.moves or (runtime_limits.estimates.predicts and not by_arrival(discipline))
    )
    # Between two looks of the order a job comes, starts, is sent back (two events) and becomes eligible, at most;
    # `record_event` checks. Running tasks are at most `room`, which `_would_overflow` checks.
    return GeneralPass(
        rows=_rows(scene, jobs, work),
        hosts=scene.hosts,
        ends=ends_on(len(scene.hosts.speed), table(END, room), 0)._replace(cards=cards_of_ends),
        calendar=scene.calendar,
        room=scene.room()._replace(free=given.state.free),
        this_pass=scene.this_pass()._replace(order=np.zeros(many, np.int32)),
        standing=_earlier_promises(scene, many),
        shadow_times=scene.shadow_times(most_cards),
        availability=scene.availability(steps_of(scene, room), most_cards),
        cluster_wide=scene.cluster_wide(steps_of(scene, room), room),
        cards=cards,
        scores=empty_scores(scene.snapshot.cluster.kinds, scene.rows.demand, often, len(members)),
        now=scene.now(varies=False, as_pool=counts_hosts(scene.snapshot, rule)),
        varies=sum(1 << m for m, member in enumerate(members) if never_remembered(member)),
        first_fit=sum(1 << m for m, member in enumerate(members) if member is POLICIES["first-fit"]),
        line=_line(jobs, bound, moves=moves or tracks_events),
        owner=owner,
        runs=np.zeros(room, np.int32),
        expected_end_s=np.full(number, np.nan),
        started_as=np.zeros(number, np.int32),
        slowest_speed=np.ones(number),
        began_s=np.zeros(number),
        estimates=runtime_limits.estimates,
        runtime_s=runtime_limits.runtime_s,
        teaches=runtime_limits.teaches,
        row_expected_s=np.array(given.jobs.expected_s),
        kept_in=np.zeros(many, np.int64),
        work=work,
        seen=np.zeros(number, np.bool_),
        order_events=table(EVENT, 5 * number if tracks_events else 0),
        asked=np.zeros(many, np.int32),
        numbers=_numbers(rule),
        table=rule.table(),
        moves=moves,
        tracks_events=tracks_events,
        keeps=rule.keeps,
        slurm=slurm_arrays(rule.slurm or Slurm(bf_max_job_test=1), scene, room if rule.slurm else 0, room, most_cards),
        loops=_loops(rule.slurm or Slurm()),
        clock=np.array([-np.inf, np.inf, np.inf, np.inf]),
        looped=rule.slurm is not None,
        tally=np.zeros(16, np.int64),
    )


def steps_of(scene: SnapshotArrays, room: int) -> int:
    """How many steps a plan can hold at first."""
    return len(scene.hosts.speed) + min(room, FEW_STEPS) + 64


def with_more_steps(general: GeneralPass, scene: SnapshotArrays) -> GeneralPass:
    """The same pass with room for twice as many steps."""
    steps, wide, cards = 2 * len(general.availability.step), general.cluster_wide, general.cards
    return general._replace(
        availability=scene.availability(steps, 0 if cards is None else len(cards.cost)),
        cluster_wide=None if wide is None else scene.cluster_wide(steps, len(wide.end_s)),
    )


def over_blocking(discipline: Discipline) -> Discipline:
    """The discipline as the rest of the engine sees it: no backfilling, and no order that tracks events."""
    return Discipline(ORDERS["fcfs"] if tracks_events_of(discipline.order) else discipline.order, Blocking())


def _groups(workload: Workload, discipline: Discipline, jobs: np.ndarray) -> Need | None:
    order = discipline.order
    if not isinstance(order, FairShare):
        return None
    projects = 1 + int(workload.projects.max(initial=0))
    return Need(workload.projects[jobs], np.zeros(projects), order.share_of(projects))


def _rows(scene: SnapshotArrays, jobs: Jobs, work: WorkCounts) -> RowArrays:
    """The rows with their uses of limits; those of work stand behind those of running jobs."""
    assert scene.snapshot.left is not None
    of, rows, behind = scene.rows.of.copy(), scene.rows, len(scene.snapshot.left) - len(work.most)
    counted, worked = np.diff(jobs.uses), np.diff(work.first)
    of["uses"] = counted + worked
    of["first_use"] = np.cumsum(of["uses"]) - of["uses"]
    owner = np.concatenate((np.repeat(np.arange(len(of)), counted), np.repeat(np.arange(len(of)), worked)))
    together = np.argsort(owner, kind="stable")
    limit, amount = np.append(jobs.use_limit, work.limit + behind), np.append(jobs.use_amount, work.need)
    return RowArrays(of, table(USE, len(limit), limit=limit[together], amount=amount[together]), rows.demand)


def _earlier_promises(scene: SnapshotArrays, many: int) -> PromiseArrays:
    return PromiseArrays(np.zeros(many, np.int32), table(STANDING, many), np.zeros(scene.tasks, np.int32))


def _line(jobs: Jobs, bound: ConstraintState, *, moves: bool) -> WaitingOrder:
    many = len(jobs.kind)
    tier = np.array(bound.row.tier, np.int32) if moves else np.zeros(many, np.int32)
    return WaitingOrder(np.zeros(many, np.bool_), tier, np.array(jobs.position, np.float64), np.zeros(many, np.int32))


def _loops(rule: Slurm) -> SlurmTimers:
    return SlurmTimers(
        float(rule.batch_sched_delay),
        rule.sched_min_interval // 1000 / 1000,
        np.inf if rule.sched_interval is None else float(rule.sched_interval),
        np.inf if rule.bf_interval is None else float(rule.bf_interval),
        rule.default_queue_depth + 1,
        rule.defer,
    )


def _numbers(rule: CompiledRule) -> np.ndarray:
    numbers = np.zeros(4)
    numbers[: len(rule.numbers)] = rule.numbers
    return numbers
