"""Read a log of any known format, and the machines that lie in or beside it."""

import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from loadmaster.model import Cluster, Constraints, InputError
from loadmaster.traces.alibaba2017 import TASK_FIELDS, read_alibaba2017
from loadmaster.traces.alibaba2018 import is_alibaba2018, read_alibaba2018
from loadmaster.traces.azure2020 import is_database, read_azure2020
from loadmaster.traces.files import checked_text, head_of
from loadmaster.traces.foreign import refuse_document
from loadmaster.traces.google import is_google, read_google
from loadmaster.traces.hosts import read_hosts
from loadmaster.traces.htcondor import is_htcondor, read_htcondor
from loadmaster.traces.job_table import read_csv, read_parquet
from loadmaster.traces.lsf import is_lsf, read_lsf
from loadmaster.traces.openb import read_openb
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.parquet import MAGIC
from loadmaster.traces.pbs import is_pbs, read_pbs
from loadmaster.traces.sge import is_sge, read_sge
from loadmaster.traces.slurm import read_slurm
from loadmaster.traces.slurm_layout import is_slurm, is_slurm_json
from loadmaster.traces.swf import read_swf
from loadmaster.traces.swf_memory import DOUBT, fit_notes
from loadmaster.traces.trace import Machines, Trace


class Head(NamedTuple):
    """The beginning of a file: its name in lower case without .gz, its first line that is no comment, and all of it."""

    name: str
    line: str
    text: str = ""


class Format(NamedTuple):
    """A kind of log: what it is, how to tell it, how to read it, and the names of machine files beside it.

    `takes` names the fields of `ReadOptions` that only some readers look at, of those that this one does.
    """

    summary: str
    fits: Callable[[Head], bool]
    read: Callable[[Path, ReadOptions], Trace]
    machines: tuple[str, ...] = ()
    takes: frozenset[str] = frozenset()


_SWF_ALONE = frozenset({"swf_memory", "memory_unit", "swf_partition", "swf_feedback"})
_TABLES_ALONE = frozenset({"columns", "memory_unit"})

_BESIDE = ("{stem}.hosts.csv",)

FORMATS: dict[str, Format] = {
    "pbs": Format("PBS and Torque: accounting log", lambda head: is_pbs(head.line), read_pbs, _BESIDE),
    "lsf": Format("LSF: lsb.acct", lambda head: is_lsf(head.line), read_lsf, _BESIDE),
    "sge": Format("Grid Engine: accounting file", lambda head: is_sge(head.line), read_sge, _BESIDE),
    "htcondor": Format("HTCondor: history, also as JSON", lambda head: is_htcondor(head.text), read_htcondor, _BESIDE),
    "google": Format("Google: task events 2011, instance events 2019", lambda head: is_google(head.line), read_google),
    "alibaba2018": Format(
        "Alibaba cluster trace 2018: batch_task.csv", lambda head: is_alibaba2018(head.line), read_alibaba2018
    ),
    "azure2020": Format("Azure trace for packing 2020: requests for virtual machines", lambda _: False, read_azure2020),
    "swf": Format(
        "Standard Workload Format of the Parallel Workloads Archive",
        lambda head: head.name.endswith(".swf") or len(re.findall(r"(?:^|\s)[-+\d.eE]+(?=\s|$)", head.line)) >= 11,
        read_swf,
        ("{stem}.swf.machines", "{stem}.machines", "{stem}.hosts.csv"),
        _SWF_ALONE,
    ),
    "openb": Format(
        "Alibaba GPU cluster 2023: pods", lambda head: "cpu_milli" in head.line, read_openb, ("openb_node_list*",)
    ),
    "alibaba2017": Format(
        "Alibaba cluster trace 2017: batch_task.csv",
        lambda head: "task_create_time" in head.line or _is_batch_task(head.line),
        read_alibaba2017,
        ("*server_event.csv*",),
    ),
    "slurm": Format(
        "Slurm: sacct or squeue, with bars, commas, in fixed columns or as JSON",
        lambda head: head.line.count("|") >= 3 or is_slurm(head.line) or is_slurm_json(head.text),
        read_slurm,
        ("{stem}.hosts.csv",),
    ),
    "csv": Format(
        "job table with named columns", lambda head: "," in head.line, read_csv, ("{stem}.hosts.csv",), _TABLES_ALONE
    ),
    "parquet": Format(
        "job table with named columns", lambda _: False, read_parquet, ("{stem}.hosts.csv",), _TABLES_ALONE
    ),
}
"""Every format, in the order in which they are tried. Parquet and SQLite are told by their first bytes."""


