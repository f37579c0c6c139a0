"""`read` and `hosts`: a log and machines as values that can be used more than once."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.log_options import ReadingOptions
from loadmaster.verbs.option import Option, called_with

if TYPE_CHECKING:
    from loadmaster.model import Cluster
    from loadmaster.traces import Trace


@dataclass(frozen=True)
class ReadVerbOptions(ReadingOptions):
    """All that `read` can be told."""

    path: Annotated["str | Path", Option("The job log.", argument=True, reads=True)] = ""
    hosts: Annotated[
        "str | Path | Cluster | None",
        Option(
            "Its machines, where the log does not name them: 200x16c64g, a file, or what `hosts` gives.", reads=True
        ),
    ] = None
    _: KW_ONLY


def read_with(options: ReadVerbOptions) -> "Trace":
    """Read a job log of any known format.

    Returns:
        `workload`, `cluster` where the log or a file beside it names its machines, `skipped` lines and `notes`.

    Raises:
        InputError: no such file, or it cannot be read.
    """
    from loadmaster.traces import read_trace

    return options.unnamed(read_trace(Path(options.path), options.reading(options.hosts)))


def hosts(machines: "str | Path") -> "Cluster":
    """Machines from the short form, or from a file: CSV, Parquet, YAML, slurm.conf, what `scontrol show node` prints.

    Raises:
        InputError: neither a file nor the short form, or hosts that break a rule.

    Example:
        >>> hosts("200x16c64g,4x64c512g8gpu").hosts
        204
    """
    from loadmaster.site.machines import read_machines

    return read_machines(machines)


read = called_with(ReadVerbOptions, read_with)
