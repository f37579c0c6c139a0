"""One door to the engines: picks the compiled one for a policy and a discipline, or the plain one on request."""

from dataclasses import replace
from typing import Literal

import numpy as np

from loadmaster.backfilling import Easy
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.constraints import STATUSES
from loadmaster.model.following import is_closed, refuse_closed
from loadmaster.order import job_columns
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler, members_of
from loadmaster.scheduling.estimate_model import USERS, Foresight
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.sim.queue.constrained_door import Progress, serves_at_desk, serves_bound, simulate_bound
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
    foresight: Foresight = USERS,
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
            bind in a way that no function `serves_...` of `bound_door` names.
        progress: told of the progress of long runs.
        foresight: what the discipline may count on, and whether limits kill. Estimates that are corrected, or made as
            jobs arrive, are compiled on hosts of speed 1 only, and not for conservative backfilling.

    Raises:
        InputError: jobs and hosts name different resources, a policy or an order of one's own is not sound, the log
            does not say what `foresight` needs, or when its jobs arrive (`simulate_lived` serves that).
    """
    check_rules(workload, cluster, policy, discipline)
    refuse_closed(workload)
    bound = binds(workload, cluster)
    foresight = foresight.under(discipline, workload, bound=bound)
    scheduler = Scheduler(policy, looking_ahead(discipline, plainly=engine == "reference"))
    if workload.starting is not None and not foresight.is_fixed:
        engine = "reference"  # compiled engines correct no estimate of a job that runs as they begin
    if bound and engine in ("auto", "compiled"):
        few = engine == "auto"
        schedule = simulate_bound(workload, cluster, scheduler, interval_s, seed, progress, foresight, few=few)
        if schedule is not None:
            return schedule
    if engine != "reference" and not bound:
        if _is_told_before(foresight, cluster, discipline):
            return _foretold(workload, cluster, scheduler, interval_s, seed, engine, progress, foresight)
        if _guesses(foresight, cluster, policy, discipline):
            return _guessed(workload, cluster, scheduler, interval_s, seed, progress, foresight)
    replayed = replay if engine == "reference" else replay_deciding
    return replayed(
        workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress, foresight=foresight
    )


def check_rules(workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline) -> None:
    """See that jobs and hosts name the same resources, and that rules of the user's own are sound.

    Raises:
        InputError: they do not, or one is not.
    """
    from loadmaster.compiled_rules.orders import check_order
    from loadmaster.compiled_rules.policies import check_policy

    workload.check_resources(cluster)
    for member in members_of(policy):
        check_policy(member, workload.demand, cluster.capacity, cluster.resources)
    check_order(discipline.order, job_columns(workload))


def _foretold(
    workload: Workload, cluster: Cluster, scheduler: Scheduler, interval_s: float, seed: int, engine: Engine,
    progress: Progress | None, foresight: Foresight,
) -> Schedule:  # fmt: skip
    """A run without constraints of which all that is expected, and all that limits cut, is known before."""
    told = foresight.told(workload)
    quick, alike, one_speed = in_one_speed(told, cluster, scheduler.discipline)
    quick, killed = _cut(quick, foresight.killed_after_s(workload))
    schedule = _unbound(quick, alike, one_speed, scheduler, interval_s, seed, engine, progress)
    if foresight != USERS:
        schedule = replace(schedule, expected_s=told.expected_s)
    if killed.any():
        schedule = replace(schedule, status=np.where(killed & schedule.started, _TIMEOUT, -1).astype(np.int32))
    if schedule.end_s is not None or (one_speed and quick is told):
        return schedule
    end_s = schedule.start_s + quick.runtime_s if one_speed else _ends(told, cluster, schedule)
    return replace(schedule, end_s=end_s)


def _guesses(foresight: Foresight, cluster: Cluster, policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether a compiled engine predicts and corrects while it runs."""
    from loadmaster.sim.queue import capabilities as served
    from loadmaster.sim.queue.capabilities import is_told
    from loadmaster.sim.queue.engine.estimates import serves_guesses

    known = served.serves(policy, discipline) and not is_told(discipline.order)
    return known and serves_guesses(foresight, cluster, discipline)


