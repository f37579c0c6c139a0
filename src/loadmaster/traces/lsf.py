"""LSF's `lsb.acct`: a record JOB_FINISH a job, fields separated by blanks, text in quotes."""

import csv
import re
from pathlib import Path

from loadmaster.model.constraints import EXCLUSIVE, STATUSES
from loadmaster.model.units import MB
from loadmaster.traces.job_records import NEVER_STARTED, OTHER, RecordValues, lines_of, number, read_records
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Rule
from loadmaster.traces.trace import Trace

EXIT, EXCLUSIVE_OPTION = 32, 0x40
_RUSAGE = 19
_MOST_HOSTS = 1_000_000
_MEMORY = re.compile(r"rusage\s*\[[^\]]*?\bmem\s*=\s*([0-9]+(?:\.[0-9]+)?)")
_GPUS = re.compile(r"\bngpus_physical\s*=\s*([0-9]{1,6})")
_TERM = re.compile(r"(done|ended|exit|started)\(([0-9]{1,18})(?:\[([0-9]{1,9}|\*)\])?\)")
_KINDS = {"done": "afterok", "ended": "afterany", "exit": "afternotok", "started": "after"}
_OUT_OF_TIME = {"5", "6"}
"""TERM_RUNLIMIT, TERM_DEADLINE."""
_CANCELLED = {"1", "2", "3", "4", "9", "14", "15", "20"}
"""TERM_PREEMPT to TERM_LOAD, and those by owner, administrator or forced."""


def is_lsf(line: str) -> bool:
    """Whether `line` is a record of `lsb.acct`."""
    return re.match(r'"(JOB_FINISH|JOB_FINISH2|EVENT_ADRSV_FINISH|JOB_RESIZE)" "', line) is not None


def read_lsf(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read `lsb.acct`, plain or gzip.

    A job ends at the time of its event. Memory is `rusage[mem=...]` in MB of each host on which it ran.

    Raises:
        InputError: the file cannot be read, holds no job, or (`options.strict`) has a bad line.
    """
    return read_records(path, options, lines_of(Path(path), options.progress), job_of)


def job_of(line: str) -> RecordValues | Rule:
    """What a line says of its job.

    Raises:
        ValueError: it is no such line.
        IndexError: it is too short.
    """
    try:
        fields = next(csv.reader([line.rstrip()], delimiter=" "))
    except csv.Error:
        raise ValueError(line) from None
    if fields[0] != "JOB_FINISH":
        return OTHER
    event, processors = number(fields[2]), number(fields[6])
    job, options = int(number(fields[3])), int(number(fields[5]))
    submit, begin, start = number(fields[7]), number(fields[8]), number(fields[10])
    if start <= 0:
        return NEVER_STARTED
    at = 22 + 1 + _count(fields[22])
    run_on = fields[at + 1 : at + 1 + _count(fields[at])]
    at += 1 + len(run_on)
    ended, name = int(number(fields[at])), fields[at + 2]
    more = fields[at + 4 + _RUSAGE :]
    ran_on = tuple(dict.fromkeys(place.rpartition("*")[2] for place in run_on))
    hosts = len(ran_on) or 1
    memory, gpus = _MEMORY.search(fields[13]), _GPUS.search(fields[13])
    task = int(number(more[6])) if len(more) > 6 else 0
    limit = _limit(more)
    return {
        "submit_s": submit,
        "runtime_s": event - start,
        "wait_s": start - submit,
        "eligible_s": begin or None,
        "job_id": job,
        "array": job if task else None,
        "array_task": task if task else None,
        "hosts": hosts,
        "cores": max(processors, 1.0),
        "memory_bytes": float(memory[1]) * MB * hosts if memory else 0.0,
        "gpus": float(gpus[1]) * hosts if gpus else 0.0,
        "limit_s": limit,
        "user": fields[11],
        "account": more[1] if len(more) > 1 else None,
        "partition": fields[12],
        "name": name or None,
        "depends": _depends(fields[14]),
        "exclusive": EXCLUSIVE.index("host") if options & EXCLUSIVE_OPTION else 0,
        "ran_on": ",".join(ran_on) or None,
        "reservation": (more[11] or None) if len(more) > 11 else None,
        "qos": (more[12] or None) if len(more) > 12 else None,
        "status": _status(ended, more[15] if len(more) > 15 else ""),
    }


def _count(text: str) -> int:
    count = int(number(text))
    if not 0 <= count <= _MOST_HOSTS:
        raise ValueError(text)
    return count


def _limit(more: list[str]) -> float | None:
    """The run limit in seconds, behind two lists; else the user's estimate; None where there is neither."""
    try:
        at = 31 + 2 * _count(more[30])
        at += 1 + 5 * _count(more[at])
        limit = number(more[at + 1])
    except (IndexError, ValueError):
        limit = 0.0
    estimate = number(more[22]) if len(more) > 22 and more[22].isdecimal() else 0.0
    return limit if limit > 0 else estimate if estimate > 0 else None


def _depends(condition: str) -> str | None:
    """In Slurm's notation; what is not plain comes back as it is.

    Example:
        >>> _depends("done(12) && ended(13)"), _depends("")
        ('afterok:12,afterany:13', None)
    """
    plain = condition.replace(" ", "").replace('"', "")
    if not plain:
        return None
    joined = "?" if "||" in plain else ","
    terms = [_TERM.fullmatch(term) for term in re.split(r"&&|\|\|", plain)]
    if any(term is None for term in terms) or ("||" in plain and "&&" in plain):
        return condition
    return joined.join(
        f"{_KINDS[term[1]]}:{term[2]}" + (f"_{term[3]}" if term[3] else "") for term in terms if term is not None
    )


def _status(ended: int, why: str) -> int:
    if not ended & EXIT:
        return 0
    return STATUSES.index("timeout" if why in _OUT_OF_TIME else "cancelled" if why in _CANCELLED else "failed")
