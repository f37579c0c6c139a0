"""One door to the engines: picks the compiled one for a policy and a discipline, or the plain one on request."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Floats
from loadmaster.order import job_columns
from loadmaster.schedule import AnyPolicy, Discipline, Scheduler, members_of
from loadmaster.schedule.binding import binds
from loadmaster.sim.queue.reference import replay

Engine = Literal["auto", "rows", "compiled", "planning", "reference"]
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
            calls their own methods, and so have jobs that constraints bind.
        progress: told of the progress of long runs.

    Raises:
        InputError: jobs and hosts name different resources, or a policy or an order of one's own is not sound.
    """
    from loadmaster.compiled import check_policy
    from loadmaster.compiled_order import check_order

    workload.check_resources(cluster)
    for member in members_of(policy):
        check_policy(member, workload.demand, cluster.capacity, cluster.resources)
    check_order(discipline.order, job_columns(workload))
    if engine == "reference" or binds(workload, cluster):
        return replay(
            workload, cluster, Scheduler(policy, discipline), interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
    quick, alike, one_speed = _in_one_speed(workload, cluster)
    schedule = _unbound(quick, alike, one_speed, policy, discipline, interval_s, seed, engine, progress)
    if schedule.end_s is None and not (one_speed and quick is workload):
        return replace(schedule, end_s=_ends(workload, cluster, schedule))
    return schedule


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
    return replay(
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


def is_compiled(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether a compiled engine knows all of these; else the plain one runs, hundreds of times slower.

    A subclass is a rule of the user's own: only the plain engine asks it, so it is never taken for its parent.
    """
    from loadmaster.sim.queue import compiled, planning

    return compiled.serves(policy, discipline) or planning.serves(policy, discipline)
