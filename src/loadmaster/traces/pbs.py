"""Accounting logs of PBS and Torque: `date;type;id;key=value ...`; a job is its record of type E, its end."""

import re
from pathlib import Path

from loadmaster.model.constraints import EXCLUSIVE, STATUSES
from loadmaster.model.units import parse_bytes
from loadmaster.traces.job_records import OTHER, RecordValues, lines_of, number, read_records
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Rule
from loadmaster.traces.trace import Trace

_LINE = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;([A-Za-z]);([^;]*);(.*)", re.DOTALL | re.ASCII)
_PAIR = re.compile(r"(?:^|(?<=\s))([A-Za-z_][\w.]*)=(\"[^\"]*\"|\S*)")
_ID = re.compile(r"([0-9]{1,18})(?:\[([0-9]{1,9})\])?")
_WHOLE = re.compile(r"[0-9]{1,12}")
_MEMORY = re.compile(r"([0-9]{1,15})(?:([kmgtp]?)([bw]?))", re.IGNORECASE)
_FEATURE = re.compile(r"[A-Za-z_][\w-]*")
_SLOTS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_GENERIC = frozenset({"shared", "excl"})


def is_pbs(line: str) -> bool:
    """Whether `line` is one of an accounting log.

    Example:
        >>> is_pbs("06/06/2005 14:07:17;E;407.ign1;user=guest queue=batch ctime=1118087915")
        True
    """
    return _LINE.fullmatch(line) is not None


