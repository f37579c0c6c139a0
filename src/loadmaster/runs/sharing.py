"""One log under several ways to share its machines: time-shared, fractional, VMs, and the batch queue instead."""

from dataclasses import replace

import numpy as np

from loadmaster.compiled_rules.policies import check_policy
from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Ints
from loadmaster.rules.find import NO_SOURCES, Sources
from loadmaster.runs.setting import discipline_of, policy_of
from loadmaster.runs.sharing_row import RowLabels, SharingRow, row_of
from loadmaster.runs.sharing_settings import (
    BATCH_POLICY,
    FRACTIONAL,
    SharingSettings,
    check_method,
    kind_of,
    queue_setting,
)
from loadmaster.runs.sharing_vms import run_on_vms
from loadmaster.scheduling import members_of
from loadmaster.scheduling.time_shared import method_named
from loadmaster.sharing.learned_needs import learned_needs
from loadmaster.sim.fractional.simulation import FractionalProblem, simulate_fractional
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine_cost import engine_for
from loadmaster.sim.timeshared.problem import Progress, TimesharedProblem
from loadmaster.sim.timeshared.simulation import simulate_timeshared


def run_sharing(
    name: str,
    workload: Workload,
    cluster: Cluster,
    settings: SharingSettings = SharingSettings(),
    progress: Progress | None = None,
    sources: Sources = NO_SOURCES,
    policy: str = BATCH_POLICY,
) -> SharingRow:
    """Run one method: of `METHODS` or `VM_CHOICES`, a placement policy, `fractional`, or a batch discipline.

    Args:
        name: of the method.
        workload: the jobs.
        cluster: the hosts.
        settings: what all methods have in common.
        progress: called with the progress of long runs.
        sources: text of files, taken instead of what stands on the disk.
        policy: by which a batch queue places; others do not look at it.

    Raises:
        InputError: no such method.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[60, 60], cores=[1, 1], memory=[1, 1])
        >>> row = run_sharing("pvm", jobs, Cluster.uniform(1, cores=1, memory=4))
        >>> row.mean_slowdown, row.mean_yield, row.kind
        (2.0, 0.5, 'shared')
    """
    kind = kind_of(name, sources)
    if kind == "fractional":
        return _fractional(workload, cluster, settings, progress, sources)
    if kind == "batch":
        return _batch(name, workload, cluster, settings, progress, sources, policy)
    if kind == "vms":
        return _vms(name, workload, cluster, settings, progress, sources)
    return _time_shared(name, workload, cluster, settings, progress, sources)


def timeshared_problem(
    name: str, workload: Workload, cluster: Cluster, settings: SharingSettings, sources: Sources
) -> TimesharedProblem:
    """What the engine of time-shared hosts is given for the method `name`."""
    return TimesharedProblem(
        workload,
        cluster,
        method_named(name, sources),
        settings.model("shared", sources),
        settings.cpu_load,
        settings.migration,
        _learned_needs(workload, cluster, settings),
        settings.seed,
        settings.thrash,
    )


def fractional_problem(
    workload: Workload, cluster: Cluster, settings: SharingSettings, sources: Sources
) -> FractionalProblem:
    """What the engine of fractional scheduling is given."""
    needs = _learned_needs(workload, cluster, settings)
    if needs is not None:
        needs[:, 1:] = workload.demand[:, 1:]  # memory must fit: only the CPU need is learned
    policy = replace(settings.fractional, sources=sources)
    return FractionalProblem(
        workload, cluster, policy, settings.migration, needs, settings.model("fractional", sources)
    )


def _learned_needs(workload: Workload, cluster: Cluster, settings: SharingSettings) -> Floats | None:
    if settings.needs == "told":
        return None
    prior = cluster.capacity.mean(axis=0) / cluster.capacity[:, 0].mean()  # one core, and the memory that goes with it
    return learned_needs(workload, prior)


