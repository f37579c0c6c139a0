"""The simulation study of Amir et al. 2000: many executions, every method on the same stream."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.move.enhanced_mosix import EnhancedMosix
from loadmaster.move.migration import MigrationCost
from loadmaster.move.mosix import Mosix
from loadmaster.papers.study_cells import run_kept
from loadmaster.results.block import arrays_of, from_arrays
from loadmaster.results.dask_client import DaskAddress
from loadmaster.results.study import Cell, Moved, Work
from loadmaster.scheduling.time_shared import METHODS, Method, method_named
from loadmaster.sharing.host_loads import CpuLoad
from loadmaster.sharing.learned_needs import learned_needs
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.simulation import simulate_timeshared
from loadmaster.traces.opportunity import ComponentMemory, ComponentWork, MemoryCap, generate_opportunity

SlowdownUnit = Literal["component", "parent"]
BLOCK = 50
"""Executions in a block: what a worker makes at a time and what an interrupted study never makes again."""


@dataclass(frozen=True)
class Setup:
    """The choices that the paper leaves open (rules S4 and W3) and the sizes of a study.

    Attributes:
        cluster: which guess at the six machines (`CLUSTERS`).
        cpu_load: how the opportunity cost reads a host's CPU load.
        slowdown_unit: whether each component of a parallel job counts as a job, or the last one's end for all.
        methods: compared on the same streams.
        needs: whether placement is told a job's memory or believes it to be the mean of those seen before.
        mosix: the reconstruction's parameters; Enhanced Mosix has the same period and contacts.
    """

    cluster: str = "three-kinds"
    cpu_load: CpuLoad = "jobs/speed"
    component_work: ComponentWork = "each"
    component_memory: ComponentMemory = "split"
    memory_cap: MemoryCap = "clip"
    slowdown_unit: SlowdownUnit = "component"
    thrash: float = 10.0
    pause_s: float = 0.0
    methods: tuple[str, ...] = ("pvm", "e-pvm", "mosix", "e-mosix")
    mosix: Mosix = field(default_factory=Mosix)
    needs: Literal["told", "learned"] = "told"
    executions: int = 3000
    seed: int = 0

    def method(self, name: str) -> Method:
        """The method with this study's reconstruction of Mosix and its limits on knowledge."""
        method = METHODS.get(name) or method_named(name)
        if type(method.mover) is Mosix:
            return replace(method, mover=self.mosix)
        if type(method.mover) is EnhancedMosix:
            return replace(method, mover=EnhancedMosix(self.mosix.period_s, self.mosix.fanout))
        return method


class MethodSlowdowns(NamedTuple):
    """Slowdowns of N executions under M methods, in the order of `Setup.methods`."""

    total: Floats  # [N, M], sum over the jobs of an execution
    jobs: Longs  # [N]
    median: Floats  # [N, M]
    moves: Floats  # [N, M], migrations a job

    @property
    def by_execution(self) -> Floats:
        """float64[N, M]: the mean slowdown of each execution."""
        return np.asarray(self.total / self.jobs[:, None])

    @property
    def by_job(self) -> Floats:
        """float64[M]: all jobs of all executions pooled."""
        return np.asarray(self.total.sum(axis=0) / self.jobs.sum())


def run_block(setup: Setup, first: int, last: int, moved: Moved = lambda _done: None) -> MethodSlowdowns:
    """Executions `first` up to `last`: pure, so that any worker anywhere makes the same numbers."""
    rows = []
    for number in range(first, last):
        rows.append(execution(setup, number))
        moved(len(rows))
    total, jobs, median, moves = (np.array(column) for column in zip(*rows, strict=True))
    return MethodSlowdowns(total, jobs.astype(np.int64), median, moves)


def execution(setup: Setup, number: int) -> tuple[list[float], int, list[float], list[float]]:
    """One stream under every method: sums and medians of slowdowns, jobs, migrations a job."""
    trace = generate_opportunity(
        setup.cluster,
        component_work=setup.component_work,
        component_memory=setup.component_memory,
        memory_cap=setup.memory_cap,
        seed=(setup.seed, number),
    )
    workload = trace.workload
    assert trace.cluster is not None
    owner = np.repeat(np.arange(workload.jobs), workload.task_count)
    told = learned_needs(workload, np.array([1.0, 0.0])) if setup.needs == "learned" else None
    sums, medians, moves = [], [], []
    for name in setup.methods:
        run = simulate_timeshared(
            TimesharedProblem(
                workload,
                trace.cluster,
                setup.method(name),
                cpu_load=setup.cpu_load,
                migration=MigrationCost(setup.pause_s),
                told=told,
                seed=number,
                thrash=setup.thrash,
            )
        )
        slowdown = (run.end_s - workload.submit_s[owner]) / workload.runtime_s[owner]
        if setup.slowdown_unit == "parent":
            assert workload.job_id is not None
            slowdown = np.array([slowdown[workload.job_id[owner] == j].max() for j in np.unique(workload.job_id)])
        sums.append(float(slowdown.sum()))
        medians.append(float(np.median(slowdown)))
        moves.append(float(run.moves.sum()) / len(slowdown))
    return sums, len(slowdown), medians, moves


def run_study(
    setup: Setup,
    folder: Path | None = None,
    on: DaskAddress | None = None,
    progress: Callable[[int], None] | None = None,
) -> MethodSlowdowns:
    """All executions; blocks already kept in `folder` are read, not made again.

    Args:
        setup: the study.
        folder: where finished blocks are kept; None keeps none.
        on: a Dask scheduler; None uses the cores of this machine.
        progress: told the number of executions finished.
    """
    endless = replace(setup, executions=0)  # a block is the same, however many there are
    work = Work(
        "amir2000",
        (__name__,),
        make_block,
        endless,
        from_outcome,
        outcome_of,
        prepare=lambda _starts, _watch: _compile(setup),
        steps=BLOCK,
    )
    starts = range(0, setup.executions, BLOCK)
    cells = [Cell(work.key(setup=endless, start=start), start, {"execution": start}) for start in starts]
    blocks = run_kept(work, cells, folder, progress, on)
    columns = (np.concatenate(column)[: setup.executions] for column in zip(*blocks, strict=True))
    return MethodSlowdowns(*columns)


def make_block(setup: Setup, start: int, moved: Moved) -> MethodSlowdowns:
    """The block that begins with execution `start`."""
    return run_block(setup, start, start + BLOCK, moved)


def from_outcome(outcome: MethodSlowdowns) -> bytes:
    """A block's results as it is kept."""
    return from_arrays(outcome._asdict())


def outcome_of(block: bytes) -> MethodSlowdowns:
    """The results that `from_outcome` wrote."""
    return MethodSlowdowns(**arrays_of(block))


def _compile(setup: Setup) -> None:
    run_block(setup, 0, 1)
