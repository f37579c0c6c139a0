"""Options that several verbs share, written once."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from loadmaster.traces import ReadOptions, Trace

LOG = "The log"
MACHINES = "The machines"

TracePath = Annotated[Path, typer.Argument(metavar="TRACE", help="The job log.")]
OptionalTrace = Annotated[
    Path | None, typer.Argument(metavar="[TRACE]", help="The job log; without it, a small synthetic demo.")
]
Hosts = Annotated[
    str | None,
    typer.Option(metavar="HOSTS", help="Machines: 200x16c64g,4x64c512g8gpu or a file.", rich_help_panel=MACHINES),
]
SpreadOption = Annotated[
    Literal["auto", "single-host", "any", "asked"],
    typer.Option(
        "--spread",
        help="Where the tasks of one job may go; auto goes by the log and its machines, asked by what each job asks.",
        rich_help_panel=MACHINES,
    ),
]
SharedSpreadOption = Annotated[
    Literal["auto", "single-host", "any"],
    typer.Option(
        "--spread",
        help="Where the tasks of one job may go; auto goes by the log and its machines.",
        rich_help_panel=MACHINES,
    ),
]
"""On shared machines nothing keeps the tasks of a job apart."""
Format = Annotated[str, typer.Option("--format", help="Format of the log; told by its content.", rich_help_panel=LOG)]
SwfMemoryOption = Annotated[
    Literal["per-processor", "job-total"],
    typer.Option("--swf-memory", help="What the memory fields of an SWF log mean.", rich_help_panel=LOG),
]
MemoryUnit = Annotated[
    str | None,
    typer.Option(metavar="UNIT", help="Unit of plain numbers of memory: B, KB, MB, GB.", rich_help_panel=LOG),
]
SwfPartitionOption = Annotated[
    Literal["16", "15"],
    typer.Option("--swf-partition", help="The field of SWF that names the partition.", rich_help_panel=LOG),
]
SwfFeedbackOption = Annotated[
    Literal["ignore", "closed"],
    typer.Option("--swf-feedback", help="What fields 17 and 18 of SWF do to the arrivals.", rich_help_panel=LOG),
]
Ignore = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT,...", help="Constraints of the log to leave aside: exclusive, depends, ..., or all.",
        rich_help_panel=LOG,
    ),
]  # fmt: skip
Columns = Annotated[
    str | None,
    typer.Option(metavar="OURS=THEIRS,...", help="Names of the columns in a CSV or Parquet log.", rich_help_panel=LOG),
]
Limit = Annotated[int | None, typer.Option(min=1, help="Read only the first so many jobs.", rich_help_panel=LOG)]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first bad line.", rich_help_panel=LOG)]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run the Python of a policy file that the record carries; read it first.")
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


def _checked_seed(seed: int) -> int:
    if seed >= 2**63:
        raise typer.BadParameter(f"{seed} is not below 2^63")
    return seed


Seed = Annotated[int, typer.Option(min=0, callback=_checked_seed, help="Seed of every random draw.")]


def read_options(
    trace_format: str = "auto",
    swf_memory: Literal["per-processor", "job-total"] = "per-processor",
    memory_unit: str | None = None,
    columns: str | None = None,
    limit: int | None = None,
    strict: bool = False,
    hosts: str | None = None,
    *,
    swf_partition: Literal["16", "15"] = "16",
    swf_feedback: Literal["ignore", "closed"] = "ignore",
    ignore: str | None = None,
) -> "ReadOptions":
    """The reader's options from those of the command line.

    Raises:
        InputError: `columns` does not read OURS=THEIRS,...
    """
    from loadmaster.model.errors import InputError
    from loadmaster.site.machines import slurm_machines
    from loadmaster.traces import ReadOptions

    names = {}
    for pair in (columns or "").split(","):
        ours, equals, theirs = pair.partition("=")
        if pair and not (ours.strip() and equals and theirs.strip()):
            raise InputError(pair, "not a pair of column names", fix="write it like --columns submit_s=submitted")
        if pair:
            names[ours.strip()] = theirs.strip()
    machines = hosts if hosts is None else slurm_machines(hosts) or hosts
    return ReadOptions(
        trace_format, swf_memory, memory_unit, strict, limit, machines, names,
        swf_partition=swf_partition, swf_feedback=swf_feedback,
        ignore=tuple(name.strip() for name in (ignore or "").split(",") if name.strip()),
    )  # fmt: skip


def read_log(path: Path, options: "ReadOptions") -> "Trace":
    """`read_trace` with a progress bar on stderr where a person is watching."""
    from dataclasses import replace

    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from loadmaster.traces import read_trace

    console = Console(stderr=True)
    columns = (
        TextColumn("reading {task.description}", markup=False),
        BarColumn(),
        "{task.percentage:.0f} %",
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(path.name, total=1.0)
        return read_trace(path, replace(options, progress=lambda part: bar.update(task, completed=part)))
