"""The door for jobs that constraints bind: which engine knows all that binds them, and the run on it."""

from collections.abc import Callable
from dataclasses import replace

from loadmaster.backfilling import Easy
from loadmaster.model import Cluster, Constraints, Schedule, SiteRules, Workload
from loadmaster.order import FairShare
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler
from loadmaster.scheduling.estimate_model import USERS, EstimateModel
from loadmaster.scheduling.resolved_constraints import needs_general_pass, resolve_constraints
from loadmaster.sim.queue.card_runs import is_on_cards
from loadmaster.sim.queue.engine_cost import MANY_JOBS

Progress = Callable[[int, int], None]
"""Called now and then with (jobs started, jobs in all)."""


def simulate_bound(
    workload: Workload,
    cluster: Cluster,
    scheduler: Scheduler,
    interval_s: float,
    seed: int,
    progress: Progress | None,
    estimate_model: EstimateModel,
    *,
    few: bool,
) -> Schedule | None:
    """A run of bound jobs, compiled; None if no engine knows all of it, or if it is not worth it for a `few`."""
    policy, discipline = scheduler.policy, scheduler.discipline
    general = serves_bound(workload, cluster, policy, discipline, estimate_model)
    if workload.starting is not None:
        from loadmaster.sim.queue.engine.starting_state import serves_starting_state

        general = general and serves_starting_state(workload, resolve_constraints(workload, cluster))
    this_pass = not (few and workload.jobs < MANY_JOBS) and serves_general(cluster, policy, discipline, estimate_model)
    this_pass = this_pass and not is_on_cards(workload, cluster)
    if this_pass and not general:
        schedule = _general(workload, cluster, scheduler, interval_s, seed, progress, estimate_model)
        if schedule is not None:
            return schedule
    if general:
        return _by_lanes(workload, cluster, scheduler, interval_s, seed, progress, estimate_model)
    return None


def serves_bound(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    estimate_model: EstimateModel = USERS,
) -> bool:
    """Whether the general compiled engine knows all that binds these jobs, under this policy and discipline.

    It stops no job for another and counts neither hosts nor work; EASY there promises one moment, in one queue, on
    hosts that no calendar closes. It tells no order what happens there. Estimates are known before, and kill nobody.
    """
    from loadmaster.sim.queue import capabilities as served
    from loadmaster.sim.queue.capabilities import tracks_events_of

    rules, constraints = cluster.rules or SiteRules(), workload.constraints or Constraints()
    one_queue = len(rules.partitions) < 2 or constraints.partition is None
    moment_holds = one_queue and not rules.calendar
    return (
        served.serves(policy, discipline)
        and not tracks_events_of(discipline.order)
        and not preempts(cluster)
        and not needs_general_pass(workload, cluster)
        and _is_plain(estimate_model)
        and (moment_holds or type(discipline.backfilling) is not Easy)
    )


def serves_general(
    cluster: Cluster, policy: AnyPolicy, discipline: Discipline, estimate_model: EstimateModel = USERS
) -> bool:
    """Whether the engine over the compiled pass knows all that binds these jobs, under this policy and discipline.

    It stops nobody for jobs that are served by need. Limits kill on hosts of speed 1 alone.
    """
    from loadmaster.sim.queue.engine import general_replay
    from loadmaster.sim.queue.engine.runtime_limits import serves_estimates

    node_count = preempts(cluster) and type(discipline.order) is FairShare  # groups have no line to go through
    return not node_count and serves_estimates(estimate_model, cluster) and general_replay.serves(policy, discipline)


def preempts(cluster: Cluster) -> bool:
    """Whether jobs may be stopped for others: the engine over the compiled pass does that, and the plain one."""
    return cluster.rules is not None and cluster.rules.preemption.by != "none"


def _is_plain(estimate_model: EstimateModel) -> bool:
    """Whether all that is expected is known as the log begins, and limits kill nobody."""
    return estimate_model.is_fixed and estimate_model.overrun == "run"


def _by_lanes(
    workload: Workload,
    cluster: Cluster,
    scheduler: Scheduler,
    interval_s: float,
    seed: int,
    progress: Progress | None,
    estimate_model: EstimateModel,
) -> Schedule:
    """On the general compiled engine."""
    from loadmaster.sim.queue.engine import replay

    estimated = estimate_model.estimated(workload)
    schedule = replay.replay_compiled(
        estimated,
        cluster,
        scheduler,
        interval_s=interval_s,
        seed=seed,
        progress=progress,
        binding=resolve_constraints(estimated, cluster),
    )
    return schedule if estimate_model == USERS else replace(schedule, expected_s=estimated.expected_s)


def _general(
    workload: Workload,
    cluster: Cluster,
    scheduler: Scheduler,
    interval_s: float,
    seed: int,
    progress: Progress | None,
    estimate_model: EstimateModel,
) -> Schedule | None:
    """On the engine over the compiled scheduling pass; None if it meets something that only a plain one serves."""
    from loadmaster.sim.queue.engine.general_replay import replay_general

    return replay_general(
        workload, cluster, scheduler, interval_s=interval_s, seed=seed, progress=progress, estimate_model=estimate_model
    )
