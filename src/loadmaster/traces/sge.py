"""The accounting file of Grid Engine (SGE, UGE, Son of Grid Engine): a line a job, fields separated by colons."""

import re
from pathlib import Path

from loadmaster.model.constraints import STATUSES
from loadmaster.traces.job_records import NEVER_STARTED, RecordValues, lines_of, number, read_records
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.pbs import bytes_of, clock
from loadmaster.traces.rejects import Rule
from loadmaster.traces.trace import Trace

QUEUE, HOST, GROUP, OWNER, NAME, JOB, PRIORITY = 0, 1, 2, 3, 4, 5, 7
SUBMIT, START, END, FAILED, STATUS = 8, 9, 10, 11, 12
PROJECT, GRANTED_PE, SLOTS, TASK, CATEGORY, SLAVE = 31, 33, 34, 35, 39, 41
LEAST_FIELDS = 40
SLAVE_TASK = Rule("a task of a parallel job on another host, counted with its job", bad=False)
_MILLISECONDS = 1e11
"""Larger times are milliseconds, as Univa's releases from 8.2 on write them."""
_OUT_OF_TIME = {"37", "100"}
_MEMORY = ("h_vmem", "mem_free", "virtual_free", "m_mem_free", "s_vmem")
"""Which requests are memory of a slot; the first that is there counts."""


def is_sge(line: str) -> bool:
    """Whether `line` is one of an accounting file."""
    fields = line.split(":")
    return len(fields) >= LEAST_FIELDS and all(fields[k].isdecimal() for k in (JOB, SUBMIT, START, END))


def read_sge(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read Grid Engine's accounting file, plain or gzip.

    A job of `slots` slots has so many cores. What it requested comes from the category: `-l h_rt=...,mem_free=...`,
    memory of a slot, and `-pe NAME N`.

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
    fields = line.split(":")
    if len(fields) < LEAST_FIELDS:
        raise ValueError(line)
    submit, start, end = (_seconds(fields[k]) for k in (SUBMIT, START, END))
    if submit <= 0 or (len(fields) > SLAVE and fields[SLAVE] not in ("NONE", "", "0") and not fields[SLAVE].isspace()):
        return SLAVE_TASK
    if start <= 0:
        return NEVER_STARTED
    request = _requests(":".join(fields[CATEGORY : CATEGORY + 1]))
    slots = max(number(fields[SLOTS]), 1.0)
    memory = next((bytes_of(request[name]) for name in _MEMORY if name in request), None)
    task = fields[TASK] if fields[TASK].isdecimal() and fields[TASK] != "0" else None
    return {
        "submit_s": submit,
        "runtime_s": end - start,
        "wait_s": start - submit,
        "job_id": fields[JOB],
        "array": fields[JOB] if task else None,
        "array_task": task,
        "cores": slots,
        "memory_bytes": (memory or 0.0) * slots,
        "gpus": number(request.get("gpu", "0")) * slots,
        "limit_s": clock(request.get("h_rt", "").replace(";", ":")),
        "user": fields[OWNER],
        "account": _value_or_none(fields[PROJECT]) or fields[GROUP],
        "partition": fields[QUEUE],
        "name": fields[NAME],
        "priority": fields[PRIORITY],
        "ran_on": None if _value_or_none(fields[GRANTED_PE]) else fields[HOST],
        "status": _status(fields[FAILED], fields[STATUS]),
    }


def _seconds(text: str) -> float:
    time = number(text)
    return time / 1000.0 if time > _MILLISECONDS else time


def _requests(category: str) -> dict[str, str]:
    """What stands behind every `-l` of a category."""
    request: dict[str, str] = {}
    for requests in re.findall(r"-l (\S+)", category):
        request |= dict(pair.split("=", 1) for pair in requests.split(",") if "=" in pair)
    if not request.get("gpu", "0").isdecimal():
        del request["gpu"]
    return request


def _value_or_none(text: str) -> str | None:
    return None if text in ("", "NONE") else text


def _status(failed: str, code: str) -> int:
    if failed.split(" ")[0] in _OUT_OF_TIME:
        return STATUSES.index("timeout")
    return 0 if failed == "0" and code == "0" else STATUSES.index("failed")
