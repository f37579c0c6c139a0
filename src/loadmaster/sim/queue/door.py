"""One door to the engines: picks the compiled one for a policy and a discipline, or the plain one on request."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.order import job_columns
from loadmaster.schedule import AnyPolicy, Discipline, Scheduler, members_of
from loadmaster.schedule.binding import binds
from loadmaster.sim.queue.reference import replay

Engine = Literal["auto", "rows", "cycles", "backfill", "reference"]
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
        engine: `reference` for the plain Python engine, `cycles` for the general compiled one,
            `rows` for the one that knows the rules of the thesis, `backfill` for the one with backfilling; all agree,
            and one that cannot serve gives way. Max-Jobs with backfilling has the plain one only, and so have
            subclasses of policies and disciplines, whose own methods it calls, and jobs that constraints bind.
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
    alike = None if binds(workload, cluster) else _in_one_speed(workload, cluster)
    if alike is None or engine == "reference":
        return replay(
            workload, cluster, Scheduler(policy, discipline), interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
    schedule = _at_speed_one(*alike, policy, discipline, interval_s, seed, engine, progress)
    if schedule.end_s is None and alike[0] is not workload:
        return replace(schedule, end_s=schedule.start_s + alike[0].runtime_s)
    return schedule


def _at_speed_one(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, interval_s: float, seed: int,
    engine: Engine, progress: Progress | None,
) -> Schedule:  # fmt: skip
    from loadmaster.sim.queue import backfill, cycles, rows

    if engine in ("auto", "rows") and rows.serves_rows(workload, cluster, policy, discipline, interval_s):
        return rows.replay_rows(workload, cluster, policy, discipline, interval_s=interval_s, progress=progress)
    if engine in ("auto", "cycles") and cycles.serves(policy, discipline):
        return cycles.replay_cycles(
            workload, cluster, policy, discipline, interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
    hosts_matter = not hosts_are_one_pool(workload.demand, cluster)
    if engine in ("auto", "backfill") and backfill.serves(policy, discipline) and hosts_matter:
        return backfill.replay_backfill(
            workload, cluster, policy, discipline, interval_s=interval_s, seed=seed, progress=progress
        )  # fmt: skip
    return replay(
        workload, cluster, Scheduler(policy, discipline), interval_s=interval_s, seed=seed, progress=progress
    )  # fmt: skip


def _in_one_speed(workload: Workload, cluster: Cluster) -> tuple[Workload, Cluster] | None:
    """The same run on hosts of speed 1, where all hosts have one speed; None where they have several."""
    assert cluster.speed is not None
    speed = float(cluster.speed[0])
    if (cluster.speed != speed).any():
        return None
    if speed == 1.0:
        return workload, cluster
    quick = replace(workload, runtime_s=workload.runtime_s / speed, estimate_s=workload.expected_s / speed)
    return quick, replace(cluster, speed=None)


def is_compiled(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether a compiled engine knows all of these; else the plain one runs, hundreds of times slower.

    A subclass is a rule of the user's own: only the plain engine asks it, so it is never taken for its parent.
    """
    from loadmaster.sim.queue import backfill, cycles

    return cycles.serves(policy, discipline) or backfill.serves(policy, discipline)
