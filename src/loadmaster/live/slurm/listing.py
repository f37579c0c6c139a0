"""The one listing of jobs: `squeue` in columns of fixed width, which no name that a user chose can break.

Of what users may write freely (names of jobs, comments, folders) only the name is requested, as the last column: it can
break no other, and a line that a name begins is too short to be taken for one. Another cell that fills its column may
have been cut, and its job is left out by name.
"""

import re
from dataclasses import dataclass, replace

from loadmaster.model.errors import InputError

COLUMNS = {
    "JobArrayID": 48, "JobID": 12, "ArrayJobID": 12, "ArrayTaskID": 160, "State": 16, "Reason": 32, "UserName": 40,
    "Account": 64, "Partition": 160, "QOS": 48, "SubmitTime": 12, "EligibleTime": 12, "StartTime": 12, "EndTime": 12,
    "TimeLimit": 16, "NumNodes": 12, "MaxNodes": 12, "NumCPUs": 12, "cpus-per-task": 12, "ntpernode": 8,
    "MinMemory": 16, "tres-alloc": 120, "tres-per-job": 60, "tres-per-node": 60, "tres-per-task": 60,
    "tres-per-socket": 60, "NumTasks": 12, "Sockets": 8, "ReqNodes": 240, "NodeList": 240, "Feature": 120,
    "Dependency": 240, "PriorityLong": 12, "Nice": 12, "Reservation": 64, "OverSubscribe": 8, "Licenses": 48,
    "admin_comment": 128, "DelayBoot": 16, "Name": 64,
}  # fmt: skip
"""By their names in `squeue -O`, how many letters each may have."""
WIDTH = sum(COLUMNS.values())
_FORMAT = ",".join(f"{name}:{wide}" for name, wide in COLUMNS.items())
COMMAND = ("squeue", "-a", "-h", "-t", "all", "--array-unique", "-O", _FORMAT)
"""Without `--array-unique` tasks of one array that wait are one line, though one of them is held or pinned alone."""
EXCLUDED_COMMAND = ("squeue", "-a", "-h", "-t", "PD", "--array-unique", "-o", "%A %x")
"""The hosts that waiting jobs must not be on: no column of `squeue -O` has them."""
MOST_TASKS = 100_000
_MAY_BE_CUT = (
    "ArrayTaskID", "Partition", "tres-alloc", "tres-per-job", "tres-per-node", "tres-per-task", "tres-per-socket",
    "ReqNodes", "NodeList", "Feature", "Dependency", "Account", "QOS", "Licenses", "Reservation", "UserName",
)  # fmt: skip
_ID = re.compile(r"[0-9]+(?:_(?:[0-9]+|\[.*))?(?:\+[0-9]+)?")
_TASKS = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9}))?)?")


@dataclass(frozen=True)
class ListedJob:
    """One job, or one task of an array, as `squeue` has it; empty where it says nothing.

    Attributes:
        id: the name by which its user knows it, such as `12` or `12_3`; it never changes.
        cells: by the names of `COLUMNS`.
        task: its number in its array, -1 of none.
        throttle: so many tasks of its array run at once, 0 for no limit.
        cut: a column that may have been cut, "" for none.
        named: the hosts that it must be on, where the mark of the hook tells them.
        excluded: the hosts that it must not be on.
    """

    id: str
    cells: dict[str, str]
    task: int = -1
    throttle: int = 0
    cut: str = ""
    named: str = ""
    excluded: str = ""

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    @property
    def arrival(self) -> tuple[float, int, int]:
        """The order of arrival: by the time of submission, the number of the job or its array, and of the task."""
        return float(self["SubmitTime"] or 0), int(self["ArrayJobID"] or self["JobID"]), self.task


def parse_listing(text: str) -> tuple[list[ListedJob], int]:
    """Every job of the listing, the waiting tasks of an array one by one; and how many lines make no sense.

    Example:
        >>> line = "".join(cell.ljust(wide) for cell, wide in zip(["7_[1-3%2]", "7", "7", "1-3%2"], COLUMNS.values()))
        >>> [(row.id, row.throttle) for row in parse_listing(line.ljust(WIDTH))[0]]
        [('7_1', 2), ('7_2', 2), ('7_3', 2)]
    """
    rows: list[ListedJob] = []
    senseless = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        if len(line) < WIDTH - COLUMNS["Name"] or not _ID.match(line):
            senseless += 1
            continue
        rows += _rows_of(_cells(line))
    return rows, senseless


def with_excluded(rows: list[ListedJob], text: str) -> list[ListedJob]:
    """The rows with the hosts that they must not be on, as `EXCLUDED_COMMAND` lists them."""
    excluded = dict(line.split(maxsplit=1) for line in text.splitlines() if len(line.split()) > 1)
    if not excluded:
        return rows
    return [replace(row, excluded=excluded.get(row["JobID"], "")) for row in rows]


def task_numbers(text: str) -> tuple[list[int], int]:
    """The tasks that an array's text such as `1-7:2,9%4` names, and how many may run at once (0 for no limit).

    Raises:
        InputError: it is none.

    Example:
        >>> task_numbers("1-7:2,9%4")
        ([1, 3, 5, 7, 9], 4)
    """
    numbers, _, most = text.strip("[]").partition("%")
    tasks: list[int] = []
    for part in numbers.split(","):
        match = _TASKS.fullmatch(part)
        if match is None:
            raise InputError(text, "no tasks of an array", fix="write them like 1-7:2,9%4")
        first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
        if last < first or step < 1 or (last - first) // step + len(tasks) >= MOST_TASKS:
            raise InputError(text, f"no tasks of an array, or more than {MOST_TASKS:,}")
        tasks += range(first, last + 1, step)
    return tasks, int(most) if most.isdecimal() else 0


def _cells(line: str) -> dict[str, str]:
    cells, at = {}, 0
    for name, wide in COLUMNS.items():
        text = line[at : at + wide].rstrip()
        cells[name] = "" if text in ("N/A", "(null)", "Unknown", "NONE") else text
        at += wide
    return cells


def _rows_of(cells: dict[str, str]) -> list[ListedJob]:
    cut = next((name for name in _MAY_BE_CUT if len(cells[name]) >= COLUMNS[name]), "")
    tasks = cells["ArrayTaskID"]
    if not tasks or cut == "ArrayTaskID":
        return [ListedJob(cells["JobArrayID"], cells, cut=cut)]
    try:
        numbers, throttle = task_numbers(tasks)
    except InputError:
        return [ListedJob(cells["JobArrayID"], cells, cut="ArrayTaskID")]
    return [ListedJob(f"{cells['ArrayJobID']}_{number}", cells, number, throttle, cut) for number in numbers]
