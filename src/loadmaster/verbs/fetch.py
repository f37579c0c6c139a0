"""`fetch`: a log of the Parallel Workloads Archive, by name, into the user's cache."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.option import Option, Options, called_with

if TYPE_CHECKING:
    from loadmaster.traces.archive import FetchedLog


@dataclass(frozen=True)
class FetchOptions(Options):
    """All that `fetch` can be told."""

    name: Annotated[str, Option("The log, such as SDSC-SP2.", argument=True)]
    _: KW_ONLY
    folder: Annotated["str | Path | None", Option("Folder for the log; default: your cache.", typed=Path | None)] = None
    mirror: Annotated[str | None, Option("Address of a copy of the archive.", metavar="URL")] = None
    sha256: Annotated[str | None, Option("SHA-256 that the file must have.", metavar="HEX")] = None


def fetch_with(options: FetchOptions) -> "FetchedLog":
    """Fetch a log of the Parallel Workloads Archive, unless the cache has it.

    Returns:
        Where it lies, and its checksum.

    Raises:
        InputError: no such log, the archive cannot be reached, or the file is not the expected one.
    """
    from loadmaster.traces.archive import ADDRESS, fetch_log

    folder = None if options.folder is None else Path(options.folder)
    return fetch_log(options.name, folder, options.mirror or ADDRESS, options.sha256 or "")


def fetched_path(options: FetchOptions) -> Path:
    """Fetch a log of the Parallel Workloads Archive, unless the cache has it.

    Returns:
        Its file, for `loadmaster.read` and all verbs. What must be known of it goes to stderr.

    Raises:
        InputError: no such log, the archive cannot be reached, or the file is not the expected one.
    """
    from loadmaster.report.console import for_notes

    log = fetch_with(options)
    for note in log.notes:
        for_notes().print(f"Note: {note}")
    return log.path


fetch = called_with(FetchOptions, fetched_path)