def _time_shared(
    name: str,
    workload: Workload,
    cluster: Cluster,
    settings: SharingSettings,
    progress: Progress | None,
    sources: Sources,
) -> SharingRow:
    problem = timeshared_problem(name, workload, cluster, settings, sources)
    run = simulate_timeshared(problem, progress=progress)
    end_s = np.full(workload.jobs, -np.inf)
    np.maximum.at(end_s, problem.owner, run.end_s)
    what = RowLabels(name, "", "shared", _with_model(problem.method.parameters, settings))
    return row_of(what, workload, workload.submit_s, end_s, int(run.moves.sum()))


def _fractional(
    workload: Workload, cluster: Cluster, settings: SharingSettings, progress: Progress | None, sources: Sources
) -> SharingRow:
    problem = fractional_problem(workload, cluster, settings, sources)
    run = simulate_fractional(problem, progress=progress)
    what = RowLabels(FRACTIONAL, "", "fractional", _with_model(repr(problem.policy), settings))
    return row_of(what, workload, run.start_s, run.end_s, int(run.moves.sum()))


def _vms(
    name: str,
    workload: Workload,
    cluster: Cluster,
    settings: SharingSettings,
    progress: Progress | None,
    sources: Sources,
) -> SharingRow:
    run = run_on_vms(name, workload, cluster, settings.vm_shares, settings.model("vms", sources), progress)
    shares = " ".join(f"{share:g}" for share in settings.vm_shares)
    parameters = f"VMs of shares {shares} on each host, coupled jobs, EASY; only the CPU is looked at"
    if run.unsettled:
        parameters += f"; after {run.unsettled} events the speeds had not settled"
    what = RowLabels(name, "", "vms", _with_model(parameters, settings))
    return row_of(what, workload, run.start_s, run.end_s)


def _batch(
    name: str,
    workload: Workload,
    cluster: Cluster,
    settings: SharingSettings,
    progress: Progress | None,
    sources: Sources,
    policy: str,
) -> SharingRow:
    check_method(name, settings, policy, sources)
    setting = queue_setting(name, policy, settings)
    placing, discipline = policy_of(setting, sources), discipline_of(setting, sources)
    for member in members_of(placing):
        check_policy(member, workload.demand, cluster.capacity, cluster.resources)
    assert cluster.speed is not None
    schedule = simulate(
        workload,
        cluster,
        placing,
        discipline,
        interval_s=0.0,
        seed=settings.seed,
        engine=engine_for(workload),
        progress=progress,
        estimate_model=setting.estimate_model,
    )
    slowest = slowest_of(workload, cluster.speed, schedule.host)
    end_s = schedule.ends_s(workload)
    chosen = "".join(f", {name} {value}" for name, value in setting.beyond_usual().items())
    what = RowLabels(name, policy, "batch", f"places by {policy}, decides at every event{chosen}")
    if schedule.status is not None:  # limits killed some: their runtime is what they had of it
        ran_s = np.where(schedule.started & (schedule.status >= 0), (end_s - schedule.start_s) * slowest, np.inf)
        workload = replace(workload, runtime_s=np.minimum(workload.runtime_s, ran_s))
    return row_of(what, workload, schedule.start_s, end_s)


def slowest_of(workload: Workload, speed: Floats, host: Ints) -> Floats:
    """float64[J]: the speed of the slowest host of each job, 1 for one that never ran; float64[H], int32[T]."""
    pace = np.where(host >= 0, speed[host], 1.0)
    return np.asarray(np.minimum.reduceat(pace, workload.first_task[:-1])) if len(pace) else pace


def _with_model(parameters: str, settings: SharingSettings) -> str:
    """`parameters`, and how the CPU is divided where that was chosen."""
    return f"{parameters}; CPU by {settings.sharing}" if settings.sharing else parameters


__all__ = ["SharingRow", "SharingSettings", "check_method", "fractional_problem", "run_sharing", "timeshared_problem"]
