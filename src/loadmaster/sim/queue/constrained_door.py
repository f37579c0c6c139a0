"""The door for jobs that constraints bind: which engine knows all that binds them, and the run on it."""

from collections.abc import Callable
from dataclasses import replace

from loadmaster.backfilling import Easy
from loadmaster.model import Cluster, Constraints, Schedule, SiteRules, Workload
from loadmaster.order import FairShare
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler
from loadmaster.scheduling.estimate_model import USERS, Foresight
from loadmaster.scheduling.resolved_constraints import binding_of, needs_a_board
from loadmaster.sim.queue.engine_cost import MANY_JOBS

Progress = Callable[[int, int], None]
"""Called now and then with (jobs started, jobs in all)."""


def simulate_bound(
    workload: Workload, cluster: Cluster, scheduler: Scheduler, interval_s: float, seed: int,
    progress: Progress | None, foresight: Foresight, *, few: bool,
) -> Schedule | None:  # fmt: skip
    """A run of bound jobs, compiled; None if no engine knows all of it, or if it is not worth it for a `few`."""
    policy, discipline = scheduler.policy, scheduler.discipline
    general = serves_bound(workload, cluster, policy, discipline, foresight)
    if workload.starting is not None:
        from loadmaster.sim.queue.engine.starting_state import serves_begun

        general = general and serves_begun(workload, binding_of(workload, cluster))
    board = not (few and workload.jobs < MANY_JOBS) and serves_at_desk(cluster, policy, discipline, foresight)
    if board and not general:
        schedule = _at_desk(workload, cluster, scheduler, interval_s, seed, progress, foresight)
        if schedule is not None:
            return schedule
    if general:
        return _by_lanes(workload, cluster, scheduler, interval_s, seed, progress, foresight)
    return None


def serves_bound(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, foresight: Foresight = USERS
) -> bool:
    """Whether the general compiled engine knows all that binds these jobs, under this policy and discipline.

    It stops no job for another and counts neither hosts nor work; EASY there promises one moment, in one queue, on
    hosts that no calendar closes. It tells no order what happens there. Estimates are known before, and kill nobody.
    """
    from loadmaster.sim.queue import capabilities as served
    from loadmaster.sim.queue.capabilities import is_told

    rules, constraints = cluster.rules or SiteRules(), workload.constraints or Constraints()
    one_queue = len(rules.partitions) < 2 or constraints.partition is None
    moment_holds = one_queue and not rules.calendar
    return (
        served.serves(policy, discipline) and not is_told(discipline.order) and not preempts(cluster)
        and not needs_a_board(workload, cluster) and _is_plain(foresight)
        and (moment_holds or type(discipline.backfilling) is not Easy)
    )  # fmt: skip


def serves_at_desk(cluster: Cluster, policy: AnyPolicy, discipline: Discipline, foresight: Foresight = USERS) -> bool:
    """Whether the engine over the compiled board knows all that binds these jobs, under this policy and discipline.

    It stops nobody for jobs that are served by need. Limits kill on hosts of speed 1 alone.
    """
    from loadmaster.sim.queue.engine import general_replay as at_desk
    from loadmaster.sim.queue.engine.runtime_limits import serves_foresight

    apart = preempts(cluster) and type(discipline.order) is FairShare  # groups have no line to go through
    return not apart and serves_foresight(foresight, cluster) and at_desk.serves(policy, discipline)


def preempts(cluster: Cluster) -> bool:
    """Whether jobs may be stopped for others: the engine over the compiled board does that, and the plain one."""
    return cluster.rules is not None and cluster.rules.preemption.by != "none"


def _is_plain(foresight: Foresight) -> bool:
    """Whether all that is expected is known as the log begins, and limits kill nobody."""
    return foresight.is_fixed and foresight.overrun == "run"


def _by_lanes(
    workload: Workload, cluster: Cluster, scheduler: Scheduler, interval_s: float, seed: int,
    progress: Progress | None, foresight: Foresight,
) -> Schedule:  # fmt: skip
    """On the general compiled engine."""
    from loadmaster.sim.queue.engine import replay as compiled

    told = foresight.told(workload)
    schedule = compiled.replay_compiled(
        told, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress,
        binding=binding_of(told, cluster),
    )  # fmt: skip
    return schedule if foresight == USERS else replace(schedule, expected_s=told.expected_s)


def _at_desk(
    workload: Workload, cluster: Cluster, scheduler: Scheduler, interval_s: float, seed: int,
    progress: Progress | None, foresight: Foresight,
) -> Schedule | None:  # fmt: skip
    """On the engine over the compiled board; None if it meets something that only a plain one serves."""
    from loadmaster.sim.queue.engine.general_replay import replay_at_desk

    return replay_at_desk(
        workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress, foresight=foresight
    )  # fmt: skip
