"""HTCondor's history: a job ad a job, as `condor_history -long`, `-json` and the history files have them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from loadmaster.model.constraints import STATUSES
from loadmaster.model.units import MB
from loadmaster.traces.files import head_of
from loadmaster.traces.job_records import NEVER_STARTED, OTHER, LogRecord, RecordValues, lines_of, number, read_records
from loadmaster.traces.json_records import json_records
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Rule
from loadmaster.traces.trace import Trace

_ATTRIBUTE = re.compile(r"([A-Za-z_]\w*)\s*=\s*(.*)")
REMOVED, COMPLETED = 3, 4
SCHEDULER_UNIVERSE = (7, 12)
"""Jobs of the universes scheduler and local take no machine."""
_KEPT = frozenset(
    (
        "ClusterId", "ProcId", "Owner", "User", "QDate", "JobStartDate", "JobCurrentStartDate", "CompletionDate",
        "EnteredCurrentStatus", "RemoteWallClockTime", "RequestCpus", "RequestMemory", "RequestGPUs", "CpusProvisioned",
        "MemoryProvisioned", "GPUsProvisioned", "JobStatus", "ExitCode", "AccountingGroup", "AcctGroup", "NumJobStarts",
        "JobPrio", "JobUniverse", "JobBatchName", "MaxHosts", "DeferralTime",
        "LastRemoteHost",
    )
)  # fmt: skip
_MOST_ATTRIBUTES = 10_000


def is_htcondor(text: str) -> bool:
    """Whether a text begins as a history does."""
    return re.search(r'^ClusterId = \d|^\s*"ClusterId": \d', text, re.MULTILINE) is not None


def read_htcondor(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read HTCondor's history, plain or gzip.

    The runtime is that of the last run; earlier runs count as restarts. Memory is `RequestMemory` in MiB, where it is a
    number, else `MemoryProvisioned`.

    Raises:
        InputError: the file cannot be read, holds no job, or (`options.strict`) has a bad ad.
    """
    path = Path(path)
    start = head_of(path, 4096).lstrip()[:1]
    records = _of_json(path, options) if start in (b"[", b"{") else _of_text(path, options)
    return read_records(path, options, records, job_of)


def _of_json(path: Path, options: ReadOptions) -> Iterator[LogRecord]:
    for line, ad in json_records(path, ("ads",), options.progress):
        yield LogRecord(line, f"ClusterId {ad.get('ClusterId')}", ad)


def _of_text(path: Path, options: ReadOptions) -> Iterator[LogRecord]:
    """Ads end at a line of stars, or where the first attribute of the next one comes."""
    ad: dict[str, str] = {}
    begin = 1
    for record in lines_of(path, options.progress):
        match = _ATTRIBUTE.fullmatch(record.text) if len(record.content) < 400 else _ATTRIBUTE.match(record.text)
        if match is None or (match[1] in ad and match[1] in _KEPT):
            if ad:
                yield LogRecord(begin, f"ClusterId {ad.get('ClusterId')}", ad)
            ad = {}
        if match is not None:
            begin = begin if ad else record.line
            if match[1] in _KEPT and len(ad) < _MOST_ATTRIBUTES:
                ad[match[1]] = match[2].strip().strip('"')
    if ad:
        yield LogRecord(begin, f"ClusterId {ad.get('ClusterId')}", ad)


def job_of(ad: Mapping[str, Any]) -> RecordValues | Rule:
    """What an ad says of its job.

    Raises:
        KeyError: it is no job's.
        ValueError: a value that is no number.
    """
    cluster, status = int(number(ad["ClusterId"])), int(number(ad.get("JobStatus", COMPLETED)))
    if int(number(ad.get("JobUniverse", 5))) in SCHEDULER_UNIVERSE:
        return OTHER
    submit = number(ad["QDate"])
    start = _positive(ad.get("JobCurrentStartDate")) or _positive(ad.get("JobStartDate"))
    if start is None:
        return NEVER_STARTED
    end = _positive(ad.get("CompletionDate")) or _positive(ad.get("EnteredCurrentStatus"))
    if end is None or end < start:
        end = start + (_positive(ad.get("RemoteWallClockTime")) or 0.0)
    process = int(number(ad.get("ProcId", 0)))
    memory = _positive(ad.get("RequestMemory")) or _positive(ad.get("MemoryProvisioned")) or 0.0
    return {
        "submit_s": submit,
        "runtime_s": end - start,
        "wait_s": start - submit,
        "job_id": cluster * 100_000 + process,
        "array": cluster if process else None,
        "array_task": process if process else None,
        "cores": _positive(ad.get("RequestCpus")) or _positive(ad.get("CpusProvisioned")) or 1.0,
        "memory_bytes": memory * MB,
        "gpus": _positive(ad.get("RequestGPUs")) or _positive(ad.get("GPUsProvisioned")) or 0.0,
        "user": _text(ad.get("Owner")) or _text(ad.get("User")),
        "account": _text(ad.get("AccountingGroup")) or _text(ad.get("AcctGroup")),
        "name": _text(ad.get("JobBatchName")),
        "ran_on": _machine(_text(ad.get("LastRemoteHost"))),
        "priority": _number(ad.get("JobPrio")),
        "restarts": max((_number(ad.get("NumJobStarts")) or 1.0) - 1.0, 0.0),
        "status": _status(status, _number(ad.get("ExitCode"))),
    }


def _machine(slot: str | None) -> str | None:
    """The machine of `slot1_3@node7`."""
    return slot.rpartition("@")[2] if slot else None


def _number(value: Any) -> float | None:
    """A number; None for expressions and for what is not there."""
    try:
        return None if value is None or isinstance(value, bool) else number(value)
    except (TypeError, ValueError):
        return None


def _positive(value: Any) -> float | None:
    number = _number(value)
    return number if number is not None and number > 0 else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value and value.lower() != "undefined" else None


def _status(status: int, code: float | None) -> int:
    if status == REMOVED:
        return STATUSES.index("cancelled")
    return 0 if code in (0.0, None) else STATUSES.index("failed")
