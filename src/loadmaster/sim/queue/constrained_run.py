"""Runs of jobs that constraints bind: the form of the compiled pass that handles all of these, and the run with it."""

from dataclasses import replace

from loadmaster.backfilling import Easy
from loadmaster.model import Cluster, Constraints, Schedule, SiteRules
from loadmaster.model.features import has_choices
from loadmaster.order import FairShare
from loadmaster.scheduling.estimate_model import USERS
from loadmaster.scheduling.resolved_constraints import needs_general_pass, resolve_constraints
from loadmaster.scheduling.timed_limits import timed_kinds
from loadmaster.sim.queue.card_runs import general_serves_cards, is_on_cards
from loadmaster.sim.queue.engine_cost import MANY_JOBS
from loadmaster.sim.queue.queue_run import QueueRun


def replay_constrained(run: QueueRun, *, few: bool) -> Schedule | None:
    """The run, compiled; None if no form of the pass knows all of it, or if it is not worth it for a `few` jobs."""
    shadow = shadow_serves(run)
    if run.workload.starting is not None:
        from loadmaster.sim.queue.engine.starting_state import serves_starting_state

        shadow = shadow and serves_starting_state(run.workload, resolve_constraints(run.workload, run.cluster))
    if shadow:
        return _with_shadow(run)
    if general_serves(run) and not (few and run.workload.jobs < MANY_JOBS):
        from loadmaster.sim.queue.engine.general_replay import replay_general

        return replay_general(run)
    return None


def shadow_serves(run: QueueRun) -> bool:
    """Whether the pass that gives a shadow time, or nothing, knows all that binds these jobs.

    It stops no job for another and counts neither hosts nor limits that time moves. EASY there promises one moment, to
    jobs that stand in one queue once, on hosts that no calendar closes. Orders do not follow events there. Estimates
    are known before, and no limit kills.
    """
    from loadmaster.sim.queue import capabilities as served
    from loadmaster.sim.queue.capabilities import tracks_events_of

    rules, constraints = run.cluster.rules or SiteRules(), run.workload.constraints or Constraints()
    one_queue = len(rules.partitions) < 2 or constraints.partition is None
    stand_once = constraints.features is None or not has_choices(constraints.features.names)
    moment_holds = one_queue and stand_once and not rules.calendar
    return (
        served.serves(run.policy, run.discipline)
        and not tracks_events_of(run.discipline.order)
        and not preempts(run.cluster)
        and not needs_general_pass(run.workload, run.cluster)
        and run.estimate_model.is_fixed
        and run.estimate_model.overrun == "run"
        and (moment_holds or type(run.discipline.backfilling) is not Easy)
    )


def general_serves(run: QueueRun) -> bool:
    """Whether the general pass knows all that binds these jobs.

    It stops no job for jobs that are served by need. Limits kill on hosts of speed 1 alone. Of limits that time moves
    it knows those of compiled kinds. Where GPUs are cards it counts neither hosts nor such limits.
    """
    from loadmaster.sim.queue.engine import general_replay
    from loadmaster.sim.queue.engine.runtime_limits import serves_estimates

    stops_by_need = preempts(run.cluster) and type(run.discipline.order) is FairShare  # groups have no line
    return (
        not stops_by_need
        and all(kind.compiled for kind in timed_kinds(run.workload, run.cluster).values())
        and (not is_on_cards(run.workload, run.cluster) or _on_cards(run))
        and serves_estimates(run.estimate_model, run.cluster)
        and general_replay.serves(run.policy, run.discipline)
    )


def _on_cards(run: QueueRun) -> bool:
    known = general_serves_cards(run.workload, run.policy, run.discipline)
    return known and not needs_general_pass(run.workload, run.cluster)


def preempts(cluster: Cluster) -> bool:
    """Whether jobs may be stopped for others: the general pass does that, and the plain engine."""
    return cluster.rules is not None and cluster.rules.preemption.by != "none"


def _with_shadow(run: QueueRun) -> Schedule:
    from loadmaster.sim.queue.engine.replay import replay_compiled

    estimated = run.estimate_model.estimated(run.workload)
    schedule = replay_compiled(replace(run, workload=estimated), binding=resolve_constraints(estimated, run.cluster))
    return schedule if run.estimate_model == USERS else replace(schedule, expected_s=estimated.expected_s)