def read_pbs(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read an accounting log of PBS (OpenPBS, PBS Pro) or Torque, plain or gzip.

    Cores are `ncpus`, else hosts x `ppn` of `nodes`, else the slots of `exec_host`; memory is `mem`, else `pmem` of
    every core. Times are those of `qtime` (else `ctime`), `etime`, `start` and `end`.

    Raises:
        InputError: the file cannot be read, holds no job, or (`options.strict`) has a bad line.
    """
    return read_records(path, options, lines_of(Path(path), options.progress), job_of)


def job_of(line: str) -> RecordValues | Rule:
    """What a line says of its job.

    Raises:
        ValueError: it is no line of such a log.
    """
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(line)
    if match[1] != "E":
        return OTHER
    fields = {key: value.strip('"') for key, value in _PAIR.findall(match[3])}
    request = {key.removeprefix("Resource_List."): value for key, value in fields.items() if "Resource_List." in key}
    name = _ID.match(match[2])
    submit = number(fields.get("qtime") or fields["ctime"])
    start, end = number(fields["start"]), number(fields["end"])
    hosts, cores, features, exclusive = _shape(request, fields.get("exec_host", ""))
    apart = _distinct_hosts(request, hosts)
    memory = bytes_of(request.get("mem")) or (bytes_of(request.get("pmem")) or 0.0) * cores
    return {
        "submit_s": submit,
        "runtime_s": end - start,
        "wait_s": start - submit,
        "eligible_s": fields.get("etime"),
        "job_id": name[1] if name else None,
        "array": name[1] if name and name[2] else None,
        "array_task": name[2] if name else None,
        "hosts": hosts,
        "cores": cores,
        "memory_bytes": memory,
        "ran_on": _ran_on(fields.get("exec_host", "")),
        "gpus": _gpus(request, hosts),
        "limit_s": clock(request.get("walltime")),
        "user": fields.get("user"),
        "account": fields.get("account") or fields.get("project") or fields.get("group"),
        "partition": fields.get("queue"),
        "name": fields.get("jobname"),
        "features": features,
        "exclusive": exclusive,
        "min_hosts": apart,
        "max_hosts": apart,
        "depends": _depends(request.get("depend") or fields.get("depend")),
        "status": _status(fields.get("Exit_status")),
    }


def clock(text: str | None) -> float | None:
    """Seconds of `hours:minutes:seconds`, or of plain seconds; None where there is none.

    Example:
        >>> clock("01:00:30"), clock("90"), clock("-1")
        (3630.0, 90.0, None)
    """
    if not text or not re.fullmatch(r"([0-9]{1,9}:){0,3}[0-9]{1,9}(\.[0-9]+)?", text):
        return None
    seconds = 0.0
    for part, unit in zip(reversed(text.split(":")), (1.0, 60.0, 3600.0, 86400.0), strict=False):
        seconds += float(part) * unit
    return seconds


def _shape(request: dict[str, str], given: str) -> tuple[float, float, str | None, int]:
    """Hosts, cores of all of them, features and how they are shared."""
    place = request.get("place", "")
    whole = EXCLUSIVE.index("host") if "excl" in re.split(r"[:\s]", place) or request.get("naccesspolicy") else 0
    nodes = request.get("nodes", "")
    hosts, slots, features = 0.0, 0.0, []
    for chunk in nodes.split("+") if nodes and "select" not in request else ():
        first, *rest = chunk.partition("#")[0].split(":")
        count = float(first) if _WHOLE.fullmatch(first) else 1.0
        each = [float(part[4:]) for part in rest if re.fullmatch(r"ppn=[0-9]{1,9}", part)]
        features += [part for part in rest if _FEATURE.fullmatch(part) and part not in _GENERIC]
        hosts, slots = hosts + count, slots + count * (each[0] if each else 1.0)
    cores = float(request["ncpus"]) if _WHOLE.fullmatch(request.get("ncpus", "")) else slots
    if "nodect" in request and _WHOLE.fullmatch(request["nodect"]):
        hosts = float(request["nodect"])
    one_kind = "&".join(dict.fromkeys(features)) if "+" not in nodes else ""
    return max(hosts, 1.0), max(cores, slots) or _slots(given), one_kind or None, whole


def _slots(given: str) -> float:
    """Cores that `exec_host` names: `n1/0+n1/1`, `n1/0*8` (PBS) or `n1/0-7,9` (Torque).

    Example:
        >>> _slots("n1/0+n1/1"), _slots("n1/0*8+n2/0*8"), _slots("n1/0-7,9")
        (2.0, 16.0, 9.0)
    """
    return sum((_slots_of(place) for place in given.split("+") if place), 0.0)


def _slots_of(place: str) -> float:
    slots, _, times = place.partition("/")[2].partition("*")
    if _WHOLE.fullmatch(times):
        return float(times)
    count = 0.0
    for first, last in (match.groups() for match in _SLOTS.finditer(slots)):
        count += max(1.0, float(last or first) - float(first) + 1.0)
    return max(count, 1.0)


def _ran_on(given: str) -> str | None:
    """The hosts of `n1/0+n1/1+n2/0*4`, each once."""
    return ",".join(dict.fromkeys(place.partition("/")[0] for place in given.split("+") if place)) or None


def _distinct_hosts(request: dict[str, str], hosts: float) -> float:
    """How many different hosts the job requests, 0 where chunks may share one: `select` without `place=scatter`."""
    by_nodes = "nodes" in request and "select" not in request
    return hosts if hosts > 1 and (by_nodes or "scatter" in re.split(r"[:\s]", request.get("place", ""))) else 0.0


def _gpus(request: dict[str, str], hosts: float) -> float:
    if _WHOLE.fullmatch(request.get("ngpus", "")):
        return float(request["ngpus"])
    each = re.search(r":gpus=([0-9]{1,6})", request.get("nodes", "") + request.get("neednodes", ""))
    return float(each[1]) * hosts if each else 0.0


def bytes_of(text: str | None) -> float | None:
    """Bytes of `4gb`, `2000mb`, `100kw` (words of 8 bytes) or plain bytes."""
    match = _MEMORY.fullmatch(text or "")
    if match is None:
        return None
    return float(parse_bytes(f"{match[1]}{match[2].upper()}B")) * (8.0 if match[3].lower() == "w" else 1.0)


def _depends(text: str | None) -> str | None:
    """In Slurm's notation: names of servers gone."""
    if not text:
        return None
    return re.sub(r"([0-9]+)(\[[0-9]*\])?(\.[\w.-]+)?(@[\w.-]+)?", r"\1", text)


def _status(text: str | None) -> int:
    """How the job ended: 0 well, 271 (Torque) and 265 cancelled, -11 and -29 out of time."""
    if text is None or text == "0":
        return 0
    word = {"271": "cancelled", "265": "cancelled", "-29": "timeout"}.get(text, "failed")
    return STATUSES.index(word)