def read_trace(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """The jobs of the log at `path`, in the order of their arrival, the first at 0, with its machines if known.

    Machines come from `options.hosts`, else from the log itself, else from a file beside it (a note says which).

    Raises:
        InputError: the file cannot be read, holds no job, or (`options.strict`) has a bad line.
    """
    path = Path(path)
    name = _format_of(path) if options.format == "auto" else options.format
    if name not in FORMATS:
        raise InputError(name, "no such format", fix=f"known: auto, {', '.join(FORMATS)}")
    _refuse_idle(name, options)
    trace = without(FORMATS[name].read(path, options), options.ignore)
    cluster, machines, note = _machines(path, FORMATS[name], options, trace)
    notes = [*trace.notes, *([note] if note else [])]
    if cluster is not None and name == "swf" and not any(DOUBT in note for note in notes):
        notes += fit_notes(trace.workload, cluster, options)
    doubt = name == "swf" and any(DOUBT in note for note in notes)
    return replace(trace, cluster=cluster, notes=tuple(notes), machines=machines, memory_in_doubt=doubt, format=name)


def without(trace: Trace, ignore: tuple[str, ...]) -> Trace:
    """`trace` without the constraints named in `ignore`; `all` names every one, names of users and accounts too.

    Raises:
        InputError: no such constraint.
    """
    known = [field.name for field in fields(Constraints) if not field.name.endswith("_names")]
    unknown = next((name for name in ignore if name != "all" and name not in known), None)
    if unknown is not None:
        raise InputError(unknown, "no constraint that could be left aside", fix=f"known: all, {', '.join(known)}")
    bound = trace.workload.constraints
    if bound is None or not ignore:
        return trace
    nothing: dict[str, Any] = dict.fromkeys(ignore)
    left = None if "all" in ignore else replace(bound, **nothing)
    return replace(trace, workload=replace(trace.workload, constraints=left))


def _refuse_idle(name: str, options: ReadOptions) -> None:
    """Refuse an option that the reader of format `name` does not look at."""
    plain = ReadOptions()
    for field in sorted((_SWF_ALONE | _TABLES_ALONE) - FORMATS[name].takes):
        value = getattr(options, field)
        if value != getattr(plain, field):
            readers = ", ".join(other for other, known in FORMATS.items() if field in known.takes)
            shown = f"--{field.replace('_', '-')} {value if isinstance(value, str) else ','.join(value)}"
            raise InputError(shown, f"changes nothing for a log in the format {name}: it is for {readers}",
                             fix="leave it out")  # fmt: skip


def _format_of(path: Path) -> str:
    if is_database(path):
        return "azure2020"
    start = head_of(path)
    if start.startswith(MAGIC):
        return "parquet"
    text = checked_text(path, start).decode("utf-8", "replace")
    lines = (line.strip() for line in text.splitlines())
    head = Head(path.name.lower().removesuffix(".gz"), next((t for t in lines if t and t[0] not in "#;"), ""), text)
    found = next((name for name, known in FORMATS.items() if known.fits(head)), None)
    if found is None or found == "csv":
        refuse_document(path, start)
    if found is None:
        parted = next((name for mark, name in (("\t", "tabs"), (";", "semicolons")) if head.line.count(mark) > 1), None)
        if parted is not None:
            raise InputError(
                head.line, f"a table with {parted} between its cells", fix="write it with commas", where=str(path)
            )
        fix = f"say --format {'|'.join(FORMATS)}"
        raise InputError(head.line, "no known format of a log", fix=fix, where=str(path))
    return found


def _machines(path: Path, known: Format, options: ReadOptions, trace: Trace) -> tuple[Cluster | None, Machines, str]:
    """The machines, how they became known, and a note."""
    if options.hosts is not None:
        given = options.hosts
        return (given if isinstance(given, Cluster) else read_hosts(given)), "given", ""
    if not options.find_hosts:
        return None, "", ""
    if trace.cluster is not None:
        return trace.cluster, "log", "The machines are those that the log names itself."
    stem = Path(path.name.removesuffix(".gz")).stem
    for pattern in known.machines:
        beside = sorted(path.parent.glob(pattern.format(stem=glob_safe(stem))))
        if len(beside) == 1:
            return read_hosts(beside[0]), "beside", f"The machines are those of {beside[0].name}, beside the log."
    return None, "", ""


def glob_safe(name: str) -> str:
    """`name` with the characters that mean something to `glob` made plain."""
    return re.sub(r"([*?[])", r"[\1]", name)


def _is_batch_task(line: str) -> bool:
    cells = line.split(",")
    states = ("Terminated", "Waiting", "Failed", "Running", "Cancelled", "Interrupted", "Ready")
    return len(cells) == len(TASK_FIELDS) and cells[5].strip() in states
