"""`sacct --json` and `squeue --json`: each job as the row that `sacct --parsable2` would print."""

import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from loadmaster.traces.files import Progress
from loadmaster.traces.json_records import json_records
from loadmaster.traces.rejects import Line
from loadmaster.traces.slurm_queue import NAMED, START, WITHOUT
from loadmaster.traces.text_table import TextRows

_ROWS = 20_000
COLUMNS = (
    "jobid", "jobidraw", "user", "account", "submit", "eligible", "start", "elapsed", "timelimit", "state", "nnodes",
    "reqcpus", "reqmem", "reqtres", "alloctres", "partition", "qos", "jobname", "reservation", "priority", "restarts",
    "constraints", NAMED, WITHOUT, "submitline", "dependency", "reason", "throttle", "requeue", "nice",
    "oversubscribe", "licenses", "nodelist", "cluster", "tresperjob", "trespernode", "trespertask", "trespersocket",
    "gresdetail", "ntasks", "socketspernode", START, "totalcpu", "maxrss", "rsstasks",
)  # fmt: skip


def slurm_json_batches(path: Path, progress: Progress | None = None) -> Iterator[TextRows]:
    """The jobs of the document as rows of text, in columns with the names of `sacct`.

    Raises:
        InputError: it cannot be read, is no JSON or has no list of jobs.
    """
    return batches_of_rows((line, row_of(job)) for line, job in json_records(path, ("jobs",), progress))


def batches_of_rows(records: Iterator[tuple[int, dict[str, str | None]]]) -> Iterator[TextRows]:
    """Rows with the numbers of their lines, some thousands at a time; columns that no job of these has are left out."""
    while part := list(islice(records, _ROWS)):
        rows = [row for _, row in part]
        number = np.array([line for line, _ in part])
        frame = pl.DataFrame({name: [row.get(name) for row in rows] for name in COLUMNS}, schema=_SCHEMA)
        names = [name for name in COLUMNS if name in _NEEDED or frame[name].null_count() < frame.height]

        def locate(row: int, rows: list[Any] = rows, number: np.ndarray = number) -> Line:
            fields = {key: value for key, value in rows[row].items() if value}
            return Line(int(number[row]), str(fields)[:400])

        yield TextRows(frame.select(names), number, np.zeros(len(rows), dtype=bool), locate)


def row_of(job: dict[str, Any]) -> dict[str, str | None]:
    """A job of either document as a row; what it does not say is None.

    Example:
        >>> row = row_of({"job_id": 7, "time": {"submission": 5, "elapsed": 9}, "required": {"CPUs": 2}})
        >>> row["jobid"], row["submit"], row["elapsed"], row["reqcpus"]
        ('7', '5', '9', '2')
    """
    return _from_queue(job) if "submit_time" in job else _from_accounting(job)


def _from_accounting(job: dict[str, Any]) -> dict[str, str | None]:
    times, required, array, tres = (_dict(job.get(name)) for name in ("time", "required", "array", "tres"))
    running = _dict(_dict(_dict(array.get("limits")).get("max")).get("running"))
    requested, allocated = _tres(tres.get("requested")), _tres(tres.get("allocated"))
    minutes = _number(times.get("limit"))
    return _named(job, _number(array.get("job_id")), _number(array.get("task_id"))) | {
        "user": _text(job.get("user")) or _text(_dict(job.get("association")).get("user")),
        "submit": _number(times.get("submission")),
        "eligible": _number(times.get("eligible")),
        "start": _start(times),
        "elapsed": _number(times.get("elapsed")),
        "timelimit": _seconds(minutes),
        "state": _state(_dict(job.get("state")).get("current")),
        "nnodes": _number(job.get("allocation_nodes")) or _number(required.get("nodes")),
        "reqcpus": _number(required.get("CPUs")) or _number(required.get("cpus")),
        "reqmem": None
        if "mem=" in (requested or "")
        else _memory(required.get("memory_per_node"), "n")
        or _memory(required.get("memory_per_cpu"), "c")
        or _memory(required.get("memory"), "n"),
        "reqtres": requested,
        "alloctres": allocated,
        "reservation": _text(_dict(job.get("reservation")).get("name")),
        "restarts": _number(job.get("restart_cnt")),
        "constraints": _text(job.get("constraints")),
        "submitline": _text(job.get("submit_line")),
        "throttle": _positive(_number(running.get("tasks"))),
        "nodelist": _text(job.get("nodes")),
        "totalcpu": _cpu_s(times.get("total")),
        **_resident(job.get("steps")),
    }


def _start(times: dict[str, Any]) -> str | None:
    """The start of a job; by its end, where Slurm 21.08 gives the moment from which the job might have started."""
    said, eligible, end, elapsed = (_number(times.get(key)) for key in ("start", "eligible", "end", "elapsed"))
    if said is None or said != eligible or elapsed is None or (end := _positive(end)) is None:
        return said
    start_s = float(end) - float(elapsed) - float(_number(times.get("suspended")) or 0)
    return f"{max(float(said), start_s):.17g}"


def _cpu_s(total: Any) -> str | None:
    """Seconds of {seconds, microseconds}."""
    whole, parts = _number(_dict(total).get("seconds")), _number(_dict(total).get("microseconds"))
    return None if whole is None else f"{float(whole) + float(parts or 0) / 1e6:.6f}"


