"""One file or folder a reproduced paper: set-up, run, published value beside ours.

Each has `reproduce(options: StudyOptions) -> Reproduction`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from loadmaster.results.dask_client import DaskAddress
from loadmaster.results.watch import Watch


class Paper(NamedTuple):
    """Where a paper's reproduction stands; what else of `StudyOptions` it takes: `traces`, `trace`, `live`."""

    module: str
    reads: tuple[str, ...] = ()


PAPERS: dict[str, Paper] = {
    "amir2000": Paper("loadmaster.papers.amir2000", ("live",)),
    "carastan2017": Paper("loadmaster.papers.carastan2017", ("traces",)),
    "casanova2008": Paper("loadmaster.papers.casanova2008", ("live",)),
    "delgado2011": Paper("loadmaster.papers.delgado2011", ("traces",)),
    "matrix": Paper("loadmaster.papers.matrix"),
    "shai2014": Paper("loadmaster.papers.shai2014", ("traces", "trace")),
    "silva2008": Paper("loadmaster.papers.silva2008", ("traces",)),
    "tsafrir2007": Paper("loadmaster.papers.tsafrir2007", ("traces",)),
}
"""Every paper that `loadmaster reproduce` knows, by its name (author and year)."""


@dataclass(frozen=True)
class StudyOptions:
    """What a user may say to `loadmaster reproduce`.

    Attributes:
        quick: the same experiments with fewer runs, in some minutes; what they cannot tell is reported only.
        seed: of the first random stream.
        out: folder for pages, charts and the records from which an interrupted run goes on.
        traces: folder with real logs, where the user has them; claims that need them are else `not measured`.
        trace: one log given by the user.
        on: a Dask scheduler; None uses this machine's cores.
        live: measure on this machine what only real processes can show; such claims are else `not measured`.
        watch: called with the progress of each part of the work; None calls nothing.
    """

    quick: bool = False
    seed: int = 0
    out: Path = Path("reproduction")
    traces: Path | None = None
    trace: Path | None = None
    on: DaskAddress | None = None
    live: bool = False
    watch: Watch | None = None
