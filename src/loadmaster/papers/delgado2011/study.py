"""The runs behind the poster: stream x platform x load x choice of VMs, each made once."""

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from loadmaster import __version__
from loadmaster.papers.delgado2011.streams import Stream, at_load
from loadmaster.share.virtual_machines import VirtualMachines
from loadmaster.sim.shared_vms import Ranking, VmProblem, as_bags, simulate_vms
from loadmaster.whole_file import whole_file

MACHINES = 64
PLATFORMS = {"homogeneous": (1.0, 1.0, 1.0, 1.0), "heterogeneous": (1.0, 1.0, 2.0, 4.0)}
BOUND_S = 10.0


@dataclass(frozen=True)
class Case:
    """One run.

    Attributes:
        stream: name of the stream.
        platform: a name of `PLATFORMS`.
        load: CPU asked over CPU there, on arrivals.
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
class Row:
    """What one run came to; NaN where nothing could be measured. `unsettled` as in `VmRun`."""

    efficiency: float
    efficiency_full: float
    part_full: float
    speed: float
    serial_stretch: float
    wait_s: float
    bounded_slowdown: float
    unsettled: int


def run_case(case: Case, stream: Stream) -> Row:
    """Make the run and measure it."""
    shares = PLATFORMS[case.platform]
    vms = VirtualMachines.alike(MACHINES, shares, (), (case.capped, *[1.0] * (len(shares) - 1)))
    workload = at_load(stream.workload, MACHINES, case.load)
    if not case.coupled:
        workload = as_bags(workload)
    run = simulate_vms(
        VmProblem(workload, vms, case.choice, ranking=case.ranking, redistribute=case.redistribute)
    )  # fmt: skip
    speed = run.speed(workload)
    serial = workload.task_count == 1
    response = run.end_s - workload.submit_s
    return Row(
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
    cases: Sequence[Case],
    streams: dict[str, Stream],
    folder: Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[Case, Row]:
    """All runs, on all cores; those recorded in `folder` are read, not made again."""  # fmt: skip
    rows: dict[Case, Row] = {}
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)

    def one(case: Case) -> Row:
        stream = streams[case.stream]
        path = folder / f"{_key(case, stream)}.json" if folder is not None else None
        if path is not None and path.is_file():
            return Row(**json.loads(path.read_text()))
        row = run_case(case, stream)
        if path is not None:
            with whole_file(path) as part:
                part.write_text(json.dumps(asdict(row)))
        return row

    with ThreadPoolExecutor() as pool:
        for case, row in zip(cases, pool.map(one, cases), strict=True):
            rows[case] = row
            if progress is not None:
                progress(1)
    return rows


def _key(case: Case, stream: Stream) -> str:
    """Names a run by its case, the very jobs of its stream, what is measured, and the version of the program."""
    about = (asdict(case), [field.name for field in fields(Row)], __version__)
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for column in (stream.workload.submit_s, stream.workload.runtime_s, stream.workload.task_count):
        digest.update(column.tobytes())
    return digest.hexdigest()[:16]
