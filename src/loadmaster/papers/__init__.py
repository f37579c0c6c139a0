"""One file or folder a reproduced paper: set-up, run, published value beside ours.

Each has `reproduce(options: Options) -> Reproduction`.
"""

from dataclasses import dataclass
from pathlib import Path

from loadmaster.dask_client import DaskAddress

PAPERS: dict[str, str] = {
    "amir2000": "loadmaster.papers.amir2000",
    "casanova2008": "loadmaster.papers.casanova2008",
    "delgado2011": "loadmaster.papers.delgado2011",
    "shai2014": "loadmaster.papers.shai2014",
    "silva2008": "loadmaster.papers.silva2008",
}
"""Module of every paper that `loadmaster reproduce` knows, by the paper's name (author and year)."""


@dataclass(frozen=True)
class Options:
    """What a user may say to `loadmaster reproduce`.

    Attributes:
        quick: the same experiments with fewer runs, in some minutes; what they cannot tell is reported only.
        seed: of the first random stream.
        out: folder for pages, charts and the records from which an interrupted run goes on.
        traces: folder with real logs, where the user has them; claims that need them are else `not measured`.
        trace: one log given by the user.
        on: a Dask scheduler for papers made of independent runs; None uses this machine's cores.
    """

    quick: bool = False
    seed: int = 0
    out: Path = Path("reproduction")
    traces: Path | None = None
    trace: Path | None = None
    on: DaskAddress | None = None
