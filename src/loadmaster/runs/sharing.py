"""One log under several ways to share its machines: time-shared, fractional, VMs, and the batch queue instead."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from loadmaster.backfilling import BACKFILLINGS
from loadmaster.compiled import check_policy
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.arrays import Floats, Ints
from loadmaster.move.migration import MigrationCost
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.place import POLICIES
from loadmaster.place.load import policy_named
from loadmaster.rules.find import NO_SOURCES, Reference, Sources
from loadmaster.rules.near import no_such
from loadmaster.runs.sharing_vms import run_on_vms
from loadmaster.schedule import discipline_named, is_discipline
from loadmaster.schedule.fractional import Fractional
from loadmaster.schedule.time_shared import METHODS, Method, method_named, parts_of
from loadmaster.sharing.learned_needs import learned_needs
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sharing.shared_hosts import CpuLoad
from loadmaster.sharing.vm_choice import VM_CHOICES
from loadmaster.sim.fractional.door import FractionalProblem, simulate_fractional
from loadmaster.sim.queue import simulate
from loadmaster.sim.timeshared.door import simulate_shared
from loadmaster.sim.timeshared.problem import Progress, SharedProblem

BOUND_S = 10.0
FRACTIONAL = "fractional"


@dataclass(frozen=True)
class SharingSettings:
    """What all ways to share have in common.

    Attributes:
        needs: `told`, or `learned`: policies see only what they observed of earlier jobs.
        batch_policy: the placement policy of the batch queues.
        vm_shares: of the VMs of every host, for the choices of VMs.
    """

    sharing: ProcessorSharing = field(default_factory=ProcessorSharing)
    cpu_load: CpuLoad = "jobs/speed"
    migration: MigrationCost = field(default_factory=MigrationCost)
    fractional: Fractional = field(default_factory=Fractional)
    needs: Literal["told", "learned"] = "told"
    batch_policy: str = "best-fit-memory"
    vm_shares: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    seed: int = 0


@dataclass(frozen=True)
class SharingRow:
    """One method on one log; times in simulated seconds, all means over the jobs that ran.

    Attributes:
        kind: `shared`, `fractional`, `vms` or `batch`.
        refused: jobs that never ran.
        mean_slowdown, median_slowdown: turnaround over the runtime on a machine of speed 1 for oneself.
        mean_stretch, p95_stretch, max_stretch: turnaround over max(runtime, 10 s), at least 1.
        mean_yield: runtime over the time from start to end, mean over jobs: how fast jobs ran once they had started.
        migrations: tasks moved.
    """

    method: str
    kind: str
    parameters: str
    jobs: int
    refused: int
    mean_wait_s: float
    mean_turnaround_s: float
    mean_slowdown: float
    median_slowdown: float
    mean_stretch: float
    p95_stretch: float
    max_stretch: float
    mean_yield: float
    migrations: int

    def as_dict(self) -> dict[str, Any]:
        """The row of `--json`; None for what no job was there to tell."""
        row = asdict(self)
        return {name: None if isinstance(x, float) and math.isnan(x) else x for name, x in row.items()}


def run_sharing(
    name: str, workload: Workload, cluster: Cluster, settings: SharingSettings = SharingSettings(),
    progress: Progress | None = None, sources: Sources = NO_SOURCES,
) -> SharingRow:  # fmt: skip
    """Run one method: of `METHODS` or `VM_CHOICES`, a placement policy, `fractional`, or a batch discipline.

    Raises:
        InputError: no such method.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[60, 60], cores=[1, 1], memory=[1, 1])
        >>> row = run_sharing("pvm", jobs, Cluster.uniform(1, cores=1, memory=4))
        >>> row.mean_slowdown, row.mean_yield, row.kind
        (2.0, 0.5, 'shared')
    """
    if name == FRACTIONAL:
        return _fractional(workload, cluster, settings, progress)
    if is_discipline(name):
        return _batch(name, workload, cluster, settings, progress, sources)
    if name in VM_CHOICES:
        return _vms(name, workload, cluster, settings, progress)
    return _time_shared(method_named(name, sources), workload, cluster, settings, progress)


def check_method(name: str, settings: SharingSettings) -> None:
    """Refuse at once what `run_sharing` would refuse.

    Raises:
        InputError: no such method, or a batch queue that is not told the needs.
    """
    if is_discipline(name) and settings.needs == "learned":
        raise InputError(
            name, "a batch queue must be told the needs: its tasks hold what they ask for",
            fix="leave it out, or use --needs told",
        )  # fmt: skip
    if name == FRACTIONAL or is_discipline(name) or name in VM_CHOICES:
        return
    plain, plus, _ = parts_of(name)
    if plus and (plain == FRACTIONAL or is_discipline(plain) or plain in VM_CHOICES):
        raise InputError(name, f"{plain} takes no mover", fix="movers go with methods and placement policies")
    known = [*METHODS, *POLICIES, FRACTIONAL, *ORDERS, *ORDERS_WITH_MEMORY, *BACKFILLINGS, *VM_CHOICES]
    if plain not in known and Reference.of(plain) is None:
        raise no_such(plain, known, what="method, placement policy or discipline")
    method_named(name)


def _told(workload: Workload, cluster: Cluster, settings: SharingSettings) -> Floats | None:
    if settings.needs == "told":
        return None
    prior = cluster.capacity.mean(axis=0) / cluster.capacity[:, 0].mean()  # one core, and the memory that goes with it
    return learned_needs(workload, prior)


def _time_shared(
    method: Method, workload: Workload, cluster: Cluster, settings: SharingSettings, progress: Progress | None
) -> SharingRow:
    problem = SharedProblem(
        workload, cluster, method, settings.sharing, settings.cpu_load, settings.migration,
        _told(workload, cluster, settings), settings.seed,
    )  # fmt: skip
    run = simulate_shared(problem, progress=progress)
    end_s = np.full(workload.jobs, -np.inf)
    np.maximum.at(end_s, problem.owner, run.end_s)
    return _row((method.name, "shared", method.parameters), workload, workload.submit_s, end_s, int(run.moves.sum()))


def _fractional(
    workload: Workload, cluster: Cluster, settings: SharingSettings, progress: Progress | None
) -> SharingRow:
    told = _told(workload, cluster, settings)
    if told is not None:
        told[:, 1:] = workload.demand[:, 1:]  # memory must fit: only the CPU need is learned
    problem = FractionalProblem(workload, cluster, settings.fractional, settings.migration, told)
    run = simulate_fractional(problem, progress=progress)
    what = (FRACTIONAL, "fractional", repr(settings.fractional))
    return _row(what, workload, run.start_s, run.end_s, int(run.moves.sum()))


def _vms(
    name: str, workload: Workload, cluster: Cluster, settings: SharingSettings, progress: Progress | None
) -> SharingRow:
    run = run_on_vms(name, workload, cluster, settings.vm_shares, progress)
    shares = " ".join(f"{share:g}" for share in settings.vm_shares)
    said = f"VMs of shares {shares} on each host, coupled jobs, EASY; only the CPU is looked at"
    if run.unsettled:
        said += f"; after {run.unsettled} events the speeds had not settled"
    what = (name, "vms", said)
    return _row(what, workload, run.start_s, run.end_s, 0)


def _batch(
    name: str, workload: Workload, cluster: Cluster, settings: SharingSettings, progress: Progress | None,
    sources: Sources,
) -> SharingRow:  # fmt: skip
    check_method(name, settings)
    policy, discipline = policy_named(settings.batch_policy, sources), discipline_named(name, sources)
    check_policy(policy, workload.demand, cluster.capacity, cluster.resources)
    assert cluster.speed is not None
    schedule = simulate(workload, cluster, policy, discipline, interval_s=0.0, seed=settings.seed, progress=progress)
    end_s = schedule.start_s + workload.runtime_s / slowest_of(workload, cluster.speed, schedule.host)
    what = (name, "batch", f"{settings.batch_policy}, decides at every event")
    return _row(what, workload, schedule.start_s, end_s, 0)


def slowest_of(workload: Workload, speed: Floats, host: Ints) -> Floats:
    """float64[J]: the speed of the slowest host of each job, 1 for one that never ran; float64[H], int32[T]."""
    pace = np.where(host >= 0, speed[host], 1.0)
    return np.asarray(np.minimum.reduceat(pace, workload.first_task[:-1])) if len(pace) else pace


def _row(what: tuple[str, str, str], workload: Workload, start_s: Floats, end_s: Floats, migrations: int) -> SharingRow:
    ran = np.isfinite(end_s)
    submit_s, start_s, end_s, runtime_s = (
        column[ran] if ran.any() else np.array([np.nan])
        for column in (workload.submit_s, start_s, end_s, workload.runtime_s)
    )
    turnaround_s = end_s - submit_s
    slowdown = turnaround_s / runtime_s
    stretch = np.maximum(1.0, turnaround_s / np.maximum(runtime_s, BOUND_S))
    return SharingRow(
        *what, jobs=workload.jobs, refused=int((~ran).sum()), mean_wait_s=float((start_s - submit_s).mean()),
        mean_turnaround_s=float(turnaround_s.mean()), mean_slowdown=float(slowdown.mean()),
        median_slowdown=float(np.median(slowdown)), mean_stretch=float(stretch.mean()),
        p95_stretch=float(np.quantile(stretch, 0.95)), max_stretch=float(stretch.max()),
        mean_yield=float((runtime_s / (end_s - start_s)).mean()), migrations=migrations,
    )  # fmt: skip
