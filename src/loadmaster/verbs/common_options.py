"""Options that several verbs take, written once: type, help, limits."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from loadmaster.verbs.option import Option

if TYPE_CHECKING:
    from loadmaster.model import Cluster

MACHINES, RUN = "The machines", "The run"
"""Headings of `--help` below which options stand."""

Hosts = Annotated[
    "str | Path | Cluster | None",
    Option(
        "Machines: 200x16c64g,4x64c512g8gpu or a file.", metavar="HOSTS", panel=MACHINES, reads=True, typed=str | None
    ),
]
Spread = Annotated[
    Literal["auto", "single-host", "any", "asked"],
    Option(
        "Hosts for the tasks of one job. auto: as the log and its machines suggest; asked: as each job requests.",
        panel=MACHINES,
    ),
]
Estimates = Annotated[
    str | float,
    Option(
        "Runtimes that disciplines expect: the user's estimate, the real runtime, the mean of the user's last two, the "
        "estimate times FACTOR.",
        metavar="user|exact|last-two|FACTOR",
        panel=RUN,
        typed=str,
    ),
]
Overrun = Annotated[str, Option("Whether a job at its limit runs on or is killed.", metavar="run|kill", panel=RUN)]
Seed = Annotated[int, Option("Seed of every random draw.", least=0, below=2**63)]
PageFolder = Annotated[
    "str | Path | None",
    Option("Folder for the page, report.html.", metavar="DIR", flags=("-o", "--out"), typed=Path | None),
]
