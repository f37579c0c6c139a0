"""Simulates a queue: chooses the compiled engine for a policy and a discipline, or the plain one on request."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.job_succession import is_closed, refuse_closed
from loadmaster.order import job_columns
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler, members_of
from loadmaster.scheduling.estimate_model import USERS, EstimateModel
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.sim.queue.card_runs import is_on_cards, refuse_beside_cards, serves_cards
from loadmaster.sim.queue.constrained_run import general_serves, replay_constrained, shadow_serves
from loadmaster.sim.queue.engine_cost import MANY_JOBS, PlainEngineTooSlow, PlainLimit
from loadmaster.sim.queue.look_ahead import looking_ahead
from loadmaster.sim.queue.queue_run import Progress, QueueRun
from loadmaster.sim.queue.reference import replay, replay_deciding
from loadmaster.sim.queue.unconstrained_run import Engine, is_compiled_unconstrained, replay_unconstrained


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
    """Replay `workload` on `cluster`; return when and where each job started.

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
            bind in a way that neither `shadow_serves` nor `general_serves` of `constrained_run` knows.
        progress: called with the progress of long runs.
        estimate_model: what the discipline may count on, and whether limits kill. Estimates that are corrected, or made
            as jobs arrive, are compiled on hosts of speed 1 only, and not for conservative backfilling.

    Raises:
        InputError: jobs and hosts name different resources, a policy or an order of one's own is not sound, the log
            does not say what `estimate_model` needs, or when its jobs arrive (`simulate_lived` serves that).
    """
    check_rules(workload, cluster, policy, discipline)
    refuse_closed(workload)
    estimate_model = estimate_model.under(discipline, workload, bound=binds(workload, cluster))
    if _corrects_running_estimates(workload, estimate_model) or _lacks_cards(workload, cluster, policy, discipline):
        engine = "reference"
    scheduler = Scheduler(policy, looking_ahead(discipline, plainly=engine == "reference"))
    run = QueueRun(workload, cluster, scheduler, interval_s, seed, progress, estimate_model)
    schedule = None if engine == "reference" else _compiled_run(run, engine)
    if schedule is not None:
        return schedule
    if engine == "auto" and workload.jobs < MANY_JOBS:
        with suppress(PlainEngineTooSlow):
            return _plain(replace(run, progress=PlainLimit(progress, partial(_serves_any_number, run))), engine)
        schedule = _compiled_run(run, "compiled")
    return _plain(run, engine) if schedule is None else schedule


def _compiled_run(run: QueueRun, engine: Engine) -> Schedule | None:
    """The run by a compiled engine; None if none serves it, or if `auto` finds it too small for one."""
    if not run.bound:
        return replay_unconstrained(run, engine)
    return None if engine == "planning" else replay_constrained(run, few=engine == "auto")


def _serves_any_number(run: QueueRun) -> bool:
    """Whether the engine over the compiled pass serves the run, however few jobs it has."""
    from loadmaster.sim.queue.engine import general_replay  # loads Numba

    if run.bound:
        return general_serves(run)
    return run.is_known_before and general_replay.serves(run.policy, run.discipline)


def _plain(run: QueueRun, engine: Engine) -> Schedule:
    """The run in plain Python; its decisions are compiled, unless `reference` is requested."""
    replayed = replay if engine == "reference" else replay_deciding
    return replayed(
        run.workload,
        run.cluster,
        run.scheduler,
        interval_s=run.interval_s,
        seed=run.seed,
        progress=run.progress,
        estimate_model=run.estimate_model,
    )


def check_rules(workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline) -> None:
    """Check that jobs and hosts name the same resources, that some engine serves them, and that rules are sound.

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
    estimate_model = estimate_model.under(discipline, workload, bound=binds(workload, cluster))
    if is_closed(workload) or _corrects_running_estimates(workload, estimate_model):
        return False
    if _lacks_cards(workload, cluster, policy, discipline):
        return False
    run = QueueRun(workload, cluster, Scheduler(policy, discipline), estimate_model=estimate_model)
    return shadow_serves(run) or general_serves(run) if run.bound else is_compiled_unconstrained(run)


def _corrects_running_estimates(workload: Workload, estimate_model: EstimateModel) -> bool:
    """Compiled engines correct no estimate of a job that runs as they begin."""
    return workload.starting is not None and not estimate_model.is_fixed


def _lacks_cards(workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether tasks share cards, and no compiled engine serves that under these rules."""
    return is_on_cards(workload, cluster) and not serves_cards(workload, policy, discipline)