def _resident(steps: Any) -> dict[str, str | None]:
    """The most memory of a task, and how many tasks, of the step in which the product is most."""
    most = 0.0
    found: dict[str, str | None] = {"maxrss": None, "rsstasks": None}
    for step in map(_dict, steps if isinstance(steps, list) else ()):
        highest = _dict(_dict(step.get("tres")).get("requested")).get("max")
        tasks = _number(_dict(step.get("tasks")).get("count"))
        for each in map(_dict, highest if isinstance(highest, list) else ()):
            memory = float(_number(each.get("count")) or 0.0) if each.get("type") == "mem" else 0.0
            whole = memory * max(float(tasks or 1.0), 1.0)
            if whole > most:
                most, found = whole, {"maxrss": f"{memory:.0f}", "rsstasks": tasks}
    return found


def _from_queue(job: dict[str, Any]) -> dict[str, str | None]:
    limit = _seconds(_number(job.get("time_limit")))
    return _named(job, _number(job.get("array_job_id")), _number(job.get("array_task_id"))) | {
        "user": _text(job.get("user_name")),
        "submit": _number(job.get("submit_time")),
        "eligible": _positive(_number(job.get("eligible_time"))),
        "elapsed": limit,
        "timelimit": limit,
        START: _positive(_number(job.get("start_time"))),
        "state": _state(job.get("job_state")),
        "nnodes": _number(job.get("node_count")),
        "reqcpus": _number(job.get("cpus")),
        "reqmem": _memory(job.get("memory_per_node"), "n") or _memory(job.get("memory_per_cpu"), "c"),
        "reqtres": _text(job.get("tres_req_str")),
        "alloctres": _text(job.get("tres_alloc_str")),
        "tresperjob": _text(job.get("tres_per_job")),
        "trespernode": _text(job.get("tres_per_node")),
        "trespertask": _text(job.get("tres_per_task")),
        "trespersocket": _text(job.get("tres_per_socket")),
        "gresdetail": _joined(job.get("gres_detail")),
        "ntasks": _number(job.get("tasks")),
        "socketspernode": _number(job.get("sockets_per_node")),
        "reservation": _text(job.get("resv_name")),
        "restarts": _number(job.get("restart_cnt")),
        "constraints": _text(job.get("features")),
        NAMED: _text(job.get("required_nodes")) or _joined(job.get("required_nodes")),
        WITHOUT: _text(job.get("excluded_nodes")) or _joined(job.get("excluded_nodes")),
        "dependency": _text(job.get("dependency")),
        "reason": _text(job.get("state_reason")),
        "throttle": _positive(_number(job.get("array_max_tasks"))),
        "nice": _number(job.get("nice")),
        "oversubscribe": _oversubscribe(job.get("shared")),
        "requeue": None if not isinstance(job.get("requeue"), bool) else str(int(job["requeue"])),
        "nodelist": _text(job.get("nodes")),
    }


def _named(job: dict[str, Any], array: str | None, task: str | None) -> dict[str, str | None]:
    raw = _number(job.get("job_id"))
    tasks = _text(job.get("array_task_string"))
    of_array = array is not None and array != "0" and (task is not None or tasks is not None)
    return {
        "jobid": f"{array}_{task or f'[{tasks}]'}" if of_array else raw,
        "jobidraw": raw,
        "cluster": _text(job.get("cluster")),
        "account": _text(job.get("account")),
        "partition": _text(job.get("partition")),
        "qos": _text(job.get("qos")),
        "jobname": _text(job.get("name")),
        "licenses": _text(job.get("licenses")),
        "priority": _number(job.get("priority")),
    }


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _joined(value: Any) -> str | None:
    """A list of texts, one for each node, as one."""
    return ",".join(each for each in value if isinstance(each, str)) or None if isinstance(value, list) else None


def _number(value: Any) -> str | None:
    """A number as text, plain or as {set, infinite, number}; None where it is not set or infinite."""
    if isinstance(value, dict):
        value = None if value.get("infinite") or value.get("set") is False else value.get("number")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return f"{value:d}" if isinstance(value, int) and abs(value) < 1 << 62 else f"{value:.17g}"


def _positive(number: str | None) -> str | None:
    return None if number is None or float(number) <= 0 else number


def _seconds(minutes: str | None) -> str | None:
    return None if minutes is None else f"{float(minutes) * 60:.17g}"


def _memory(value: Any, each: str) -> str | None:
    """MiB for each node (`n`) or core (`c`), as ReqMem has it."""
    number = _positive(_number(value))
    return None if number is None else f"{number}M{each}"


def _state(value: Any) -> str | None:
    return _text(value[0] if isinstance(value, list) and value else value)


def _oversubscribe(shared: Any) -> str | None:
    """With which jobs it shares its hosts, in the words of `squeue`."""
    said = _text(shared[0] if isinstance(shared, list) and shared else shared)
    return {"none": "no", "user": "user", "mcs": "mcs", "shared": "yes", "oversubscribe": "yes"}.get(said or "")


def _tres(value: Any) -> str | None:
    """A list of {type, name, count} as `cpu=4,mem=100M,gres/gpu:a100=2`."""
    parts = []
    for each in value if isinstance(value, list) else ():
        kind, name = _text(_dict(each).get("type")), _text(_dict(each).get("name"))
        count = _number(_dict(each).get("count"))
        if kind is not None and count is not None:
            parts.append(f"{kind}{'/' + name if name else ''}={count}{'M' if kind == 'mem' else ''}")
    return ",".join(parts) or None


_NEEDED = ("jobid", "submit", "elapsed", "reqcpus", "state")
_SCHEMA = dict.fromkeys(COLUMNS, pl.String)
