"""Runs of queue disciplines over sequences of jobs, each made once, kept, and measured."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from loadmaster.measure.queue_metrics import metrics
from loadmaster.model.arrays import Floats
from loadmaster.papers.log_sequences import LogSequences, digest_of
from loadmaster.papers.study_cells import run_kept
from loadmaster.place import POLICIES
from loadmaster.results.block import fields_of, from_row
from loadmaster.results.dask_client import DaskAddress
from loadmaster.results.study import Cell, Moved, Work
from loadmaster.scheduling import discipline_named
from loadmaster.scheduling.estimate_model import estimate_model_named
from loadmaster.sim.queue import simulate


@dataclass(frozen=True)
class QueueCase:
    """One run.

    Attributes:
        log: name of the `LogSequences`.
        part: number of its sequence.
        discipline: such as `fcfs+easy`.
        estimates: what the discipline expects, such as `user` or `last-two`.
    """

    log: str
    part: int
    discipline: str
    estimates: str = "user"


@dataclass(frozen=True)
class QueueRow:
    """The results of one run.

    Attributes:
        wait_s, bounded_slowdown: means over the jobs.
        accuracy: mean over the jobs of the smaller of runtime and expected runtime over the larger.
        below: part of the jobs that were expected to run shorter than they did.
    """

    wait_s: float
    bounded_slowdown: float
    accuracy: float
    below: float


Rows = dict[QueueCase, QueueRow]


def run_case(case: QueueCase, log: LogSequences) -> QueueRow:
    """Make the run and measure it."""
    work, cluster = log.parts[case.part], log.cluster
    model = estimate_model_named(case.estimates)
    schedule = simulate(work, cluster, POLICIES["first-fit"], discipline_named(case.discipline), estimate_model=model)
    measured = metrics(work, cluster, schedule)
    expected_s = np.maximum(schedule.expects_s(model.estimated(work)), 1.0)
    shorter, longer = np.minimum(work.runtime_s, expected_s), np.maximum(work.runtime_s, expected_s)
    return QueueRow(
        measured.mean_wait_s,
        measured.mean_bounded_slowdown,
        float((shorter / longer).mean()),
        float((expected_s < work.runtime_s).mean()),
    )


def run_cases(
    kind: str,
    cases: Sequence[QueueCase],
    logs: Sequence[LogSequences],
    folder: Path | None = None,
    progress: Callable[[int], None] | None = None,
    on: DaskAddress | None = None,
) -> Rows:
    """All runs, on all cores; those kept in `folder` are read, not made again."""
    shared = {log.name: log for log in logs}
    work = Work(kind, (__name__,), make_case, shared, from_row, row_of)
    jobs = {(log.name, k): digest_of(part) for log in logs for k, part in enumerate(log.parts)}
    cells = [Cell(work.key(case=case, jobs=jobs[case.log, case.part]), case, asdict(case)) for case in cases]
    return dict(zip(cases, run_kept(work, cells, folder, progress, on), strict=True))


def make_case(logs: dict[str, LogSequences], case: QueueCase, _moved: Moved) -> QueueRow:
    """The run of `case` on its sequence."""
    return run_case(case, logs[case.log])


def row_of(block: bytes) -> QueueRow:
    """Read back the bytes under which a row was kept."""
    return QueueRow(**fields_of(block))


def over_parts(rows: Rows, log: LogSequences, discipline: str, estimates: str, field: str) -> Floats:
    """float64[parts]: `field` of the runs of all sequences of `log`."""
    cases = (QueueCase(log.name, part, discipline, estimates) for part in range(len(log.parts)))
    return np.array([getattr(rows[case], field) for case in cases])
