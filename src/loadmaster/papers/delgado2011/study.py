"""The runs behind the poster: stream x platform x load x choice of VMs, each made once."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from loadmaster.papers.delgado2011.streams import JobStream, at_load
from loadmaster.papers.study_cells import run_kept
from loadmaster.results.block import fields_of, from_row
from loadmaster.results.dask_client import DaskAddress
from loadmaster.results.study import Cell, Moved, Work
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sim.vms.simulation import Ranking, VmProblem, as_bags, simulate_vms

MACHINES = 64
PLATFORMS = {"homogeneous": (1.0, 1.0, 1.0, 1.0), "heterogeneous": (1.0, 1.0, 2.0, 4.0)}
BOUND_S = 10.0


@dataclass(frozen=True)
class StudyCase:
    """One run.

    Attributes:
        stream: name of the stream.
        platform: a name of `PLATFORMS`.
        load: CPU requested over CPU there, on arrivals.
        choice: of VMs.
        coupled: False: every task is a job of its own.
        capped: the first VM of every machine gets at most this much.
        redistribute: False: what throttled VMs leave is lost.
    """

    stream: str
    platform: str
    load: float
    choice: str
    ranking: Ranking = "incremental"
    coupled: bool = True
    capped: float = 1.0
    redistribute: bool = True


@dataclass(frozen=True)
class StudyRow:
    """The results of one run; NaN where nothing could be measured. `unsettled` as in `VmRun`."""

    efficiency: float
    efficiency_full: float
    part_full: float
    speed: float
    serial_stretch: float
    wait_s: float
    bounded_slowdown: float
    unsettled: int


def run_case(case: StudyCase, stream: JobStream) -> StudyRow:
    """Make the run and measure it."""
    shares = PLATFORMS[case.platform]
    vms = VirtualMachines.alike(MACHINES, shares, (), (case.capped, *[1.0] * (len(shares) - 1)))
    workload = at_load(stream.workload, MACHINES, case.load)
    if not case.coupled:
        workload = as_bags(workload)
    run = simulate_vms(VmProblem(workload, vms, case.choice, ranking=case.ranking, redistribute=case.redistribute))
    speed = run.speed(workload)
    serial = workload.task_count == 1
    response = run.end_s - workload.submit_s
    return StudyRow(
        run.efficiency(vms),
        run.efficiency_when_full(vms),
        run.full_s / run.busy_s,
        float(speed.mean()),
        float((1.0 / speed[serial]).mean()) if serial.any() else float("nan"),
        float((run.start_s - workload.submit_s).mean()),
        float(np.maximum(1.0, response / np.maximum(workload.runtime_s, BOUND_S)).mean()),
        run.unsettled,
    )


def run_cases(
    cases: Sequence[StudyCase],
    streams: dict[str, JobStream],
    folder: Path | None = None,
    progress: Callable[[int], None] | None = None,
    on: DaskAddress | None = None,
) -> dict[StudyCase, StudyRow]:
    """All runs, on all cores; those kept in `folder` are read, not made again."""
    work = Work("delgado2011", (__name__,), make_case, dict(streams), from_row, row_of)
    jobs = {name: _digest(stream) for name, stream in streams.items()}
    cells = [Cell(work.key(case=case, jobs=jobs[case.stream]), case, asdict(case)) for case in cases]
    return dict(zip(cases, run_kept(work, cells, folder, progress, on), strict=True))


def make_case(streams: dict[str, JobStream], case: StudyCase, _moved: Moved) -> StudyRow:
    """The run of `case` on its stream."""
    return run_case(case, streams[case.stream])


def row_of(block: bytes) -> StudyRow:
    """Read back the bytes under which a row of the study was kept."""
    return StudyRow(**fields_of(block))


def _digest(stream: JobStream) -> str:
    """Names the very jobs of a stream."""
    digest = sha256()
    for column in (stream.workload.submit_s, stream.workload.runtime_s, stream.workload.task_count):
        digest.update(column.tobytes())
    return digest.hexdigest()
