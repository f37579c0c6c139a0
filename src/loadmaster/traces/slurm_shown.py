"""`scontrol show job`: each job as the row that `squeue --json` would give."""

import re
from collections.abc import Iterator
from pathlib import Path

from loadmaster.traces.files import utf8_of
from loadmaster.traces.slurm_json import batches_of_rows
from loadmaster.traces.slurm_queue import NAMED, START, WITHOUT
from loadmaster.traces.text_table import TextRows

SHOWN = b"JobId="
"""How the text begins."""
_JOB = re.compile(r"^JobId=.*(?:\n[ \t]+\S.*)*", re.MULTILINE)
_PAIR = re.compile(r"(?:^|(?<=\s))([A-Za-z][\w:/]*)=(\S*)")
_FREE = re.compile(r"^[ \t]*(?:Command|WorkDir|Std\w+|\w*Comment|Container|MailUser)=.*\n?", re.MULTILINE)
"""Lines of text that users write."""
_NOTHING = frozenset(("", "(null)", "None", "N/A", "Unknown", "UNLIMITED", "Partition_Limit"))
_COLUMNS = {
    "jobidraw": "JobId", "account": "Account", "partition": "Partition", "qos": "QOS", "jobname": "JobName",
    "submit": "SubmitTime", "eligible": "EligibleTime", START: "StartTime", "state": "JobState",
    "elapsed": "TimeLimit", "timelimit": "TimeLimit", "alloctres": "AllocTRES", "tresperjob": "TresPerJob",
    "trespernode": "TresPerNode", "trespertask": "TresPerTask", "trespersocket": "TresPerSocket",
    "nodelist": "NodeList", "ntasks": "NumTasks", "socketspernode": "Socks/Node", "dependency": "Dependency",
    "reason": "Reason", "reservation": "Reservation", "constraints": "Features", "licenses": "Licenses",
    "nice": "Nice", "requeue": "Requeue", "restarts": "Restarts", "priority": "Priority",
    "throttle": "ArrayTaskThrottle", NAMED: "ReqNodeList", WITHOUT: "ExcNodeList",
}  # fmt: skip
"""Our columns and Slurm's keys, 20.11 to 26.05."""


def shown_batches(path: Path) -> Iterator[TextRows]:
    """The jobs of the text as rows, in columns with the names of `sacct`.

    Raises:
        InputError: it cannot be read.
    """
    return batches_of_rows(_rows(utf8_of(path)))


def _rows(text: str) -> Iterator[tuple[int, dict[str, str | None]]]:
    """Each job with the number of its first line."""
    line, begin = 1, 0
    for job in _JOB.finditer(text):
        line, begin = line + text.count("\n", begin, job.start()), job.start()
        yield line, shown_row(job[0])


def shown_row(text: str) -> dict[str, str | None]:
    """One job, in lines or in one line, as a row.

    Example:
        >>> row = shown_row("JobId=7 ArrayJobId=5 ArrayTaskId=2 UserId=ann(1000) NumNodes=1-1 MinMemoryCPU=2G")
        >>> row["jobid"], row["user"], row["nnodes"], row["reqmem"]
        ('5_2', 'ann', '1', '2Gc')
    """
    pairs: dict[str, str] = {}
    for key, value in _PAIR.findall(_FREE.sub("", text)):
        if value not in _NOTHING:
            pairs.setdefault(key, value)
    array, task = pairs.get("ArrayJobId"), pairs.get("ArrayTaskId", "")
    memory = {"n": pairs.get("MinMemoryNode"), "c": pairs.get("MinMemoryCPU")}
    return {column: pairs.get(key) for column, key in _COLUMNS.items()} | {
        "jobid": f"{array}_{task if task.isdigit() else f'[{task}]'}" if array else pairs.get("JobId"),
        "user": pairs.get("UserId", "").partition("(")[0] or None,
        "nnodes": _least(pairs.get("NumNodes")),
        "reqcpus": _least(pairs.get("NumCPUs")),
        "reqmem": next((f"{amount}{each}" for each, amount in memory.items() if amount not in (None, "0")), None),
        "reqtres": pairs.get("ReqTRES", pairs.get("TRES")),
        "oversubscribe": None if pairs.get("OverSubscribe") == "OK" else pairs.get("OverSubscribe", "").lower() or None,
        "nodelist": pairs.get("NodeList") if pairs.get("JobState") != "PENDING" else None,
    }


def _least(span: str | None) -> str | None:
    """The first of `2-4`."""
    return None if span is None else span.partition("-")[0]
