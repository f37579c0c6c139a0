"""One door to the engines: picks the compiled one for a policy and a discipline, or the plain one on request."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from loadmaster.backfilling import Easy
from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.model import Cluster, Constraints, Schedule, SiteRules, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.constraints import STATUSES
from loadmaster.order import job_columns
from loadmaster.schedule import AnyPolicy, Discipline, Scheduler, members_of
from loadmaster.schedule.binding import binding_of, binds, limits_work, only_plain
from loadmaster.schedule.foresight import USERS, Foresight
from loadmaster.sim.queue.reference import replay, replay_deciding

Engine = Literal["auto", "rows", "compiled", "planning", "reference"]
_TIMEOUT = STATUSES.index("timeout")
Progress = Callable[[int, int], None]
"""Called now and then with (jobs started, jobs in all)."""


def simulate(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float = 30.0,
    seed: int = 0,
    engine: Engine = "auto",
    progress: Progress | None = None,
    foresight: Foresight = USERS,
) -> Schedule:
    """Replay `workload` on `cluster` and return who started when and where.

    Args:
        workload: jobs; its resources must be the cluster's, in the same order.
        cluster: the hosts.
        policy: rates hosts, or a meta-policy over several.
        discipline: the order in which the queue is served.
        interval_s: seconds between scheduling cycles; 0 decides at every event.
        seed: for policies that draw.
        engine: `reference` for the plain Python engine, `compiled` for the general compiled one, `rows` for the one
            that knows the rules of the thesis, `planning` for conservative backfilling; all agree, and one that
            cannot serve gives way. Subclasses of policies, orders and backfillings have the plain one only, which
            calls their own methods, and so have jobs that constraints bind in a way that `serves_bound` does not name.
        progress: told of the progress of long runs.
        foresight: what the discipline may count on, and whether limits kill. Estimates that are corrected, or made as
            jobs arrive, are compiled on hosts of speed 1 only, and not for conservative backfilling.

    Raises:
        InputError: jobs and hosts name different resources, a policy or an order of one's own is not sound, or the log
            does not say what `foresight` needs.
    """
    from loadmaster.compiled import check_policy
    from loadmaster.compiled_order import check_order

    workload.check_resources(cluster)
    for member in members_of(policy):
        check_policy(member, workload.demand, cluster.capacity, cluster.resources)
    check_order(discipline.order, job_columns(workload))
    bound = binds(workload, cluster)
    foresight = foresight.under(discipline, workload, bound=bound)
    if bound and engine in ("auto", "compiled") and serves_bound(workload, cluster, policy, discipline, foresight):
        return _bound(workload, cluster, policy, discipline, interval_s, seed, progress, foresight)
    if engine != "reference" and not bound:
        if _is_told_before(foresight, cluster):
            return _foretold(workload, cluster, policy, discipline, interval_s, seed, engine, progress, foresight)
        if _guesses(foresight, cluster, policy, discipline):
            return _guessed(workload, cluster, policy, discipline, interval_s, seed, progress, foresight)
    replayed = replay if engine == "reference" else uncompiled(workload, cluster, foresight)
    return replayed(
        workload, cluster, Scheduler(policy, discipline), interval_s=interval_s, seed=seed, progress=progress,
        foresight=foresight,
    )  # fmt: skip


def _bound(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, interval_s: float, seed: int,
    progress: Progress | None, foresight: Foresight,
) -> Schedule:  # fmt: skip
    """A run of bound jobs, compiled."""
    from loadmaster.sim.queue import compiled

    told = foresight.told(workload)
    schedule = compiled.replay_compiled(
        told, cluster, policy, discipline, interval_s=interval_s, seed=seed, progress=progress,
        binding=binding_of(told, cluster),
    )  # fmt: skip
    return schedule if foresight == USERS else replace(schedule, expected_s=told.expected_s)


def _foretold(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, interval_s: float, seed: int,
    engine: Engine, progress: Progress | None, foresight: Foresight,
) -> Schedule:  # fmt: skip
    """A run without constraints of which all that is expected, and all that limits cut, is known before."""
    told = foresight.told(workload)
    quick, alike, one_speed = _in_one_speed(told, cluster)
    quick, killed = _cut(quick, foresight.killed_after_s(workload))
    schedule = _unbound(quick, alike, one_speed, policy, discipline, interval_s, seed, engine, progress)
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
    from loadmaster.sim.queue import compiled
    from loadmaster.sim.queue.guessing import serves_guesses
    from loadmaster.sim.queue.ticked import is_told

    known = compiled.serves(policy, discipline) and not is_told(discipline.order)
    return known and serves_guesses(foresight, cluster, discipline)


def _guessed(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, interval_s: float, seed: int,
    progress: Progress | None, foresight: Foresight,
) -> Schedule:  # fmt: skip
    """A compiled run on hosts of speed 1 in which estimates are made or corrected."""
    from loadmaster.sim.queue.compiled import replay_compiled
    from loadmaster.sim.queue.guessing import guess_of

    told = foresight.told(workload)
    expected_s = np.array(told.expected_s)
    cut, killed = _cut(told.expecting(expected_s), foresight.killed_after_s(workload))
    schedule = replay_compiled(
        cut, cluster, policy, discipline, interval_s=interval_s, seed=seed, progress=progress,
        guess=guess_of(workload, expected_s, foresight, discipline),
    )  # fmt: skip
    schedule = replace(schedule, expected_s=expected_s)
    if not killed.any():
        return schedule
    status = np.where(killed & schedule.started, _TIMEOUT, -1).astype(np.int32)
    return replace(schedule, status=status, end_s=schedule.start_s + cut.runtime_s)


def _is_told_before(foresight: Foresight, cluster: Cluster) -> bool:
    """Whether all that is expected, and all that limits cut, is known before the run: for compiled engines."""
    assert cluster.speed is not None
    several_speeds = bool((cluster.speed != cluster.speed[0]).any())
    return foresight.is_fixed and not (several_speeds and foresight.overrun == "kill")


def _cut(quick: Workload, kill_s: Floats | None) -> tuple[Workload, Bools]:
    """The jobs on hosts of speed 1 with runtimes up to their limits, and bool[J] which of them those kill."""
    killed = np.zeros(quick.jobs, bool) if kill_s is None else np.asarray(quick.runtime_s > kill_s)
    if kill_s is None or not killed.any():
        return quick, killed
    return replace(quick, runtime_s=np.where(killed, kill_s, quick.runtime_s)), killed


def _unbound(
    workload: Workload, cluster: Cluster, one_speed: bool, policy: AnyPolicy, discipline: Discipline,
    interval_s: float, seed: int, engine: Engine, progress: Progress | None,
) -> Schedule:  # fmt: skip
    """A run without constraints, on the quickest engine that knows all of it."""
    from loadmaster.sim.queue import compiled, planning, rows

    known = engine in ("auto", "rows") and one_speed
    if known and rows.serves_rows(workload, cluster, policy, discipline, interval_s):
        return rows.replay_rows(workload, cluster, policy, discipline, interval_s=interval_s, progress=progress)
    if engine in ("auto", "compiled") and compiled.serves(policy, discipline):
        return compiled.replay_compiled(
            workload, cluster, policy, discipline, interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
    hosts_matter = not hosts_are_one_pool(workload.demand, cluster)
    if engine in ("auto", "planning") and one_speed and hosts_matter and planning.serves(policy, discipline):
        return planning.replay_planned(
            workload, cluster, policy, discipline, interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
    return replay_deciding(
        workload, cluster, Scheduler(policy, discipline), interval_s=interval_s, seed=seed, progress=progress
    )  # fmt: skip


def _ends(workload: Workload, cluster: Cluster, schedule: Schedule) -> Floats:
    """float64[J]: when every job ends, at the speed of its slowest host."""
    assert cluster.speed is not None
    pace = np.where(schedule.host >= 0, cluster.speed[schedule.host], 1.0)
    slowest = np.minimum.reduceat(pace, workload.first_task[:-1]) if len(pace) else pace
    return np.asarray(schedule.start_s + workload.runtime_s / slowest)


def _in_one_speed(workload: Workload, cluster: Cluster) -> tuple[Workload, Cluster, bool]:
    """The same run on hosts of speed 1, where all hosts have one speed; and whether they have."""
    assert cluster.speed is not None
    speed = float(cluster.speed[0])
    if (cluster.speed != speed).any():
        return workload, cluster, False
    if speed == 1.0:
        return workload, cluster, True
    quick = replace(workload, runtime_s=workload.runtime_s / speed, estimate_s=workload.expected_s / speed)
    return quick, replace(cluster, speed=None), True


def serves_bound(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, foresight: Foresight = USERS
) -> bool:
    """Whether the general compiled engine knows all that binds these jobs, under this policy and discipline.

    It stops no job for another and counts neither hosts nor work; EASY there promises one moment, in one queue, on
    hosts that no calendar closes. It tells no order what happens there. Estimates are known before, and kill nobody.
    """
    from loadmaster.sim.queue import compiled
    from loadmaster.sim.queue.ticked import is_told

    rules, constraints = cluster.rules or SiteRules(), workload.constraints or Constraints()
    one_queue = len(rules.partitions) < 2 or constraints.partition is None
    moment_holds = one_queue and not rules.calendar
    return (
        compiled.serves(policy, discipline) and not is_told(discipline.order) and not preempts(cluster)
        and not only_plain(workload, cluster) and _is_plain(foresight)
        and (moment_holds or type(discipline.backfilling) is not Easy)
    )  # fmt: skip


def uncompiled(workload: Workload, cluster: Cluster, foresight: Foresight) -> Callable[..., Schedule]:
    """The engine in which a scheduler decides that no kernel serves: all else is compiled where constraints bind."""
    from loadmaster.sim.queue.asking import replay_asking

    known = not preempts(cluster) and not limits_work(cluster.rules or SiteRules())
    moments = binds(workload, cluster) and known and _is_plain(foresight)
    return replay_asking if moments else replay_deciding


def _is_plain(foresight: Foresight) -> bool:
    """Whether all that is expected is known as the log begins, and limits kill nobody."""
    return foresight.is_fixed and foresight.overrun == "run"


def preempts(cluster: Cluster) -> bool:
    """Whether jobs may be stopped for others: only the plain engine does that."""
    return cluster.rules is not None and cluster.rules.preemption.by != "none"


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
    from loadmaster.sim.queue import compiled, planning

    foresight = foresight.under(discipline, workload, bound=binds(workload, cluster))
    if binds(workload, cluster):
        return serves_bound(workload, cluster, policy, discipline, foresight)
    if not _is_told_before(foresight, cluster):
        return _guesses(foresight, cluster, policy, discipline)
    return compiled.serves(policy, discipline) or planning.serves(policy, discipline)
