"""Alibaba's cluster trace of 2018: tasks of the batch jobs."""

from pathlib import Path

from loadmaster.model.constraints import STATUSES
from loadmaster.model.units import GB
from loadmaster.traces.job_records import NEVER_STARTED, RecordValues, lines_of, read_records
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Rule
from loadmaster.traces.trace import Trace

FIELDS = (
    "task_name", "instance_num", "job_name", "task_type", "status", "start_time", "end_time", "plan_cpu", "plan_mem",
)  # fmt: skip
STATES = ("Terminated", "Waiting", "Failed", "Running", "Cancelled", "Interrupted", "Ready")
HUNDRED = 100.0
WHOLE_MEMORY = 128.0 * GB
NOTES = (
    "The log has no arrivals: a task arrives as it starts, so it waited for nothing.",
    "Memory 100 is taken as 128 GiB; which task waits for which (M2_1) is not kept.",
)


def is_alibaba2018(line: str) -> bool:
    """Whether `line` is one of `batch_task.csv`.

    Example:
        >>> is_alibaba2018("M1,1.0,j_8,1,Terminated,455423,455445,100.0,0.3")
        True
    """
    cells = line.split(",")
    return len(cells) == len(FIELDS) and (cells[4] in STATES or cells == list(FIELDS))


def read_alibaba2018(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read `batch_task.csv`, plain or gzip; a row is a job, its instances are tasks.

    Raises:
        InputError: the file cannot be read, holds no job, or (`options.strict`) has a bad line.
    """
    return read_records(path, options, lines_of(Path(path), options.progress, comment="task_name"), job_of, NOTES)


def job_of(line: str) -> RecordValues | Rule:
    """What a line says of its job.

    Raises:
        ValueError: it is no such line.
    """
    name, instances, job, _, status, start, end, cpu, memory = line.split(",")
    if status not in STATES:
        raise ValueError(line)
    if not float(start or 0) or not float(end or 0):
        return NEVER_STARTED
    count = float(instances or 1)
    return {
        "submit_s": start,
        "runtime_s": float(end) - float(start),
        "tasks": count,
        "cores": float(cpu or 0) / HUNDRED * count,
        "memory_bytes": float(memory or 0) / HUNDRED * WHOLE_MEMORY * count,
        "name": f"{job}.{name}",
        "status": STATUSES.index("failed") if status == "Failed" else 0,
    }
