"""`convert`: a log from one format to another."""

from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.log_options import READS, ReadingOptions, as_trace
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.model import Workload
    from loadmaster.traces import Trace


@dataclass(frozen=True)
class ConvertOptions(ReadingOptions):
    """All that `convert` can be told."""

    trace: Annotated[
        "str | Path | Trace | Workload", Option("The job log.", metavar="TRACE", argument=True, reads=True, typed=Path)
    ]
    out: Annotated[
        "str | Path",
        Option("The file to write: .swf, .csv (also .gz) or .parquet.", metavar="OUT", argument=True, typed=Path),
    ]
    _: KW_ONLY

    def read(self) -> "Trace":
        """The log with every column that it has.

        Raises:
            InputError: no such file, it cannot be read, or options of reading for a log that is read already.
        """
        from loadmaster.verbs.progress import reading

        if isinstance(self.trace, str | Path):
            options = replace(self.reading(), all_fields=True, find_hosts=False)
            return reading(Path(self.trace), options)
        refuse_unused(self, READS, "the log is read already", "give it to loadmaster.read")
        return as_trace(self.trace)


def convert_with(options: ConvertOptions) -> "Trace":
    """Write a job log in another format, in the order of arrival, the first arrival at 0.

    Args:
        options: which log, and where to.

    Returns:
        The log as it was written; its notes tell what the format has no place for.

    Raises:
        InputError: it cannot be read or written, or would be written over while it is read.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.traces import write_trace
    from loadmaster.traces.writer import kind_of

    out, given = Path(options.out), options.trace
    if isinstance(given, str | Path) and out.exists() and Path(given).exists() and out.samefile(given):
        raise InputError(out.name, "the log would be overwritten while it is read", fix="choose another name")
    kind_of(out)
    read = options.unnamed(options.read())
    lost = write_trace(read.workload, out, read.extra, read.recipe)
    if read.listed_s is not None:
        keeps = "The written log keeps the starts of the jobs that run"
        lost = (*lost, f"{keeps}, but a run of it does not go on from the listing: run the listing itself.")
    return replace(read, notes=(*read.notes, *lost))


convert = called_with(ConvertOptions, convert_with)
