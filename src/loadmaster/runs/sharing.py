"""One log under several ways to share its machines: time-shared, fractional, and the batch queue they would replace."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.arrays import Floats
from loadmaster.move.migration import MigrationCost
from loadmaster.order import DISCIPLINES
from loadmaster.place.load import policy_named
from loadmaster.schedule.fractional import Fractional
from loadmaster.schedule.time_shared import method_named
from loadmaster.share.learned_needs import learned_needs
from loadmaster.share.processor_sharing import ProcessorSharing
from loadmaster.share.shared_hosts import CpuLoad
from loadmaster.sim import simulate
from loadmaster.sim.shared_engine import simulate_shared
from loadmaster.sim.shared_fractional import FractionalProblem, simulate_fractional
from loadmaster.sim.shared_run import SharedProblem

BOUND_S = 10.0
FRACTIONAL = "fractional"


@dataclass(frozen=True)
class SharingSettings:
    """What all ways to share have in common.

    Attributes:
        needs: `told`, or `learned`: policies see only what they observed of earlier jobs.
        batch_policy: the placement policy of the batch queues.
    """

    sharing: ProcessorSharing = field(default_factory=ProcessorSharing)
    cpu_load: CpuLoad = "jobs/speed"
    migration: MigrationCost = field(default_factory=MigrationCost)
    fractional: Fractional = field(default_factory=Fractional)
    needs: Literal["told", "learned"] = "told"
    batch_policy: str = "best-fit-memory"
    seed: int = 0


@dataclass(frozen=True)
class SharingRow:
    """One method on one log; times in simulated seconds, slowdown over the runtime on a machine for oneself.

    Attributes:
        refused: jobs that never ran.
        mean_stretch: turnaround over max(runtime, 10 s), at least 1.
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
    migrations: int

    def as_dict(self) -> dict[str, Any]:
        """The row of `--json`."""
        return asdict(self)


def run_sharing(
    name: str, workload: Workload, cluster: Cluster, settings: SharingSettings = SharingSettings(),
    progress: Callable[[int, int], None] | None = None,
) -> SharingRow:  # fmt: skip
    """Run one method: a name of `METHODS`, a placement policy, `fractional`, or a discipline of the batch queue.

    Raises:
        InputError: no such method.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[60, 60], cores=[1, 1], memory=[1, 1])
        >>> row = run_sharing("pvm", jobs, Cluster.uniform(1, cores=1, memory=4))
        >>> row.mean_slowdown, row.kind
        (2.0, 'shared')
    """
    if name == FRACTIONAL:
        return _fractional(workload, cluster, settings, progress)
    if name in DISCIPLINES:
        return _batch(name, workload, cluster, settings)
    return _time_shared(name, workload, cluster, settings, progress)


def _told(workload: Workload, cluster: Cluster, settings: SharingSettings) -> Floats | None:
    if settings.needs == "told":
        return None
    prior = cluster.capacity.mean(axis=0) / cluster.capacity[:, 0].mean()  # one core, and the memory that goes with it
    return learned_needs(workload, prior)


def _time_shared(name, workload, cluster, settings, progress) -> SharingRow:  # type: ignore[no-untyped-def]
    method = method_named(name)
    problem = SharedProblem(
        workload, cluster, method, settings.sharing, settings.cpu_load, settings.migration,
        _told(workload, cluster, settings), settings.seed,
    )  # fmt: skip
    run = simulate_shared(problem, progress=progress)
    end = np.full(workload.jobs, -np.inf)
    np.maximum.at(end, problem.owner, run.end_s)
    return _row(name, "shared", method.parameters, workload, workload.submit_s, end, int(run.moves.sum()))


def _fractional(workload, cluster, settings, progress) -> SharingRow:  # type: ignore[no-untyped-def]
    told = _told(workload, cluster, settings)
    if told is not None:
        told[:, 1:] = workload.demand[:, 1:]  # memory must fit: only the CPU need is learned
    problem = FractionalProblem(workload, cluster, settings.fractional, settings.migration, told)
    run = simulate_fractional(problem, progress)
    return _row(FRACTIONAL, "fractional", repr(settings.fractional), workload, run.start_s, run.end_s, run.moves)


def _batch(name: str, workload: Workload, cluster: Cluster, settings: SharingSettings) -> SharingRow:
    if settings.needs == "learned":
        raise InputError(name, "a batch queue must be told the needs: its tasks hold what they ask for")
    policy = policy_named(settings.batch_policy)
    schedule = simulate(workload, cluster, policy, DISCIPLINES[name][0](), interval_s=0.0, seed=settings.seed)
    end = schedule.start_s + workload.runtime_s
    parameters = f"{settings.batch_policy}, decides at every event"
    assert cluster.speed is not None
    if (cluster.speed != 1.0).any():
        parameters += "; counts every host as speed 1, so it is too good on these machines"
    return _row(name, "batch", parameters, workload, schedule.start_s, end, 0)


def _row(name, kind, parameters, workload, start_s, end_s, migrations) -> SharingRow:  # type: ignore[no-untyped-def]
    ran = np.isfinite(end_s)
    turnaround, runtime = (end_s - workload.submit_s)[ran], workload.runtime_s[ran]
    stretch = np.maximum(1.0, turnaround / np.maximum(runtime, BOUND_S))
    slowdown = turnaround / runtime
    if not ran.any():
        stretch = slowdown = turnaround = np.array([np.nan])
    return SharingRow(
        name, kind, parameters, workload.jobs, int((~ran).sum()),
        float((start_s - workload.submit_s)[ran].mean()) if ran.any() else np.nan, float(turnaround.mean()),
        float(slowdown.mean()), float(np.median(slowdown)), float(stretch.mean()), float(np.quantile(stretch, 0.95)),
        float(stretch.max()), migrations,
    )  # fmt: skip
