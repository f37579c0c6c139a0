"""One door to the engines: picks the compiled one for a policy and a discipline, or the plain one on request."""

from dataclasses import replace
from typing import Literal

import numpy as np

from loadmaster.backfilling import Easy
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.constraints import STATUSES
from loadmaster.model.job_succession import is_closed, refuse_closed
from loadmaster.order import job_columns
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler, members_of
from loadmaster.scheduling.estimate_model import USERS, EstimateModel
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.sim.queue.card_runs import is_on_cards, refuse_beside_cards, serves_cards
from loadmaster.sim.queue.constrained_door import Progress, serves_bound, serves_general, simulate_bound
from loadmaster.sim.queue.engine_cost import (
    MANY_JOBS,
    is_cheaper_than_a_kept_plan,
)
from loadmaster.sim.queue.look_ahead import looking_ahead
from loadmaster.sim.queue.reference import replay, replay_deciding
from loadmaster.sim.queue.unit_speed import common_speed, in_one_speed

Engine = Literal["auto", "compiled", "planning", "reference"]
_TIMEOUT = STATUSES.index("timeout")


def simulate(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float = 0.0,
    seed: int = 0,
    engine: Engine = "auto",
    progress: Progress | None = None,
    estimate_model: EstimateModel = USERS,
) -> Schedule:
    """Replay `workload` on `cluster` and return who started when and where.

    Args:
        workload: jobs; its resources must be the cluster's, in the same order.
        cluster: the hosts.
        policy: rates hosts, or a meta-rule over several.
        discipline: the order in which the queue is served.
        interval_s: seconds between scheduling cycles; 0 decides at every event.
        seed: for policies that draw.
        engine: `reference` for the plain Python engine, `compiled` for the general compiled one, `planning` for
            conservative backfilling; all agree, and one that cannot serve gives way. Subclasses of policies, orders
            and backfillings have the plain one only, which calls their own methods, and so have jobs that constraints
            bind in a way that no function `serves_...` of `constrained_door` names.
        progress: called with the number the progress of long runs.
        estimate_model: what the discipline may count on, and whether limits kill. Estimates that are corrected, or made
        as
            jobs arrive, are compiled on hosts of speed 1 only, and not for conservative backfilling.

    Raises:
        InputError: jobs and hosts name different resources, a policy or an order of one's own is not sound, the log
            does not say what `estimate_model` needs, or when its jobs arrive (`simulate_lived` serves that).
    """
    check_rules(workload, cluster, policy, discipline)
    refuse_closed(workload)
    bound = binds(workload, cluster)
    estimate_model = estimate_model.under(discipline, workload, bound=bound)
    scheduler = Scheduler(policy, looking_ahead(discipline, plainly=engine == "reference"))
    if workload.starting is not None and not estimate_model.is_fixed:
        engine = "reference"  # compiled engines correct no estimate of a job that runs as they begin
    if is_on_cards(workload, cluster) and not serves_cards(workload, policy, discipline):
        engine = "reference"
    if bound and engine in ("auto", "compiled"):
        few = engine == "auto"
        schedule = simulate_bound(workload, cluster, scheduler, interval_s, seed, progress, estimate_model, few=few)
        if schedule is not None:
            return schedule
    if engine != "reference" and not bound:
        if _is_told_before(estimate_model, cluster, discipline):
            return _foretold(workload, cluster, scheduler, interval_s, seed, engine, progress, estimate_model)
        if _estimates(estimate_model, cluster, policy, discipline):
            return _guessed(workload, cluster, scheduler, interval_s, seed, progress, estimate_model)
    replayed = replay if engine == "reference" else replay_deciding
    return replayed(
        workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress, estimate_model=estimate_model
    )


def check_rules(workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline) -> None:
    """See that jobs and hosts name the same resources, that some engine serves them, and that rules are sound.

    Raises:
        InputError: they do not, none does, or a rule of the user's own is not.
    """
    from loadmaster.compiled_rules.orders import check_order
    from loadmaster.compiled_rules.policies import check_policy

    workload.check_resources(cluster)
    for member in members_of(policy):
        check_policy(member, workload.demand, cluster.capacity, cluster.resources)
    check_order(discipline.order, job_columns(workload))
    refuse_beside_cards(workload, cluster, discipline)


def _foretold(
    workload: Workload,
    cluster: Cluster,
    scheduler: Scheduler,
    interval_s: float,
    seed: int,
    engine: Engine,
    progress: Progress | None,
    estimate_model: EstimateModel,
) -> Schedule:
    """A run without constraints of which all that is expected, and all that limits cut, is known before."""
    estimated = estimate_model.estimated(workload)
    quick, alike, one_speed = in_one_speed(estimated, cluster, scheduler.discipline)
    quick, killed = _cut(quick, estimate_model.killed_after_s(workload))
    schedule = _unbound(quick, alike, one_speed, scheduler, interval_s, seed, engine, progress)
    if estimate_model != USERS:
        schedule = replace(schedule, expected_s=estimated.expected_s)
    if killed.any():
        schedule = replace(schedule, status=np.where(killed & schedule.started, _TIMEOUT, -1).astype(np.int32))
    if schedule.end_s is not None or (one_speed and quick is estimated):
        return schedule
    end_s = schedule.start_s + quick.runtime_s if one_speed else _ends(estimated, cluster, schedule)
    return replace(schedule, end_s=end_s)


