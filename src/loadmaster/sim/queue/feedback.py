"""Runs logs whose arrivals depend on the run: users submit the next job when one has ended (rule C11)."""

from loadmaster.model import Cluster, Constraints, InputError, Schedule, Workload
from loadmaster.model.job_succession import is_closed
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler
from loadmaster.scheduling.estimate_model import USERS, EstimateModel
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.sim.queue.look_ahead import looking_ahead
from loadmaster.sim.queue.plain.scheduler_like import PlainDecisions
from loadmaster.sim.queue.queue_run import Progress
from loadmaster.sim.queue.reference import Replay
from loadmaster.sim.queue.simulation import check_rules, simulate
from loadmaster.sim.queue.unconstrained_run import Engine


def simulate_lived(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float = 0.0,
    seed: int = 0,
    plainly: bool = False,
    progress: Progress | None = None,
    estimate_model: EstimateModel = USERS,
) -> tuple[Workload, Schedule]:
    """As `simulate`; also return the jobs as they arrived in the run, which are the log's if it has all arrivals.

    If jobs follow others, the returned workload has only the jobs that were submitted, in that order. To simulate it
    gives the same schedule, bit by bit. Only the plain engine makes such a run.

    Args:
        workload: jobs; its resources must be the cluster's, in the same order.
        cluster: the hosts.
        policy: rates hosts, or a meta-rule over several.
        discipline: the order in which the queue is served.
        interval_s: seconds between scheduling cycles; 0 decides at every event.
        seed: for policies that draw.
        plainly: decisions are not compiled either.
        progress: called with the progress of long runs.
        estimate_model: what the discipline may count on, and whether limits kill.

    Raises:
        InputError: as `simulate`; or something that is not served where jobs follow others.
    """
    if not is_closed(workload):
        engine: Engine = "reference" if plainly else "auto"
        return workload, simulate(
            workload,
            cluster,
            policy,
            discipline,
            interval_s=interval_s,
            seed=seed,
            engine=engine,
            progress=progress,
            estimate_model=estimate_model,
        )
    check_rules(workload, cluster, policy, discipline)
    estimate_model = estimate_model.under(discipline, workload, bound=binds(workload, cluster))
    _refuse_unserved(workload, estimate_model)
    scheduler = Scheduler(policy, looking_ahead(discipline, plainly=plainly))
    run = Replay(
        workload, cluster, PlainDecisions(scheduler) if plainly else scheduler, interval_s, seed, estimate_model
    )
    return run.arrivals.lived(run.run(progress))


def _refuse_unserved(workload: Workload, estimate_model: EstimateModel) -> None:
    """Refuse columns that name a time or a job of the log, if arrivals depend on the run.

    Raises:
        InputError: there is something of the kind.
    """
    bound, closed = workload.constraints or Constraints(), "beside jobs that are submitted after the end of others"
    for column in ("eligible_s", "reservation", "depends"):
        if column in bound.given:
            rule = f"a time or a job that the log names to wait for, {closed}, is served by no engine"
            raise InputError(column, rule, fix=f"leave it aside (--ignore {column}), or --ignore follows")
    if estimate_model.estimates == "last-two":
        raise InputError(
            "last-two",
            f"estimates by the last two jobs of a user, {closed}, are served by no engine",
            fix="other --estimates, or --ignore follows",
        )