def _guessed(
    workload: Workload, cluster: Cluster, scheduler: Scheduler, interval_s: float, seed: int,
    progress: Progress | None, foresight: Foresight,
) -> Schedule:  # fmt: skip
    """A compiled run on hosts of speed 1 in which estimates are made or corrected."""
    from loadmaster.sim.queue.engine.estimates import guess_of
    from loadmaster.sim.queue.engine.replay import replay_compiled

    told = foresight.told(workload)
    expected_s = np.array(told.expected_s)
    cut, killed = _cut(told.expecting(expected_s), foresight.killed_after_s(workload))
    schedule = replay_compiled(
        cut, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress,
        guess=guess_of(workload, expected_s, foresight, ends_count=type(scheduler.discipline.backfilling) is Easy),
    )  # fmt: skip
    schedule = replace(schedule, expected_s=expected_s)
    if not killed.any():
        return schedule
    status = np.where(killed & schedule.started, _TIMEOUT, -1).astype(np.int32)
    return replace(schedule, status=status, end_s=schedule.start_s + cut.runtime_s)


def _is_told_before(foresight: Foresight, cluster: Cluster, discipline: Discipline) -> bool:
    """Whether all that is expected, and all that limits cut, is known before the run: for compiled engines."""
    speed = common_speed(cluster, discipline)
    return foresight.is_fixed and not (speed is None and foresight.overrun == "kill")


def _cut(quick: Workload, kill_s: Floats | None) -> tuple[Workload, Bools]:
    """The jobs on hosts of speed 1 with runtimes up to their limits, and bool[J] which of them those kill."""
    killed = np.zeros(quick.jobs, bool) if kill_s is None else np.asarray(quick.runtime_s > kill_s)
    if kill_s is None or not killed.any():
        return quick, killed
    return replace(quick, runtime_s=np.where(killed, kill_s, quick.runtime_s)), killed


def _unbound(
    workload: Workload, cluster: Cluster, one_speed: bool, scheduler: Scheduler, interval_s: float, seed: int,
    engine: Engine, progress: Progress | None,
) -> Schedule:  # fmt: skip
    """A run without constraints, on the quickest engine that knows all of it."""
    policy, discipline = scheduler.policy, scheduler.discipline
    from loadmaster.sim.queue import capabilities as served
    from loadmaster.sim.queue.engine import general_replay as at_desk
    from loadmaster.sim.queue.engine import replay as compiled
    from loadmaster.sim.queue.engine.profile import layout as profile

    known = served.serves(policy, discipline) or served.serves_twin(policy, discipline)
    if engine in ("auto", "compiled") and known:
        return compiled.replay_compiled(
            workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
    beside = engine in ("auto", "planning") and one_speed and profile.serves(workload, cluster, policy, discipline)
    if beside and not (engine == "auto" and is_cheaper_than_a_kept_plan(workload, cluster, discipline)):
        return compiled.replay_compiled(
            workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
    many = engine == "compiled" or (engine == "auto" and workload.jobs >= MANY_JOBS)
    if many and at_desk.serves(policy, discipline):
        schedule = at_desk.replay_at_desk(
            workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
        if schedule is not None:
            return schedule
    return replay_deciding(
        workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress
    )  # fmt: skip


def _ends(workload: Workload, cluster: Cluster, schedule: Schedule) -> Floats:
    """float64[J]: when every job ends, at the speed of its slowest host."""
    assert cluster.speed is not None
    pace = np.where(schedule.host >= 0, cluster.speed[schedule.host], 1.0)
    slowest = np.minimum.reduceat(pace, workload.first_task[:-1]) if len(pace) else pace
    return np.asarray(schedule.start_s + workload.runtime_s / slowest)


def is_compiled(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, foresight: Foresight = USERS
) -> bool:
    """Whether a compiled engine knows all of these; else the plain one runs, hundreds of times slower.

    A subclass is a rule of the user's own: only the plain engine asks it, so it is never taken for its parent.

    Args:
        workload: the jobs.
        cluster: the hosts.
        policy: rates them.
        discipline: serves the queue.
        foresight: what it may count on.
    """
    from loadmaster.sim.queue import capabilities as served

    if is_closed(workload):
        return False
    foresight = foresight.under(discipline, workload, bound=binds(workload, cluster))
    if workload.starting is not None and not foresight.is_fixed:
        return False
    if binds(workload, cluster):
        rule = cluster, policy, discipline, foresight
        return serves_bound(workload, *rule) or serves_at_desk(*rule)
    if not _is_told_before(foresight, cluster, discipline):
        return _guesses(foresight, cluster, policy, discipline)
    if served.serves(policy, discipline) or served.serves_twin(policy, discipline):
        return True
    from loadmaster.sim.queue.engine import general_replay as at_desk
    from loadmaster.sim.queue.engine.profile import layout as profile

    at_board = workload.jobs >= MANY_JOBS and at_desk.serves(policy, discipline)
    return at_board or profile.knows(policy, discipline)
