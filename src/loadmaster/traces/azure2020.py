"""Azure's trace for packing of 2020: requests for virtual machines, in a database of SQLite."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from loadmaster.model.errors import InputError, one_line
from loadmaster.model.units import GB
from loadmaster.traces.job_records import LogRecord, RecordValues, read_records
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Rule
from loadmaster.traces.trace import Trace

MAGIC = b"SQLite format 3\0"
"""The first bytes of any database of SQLite."""
DAY_S = 86_400.0
LAST_DAY = 90.0
"""Ends behind it are not told; such a virtual machine is taken to end then."""
WHOLE_MEMORY = 128.0 * GB
NOT_HERE = Rule("its type is not offered on the machine that most types are offered on", bad=False)
_MACHINE = "select machineId from vmType group by machineId order by count(distinct vmTypeId) desc, machineId limit 1"
_REQUESTS = f"""
select vm.vmId, vm.tenantId, vm.priority, vm.starttime - :first, coalesce(vm.endtime, {LAST_DAY}) - :first,
kind.core, kind.memory
from vm left join (select vmTypeId, max(core) as core, max(memory) as memory from vmType where machineId = :machine
group by vmTypeId) as kind on kind.vmTypeId = vm.vmTypeId order by vm.starttime, vm.vmId
"""


def is_database(path: Path) -> bool:
    """Whether the file is a database of SQLite; one that cannot be read is not."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def read_azure2020(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read `packing_trace_zone_a_v1.sqlite`; a request is a job of one task, in parts of one kind of machine.

    Raises:
        InputError: it cannot be read, lacks the tables `vm` and `vmType`, or (`options.strict`) has a bad row.
    """
    path = Path(path)
    notes = [
        "CPU and memory are parts of a machine: the whole CPU counts as 1 core, the whole memory as 128 GiB, so that "
        "hosts are 1c128g; parts of disks and network are not kept."
    ]
    try:
        with closing(_opened(path)) as database:
            kinds = database.execute("select count(distinct machineId) from vmType").fetchone()[0]
            machine = database.execute(_MACHINE).fetchone()
            if machine is None:
                raise InputError(path.name, "no type of virtual machine in this database", where=str(path))
            if kinds > 1:
                notes.append(
                    f"The trace sizes its types for {kinds} kinds of machines; here the sizes are those on the kind "
                    f"that offers most types ({machine[0]})."
                )
            alive = database.execute("select count(*) from vm where endtime is null").fetchone()[0]
            if alive:
                notes.append(f"{alive:,} virtual machines had not ended on day 90; they are taken to end then.")
            return read_records(path, options, _records(database, machine[0]), job_of, notes)
    except (sqlite3.Error, UnicodeError) as error:  # UnicodeError: a name in the schema that is not UTF-8
        why = one_line(str(error), 80)
        rule = f"this database is not Azure's trace for packing: {why}"
        raise InputError(path.name, rule, fix="it has the tables vm and vmType", where=str(path)) from error


def job_of(row: tuple[Any, ...]) -> RecordValues | Rule:
    """What a request says of its job.

    Raises:
        ValueError: a value is none.
    """
    request, tenant, priority, start, end, cores, memory = row
    if cores is None:
        return NOT_HERE
    return {
        "submit_s": float(start) * DAY_S,
        "runtime_s": (float(end) - float(start)) * DAY_S,
        "cores": float(cores),
        "memory_bytes": float(memory) * WHOLE_MEMORY,
        "user": str(tenant),
        "job_id": int(request),
        "priority": -float(priority),
        "wait_s": 0.0,
    }


def _opened(path: Path) -> sqlite3.Connection:
    """The database, which is only read, and of which nothing is run."""
    if not path.is_file():
        raise InputError(path, "no such file")
    database = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    database.execute("pragma trusted_schema = off")
    return database


def _records(database: sqlite3.Connection, machine: Any) -> Iterator[LogRecord]:
    """The requests in the order of their start, which is counted from the first one; that may lie before day 0."""
    first = database.execute("select min(starttime) from vm").fetchone()[0]
    for number, row in enumerate(database.execute(_REQUESTS, {"machine": machine, "first": first}), 1):
        yield LogRecord(number, str(row)[:400], row)