def _estimates(estimate_model: EstimateModel, cluster: Cluster, policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether a compiled engine predicts and corrects while it runs."""
    from loadmaster.sim.queue import capabilities as served
    from loadmaster.sim.queue.capabilities import tracks_events_of
    from loadmaster.sim.queue.engine.estimates import serves_corrections

    known = served.serves(policy, discipline) and not tracks_events_of(discipline.order)
    return known and serves_corrections(estimate_model, cluster, discipline)


def _guessed(
    workload: Workload,
    cluster: Cluster,
    scheduler: Scheduler,
    interval_s: float,
    seed: int,
    progress: Progress | None,
    estimate_model: EstimateModel,
) -> Schedule:
    """A compiled run on hosts of speed 1 in which estimates are made or corrected."""
    from loadmaster.sim.queue.engine.estimates import estimates_of
    from loadmaster.sim.queue.engine.replay import replay_compiled

    estimated = estimate_model.estimated(workload)
    expected_s = np.array(estimated.expected_s)
    cut, killed = _cut(estimated.expecting(expected_s), estimate_model.killed_after_s(workload))
    schedule = replay_compiled(
        cut,
        cluster,
        scheduler,
        interval_s=interval_s,
        seed=seed,
        progress=progress,
        estimates=estimates_of(
            workload, expected_s, estimate_model, ends_count=type(scheduler.discipline.backfilling) is Easy
        ),
    )
    schedule = replace(schedule, expected_s=expected_s)
    if not killed.any():
        return schedule
    status = np.where(killed & schedule.started, _TIMEOUT, -1).astype(np.int32)
    return replace(schedule, status=status, end_s=schedule.start_s + cut.runtime_s)


def _is_told_before(estimate_model: EstimateModel, cluster: Cluster, discipline: Discipline) -> bool:
    """Whether all that is expected, and all that limits cut, is known before the run: for compiled engines."""
    speed = common_speed(cluster, discipline)
    return estimate_model.is_fixed and not (speed is None and estimate_model.overrun == "kill")


def _cut(quick: Workload, kill_s: Floats | None) -> tuple[Workload, Bools]:
    """The jobs on hosts of speed 1 with runtimes up to their limits, and bool[J] which of them those kill."""
    killed = np.zeros(quick.jobs, bool) if kill_s is None else np.asarray(quick.runtime_s > kill_s)
    if kill_s is None or not killed.any():
        return quick, killed
    return replace(quick, runtime_s=np.where(killed, kill_s, quick.runtime_s)), killed


def _unbound(
    workload: Workload,
    cluster: Cluster,
    one_speed: bool,
    scheduler: Scheduler,
    interval_s: float,
    seed: int,
    engine: Engine,
    progress: Progress | None,
) -> Schedule:
    """A run without constraints, on the quickest engine that knows all of it."""
    policy, discipline = scheduler.policy, scheduler.discipline
    from loadmaster.sim.queue import capabilities as served
    from loadmaster.sim.queue.engine import general_replay
    from loadmaster.sim.queue.engine import replay as compiled
    from loadmaster.sim.queue.engine.profile import layout as profile

    known = served.serves(policy, discipline) or served.serves_twin(policy, discipline)
    if engine in ("auto", "compiled") and known:
        return compiled.replay_compiled(
            workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress
        )
    beside = engine in ("auto", "planning") and one_speed and profile.serves(workload, cluster, policy, discipline)
    if beside and not (engine == "auto" and is_cheaper_than_a_kept_plan(workload, cluster, discipline)):
        return compiled.replay_compiled(
            workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress
        )
    many = engine == "compiled" or (engine == "auto" and workload.jobs >= MANY_JOBS)
    if many and general_replay.serves(policy, discipline):
        schedule = general_replay.replay_general(
            workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress
        )
        if schedule is not None:
            return schedule
    return replay_deciding(workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress)


def _ends(workload: Workload, cluster: Cluster, schedule: Schedule) -> Floats:
    """float64[J]: when every job ends, at the speed of its slowest host."""
    assert cluster.speed is not None
    slowest_speed = np.where(schedule.host >= 0, cluster.speed[schedule.host], 1.0)
    slowest = np.minimum.reduceat(slowest_speed, workload.first_task[:-1]) if len(slowest_speed) else slowest_speed
    return np.asarray(schedule.start_s + workload.runtime_s / slowest)


def is_compiled(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    estimate_model: EstimateModel = USERS,
) -> bool:
    """Whether a compiled engine knows all of these; else the plain one runs, hundreds of times slower.

    A subclass is a rule of the user's own: only the plain engine asks it, so it is never taken for its parent.

    Args:
        workload: the jobs.
        cluster: the hosts.
        policy: rates them.
        discipline: serves the queue.
        estimate_model: what it may count on.
    """
    from loadmaster.sim.queue import capabilities as served

    if is_closed(workload) or (is_on_cards(workload, cluster) and not serves_cards(workload, policy, discipline)):
        return False
    estimate_model = estimate_model.under(discipline, workload, bound=binds(workload, cluster))
    if workload.starting is not None and not estimate_model.is_fixed:
        return False
    if binds(workload, cluster):
        rule = cluster, policy, discipline, estimate_model
        return serves_bound(workload, *rule) or (serves_general(*rule) and not is_on_cards(workload, cluster))
    if not _is_told_before(estimate_model, cluster, discipline):
        return _estimates(estimate_model, cluster, policy, discipline)
    if served.serves(policy, discipline) or served.serves_twin(policy, discipline):
        return True
    from loadmaster.sim.queue.engine import general_replay
    from loadmaster.sim.queue.engine.profile import layout as profile

    through_pass = workload.jobs >= MANY_JOBS and general_replay.serves(policy, discipline)
    return through_pass or profile.knows(policy, discipline)
