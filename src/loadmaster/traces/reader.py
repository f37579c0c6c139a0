"""Read a log of any known format, and the machines that lie in or beside it."""

import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from loadmaster.model import Cluster, Constraints, InputError, Workload
from loadmaster.model.errors import LoadmasterError, one_line
from loadmaster.system.counted import counted
from loadmaster.traces.azure2020 import is_database
from loadmaster.traces.files import checked_text, files_of, head_of, unpacked_name
from loadmaster.traces.formats import FORMATS, SLURM_ALONE, SWF_ALONE, TABLES_ALONE, Format, Head
from loadmaster.traces.hosts import read_hosts
from loadmaster.traces.latest_records import latest_records
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.parquet import MAGIC
from loadmaster.traces.swf_memory import DOUBT, fit_notes
from loadmaster.traces.trace import Machines, Trace
from loadmaster.traces.unsupported_files import refuse_document, refuse_listing


def read_trace(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """The jobs of the log at `path`, in the order of their arrival, the first at 0, with its machines if known.

    Machines come from `options.hosts`, else from the log itself, else from a file beside it (a note says which).

    Raises:
        InputError: the file cannot be read, holds no job, or (`options.strict`) has a bad line.
    """
    path = Path(path)
    name = _format_of(path) if options.format == "auto" else options.format
    if path.is_dir():
        _refuse_mixture(path, name, options)
    if name not in FORMATS:
        raise InputError(name, "no such format", fix=f"known: auto, {', '.join(FORMATS)}")
    _refuse_idle(name, options)
    trace = without(_read(path, name, options), options.ignore)
    if path.is_dir():
        trace = latest_records(trace)
    cluster, machines, note = _machines(path, FORMATS[name], options, trace)
    notes = [*trace.notes, *([note] if note else []), *_duplicates_note(trace.workload)]
    if cluster is not None and name == "swf" and not any(DOUBT in note for note in notes):
        notes += fit_notes(trace.workload, cluster, options)
    doubt = name == "swf" and any(DOUBT in note for note in notes)
    return replace(trace, cluster=cluster, notes=tuple(notes), machines=machines, memory_in_doubt=doubt, format=name)


def _duplicates_note(workload: Workload) -> list[str]:
    """A note where the log numbers several jobs alike; tasks of one array share its number and are no such jobs."""
    if workload.job_id is None:
        return []
    bound = workload.constraints
    alone = workload.job_id >= 0
    if bound is not None and bound.array is not None:
        alone &= bound.array < 0
    numbers, count = np.unique(workload.job_id[alone], return_counts=True)
    again = numbers[count > 1]
    if not again.size:
        return []
    shown = ", ".join(map(str, again[:3].tolist())) + (", ..." if again.size > 3 else "")
    jobs = int(count[count > 1].sum())
    return [
        f"{counted(jobs, 'job has', 'jobs have')} the number of another one: {shown}. explain calls the "
        f"second {again[0]}@2."
    ]


def _read(path: Path, name: str, options: ReadOptions) -> Trace:
    """The log as the reader of format `name` reads it; an error that is not ours says what the file lacks."""
    try:
        return FORMATS[name].read(path, options)
    except (LoadmasterError, MemoryError):
        raise
    except Exception as error:
        rule = f"cannot be read as a log of format {name}: {type(error).__name__}: {one_line(str(error), 80)}"
        raise InputError(path.name, rule, fix="see whether the file is whole", where=str(path)) from error


def _refuse_mixture(folder: Path, name: str, options: ReadOptions) -> None:
    """Refuse a folder whose files are not all of one format that is read line by line.

    Raises:
        InputError: it is such a folder.
    """
    whole = ("parquet", "azure2020")
    for path in files_of(folder):
        if path.stat().st_size == 0:
            continue
        kind = _format_of(path) if options.format == "auto" else name
        if kind != name or kind in whole or head_of(path, 64).lstrip()[:1] in (b"{", b"["):
            rule = f"a log of format {kind} beside others of format {name}" if kind != name else "no log of lines"
            fix = "keep it elsewhere" if kind != name else "name this file alone: files of this kind are not joined"
            raise InputError(path.name, rule, fix=fix, where=str(folder))


def without(trace: Trace, ignore: tuple[str, ...]) -> Trace:
    """`trace` without the constraints named in `ignore`; `all` names every one, names of users and accounts too.

    Raises:
        InputError: no such constraint.
    """
    names = [field.name for field in fields(Constraints) if not field.name.endswith("_names")]
    unknown = next((name for name in ignore if name != "all" and name not in names), None)
    if unknown is not None:
        raise InputError(unknown, "no constraint that could be left aside", fix=f"known: all, {', '.join(names)}")
    bound = trace.workload.constraints
    if bound is None or not ignore:
        return trace
    nothing: dict[str, Any] = dict.fromkeys(ignore)
    left = None if "all" in ignore else replace(bound, **nothing)
    return replace(trace, workload=replace(trace.workload, constraints=left))


def _refuse_idle(name: str, options: ReadOptions) -> None:
    """Refuse an option that the reader of format `name` does not look at."""
    plain = ReadOptions()
    for field in sorted((SLURM_ALONE | SWF_ALONE | TABLES_ALONE) - FORMATS[name].takes):
        value = getattr(options, field)
        if value != getattr(plain, field):
            readers = ", ".join(other for other, reader in FORMATS.items() if field in reader.takes)
            shown = f"--{field.replace('_', '-')} {value if isinstance(value, str) else ','.join(value)}"
            raise InputError(
                shown, f"changes nothing for a log in the format {name}: it is for {readers}", fix="leave it out"
            )


def _format_of(path: Path) -> str:
    if is_database(path):
        return "azure2020"
    start = head_of(path)
    if start.startswith(MAGIC):
        return "parquet"
    text = checked_text(path, start).decode("utf-8", "replace")
    lines = (line.strip() for line in text.splitlines())
    telling = (t for t in lines if t and t[0] not in "#;" and not t.startswith("CLUSTER: "))
    head = Head(unpacked_name(path).lower(), next(telling, ""), text)
    format_name = next((name for name, reader in FORMATS.items() if reader.fits(head)), None)
    if format_name is None or format_name == "csv":
        refuse_document(path, start)
    if format_name is None:
        refuse_listing(path, head.line)
        parted = next((name for mark, name in (("\t", "tabs"), (";", "semicolons")) if head.line.count(mark) > 1), None)
        if parted is not None:
            raise InputError(
                head.line, f"a table with {parted} between its cells", fix="write it with commas", where=str(path)
            )
        fix = f"say --format {'|'.join(FORMATS)}"
        raise InputError(head.line, "no known format of a log", fix=fix, where=str(path))
    return format_name


def _machines(
    path: Path, log_format: Format, options: ReadOptions, trace: Trace
) -> tuple[Cluster | None, Machines, str]:
    """The machines, how they became known, and a note."""
    if options.hosts is not None:
        given = options.hosts
        return (given if isinstance(given, Cluster) else read_hosts(given)), "given", ""
    if not options.find_hosts:
        return None, "", ""
    if trace.cluster is not None:
        return trace.cluster, "log", "The machines are those that the log names itself."
    stem = Path(unpacked_name(path)).stem
    for pattern in log_format.machines:
        beside = sorted(path.parent.glob(pattern.format(stem=glob_safe(stem))))
        if len(beside) == 1:
            return read_hosts(beside[0]), "beside", f"The machines are those of {beside[0].name}, beside the log."
    return None, "", ""


def glob_safe(name: str) -> str:
    """`name` with the characters that mean something to `glob` made plain."""
    return re.sub(r"([*?[])", r"[\1]", name)
