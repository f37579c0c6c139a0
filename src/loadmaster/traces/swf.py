"""The Standard Workload Format of the Parallel Workloads Archive (Chapin et al. 1999), read in parallel blocks."""

import re
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from loadmaster.model import Cluster
from loadmaster.model.cluster import MOST_HOSTS
from loadmaster.model.exact_amounts import MOST
from loadmaster.model.units import CORES, KB, MEMORY
from loadmaster.system.process import usable_cores
from loadmaster.traces.files import blocks, checked_text, head_of
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.recipe import LABEL, Recipe
from loadmaster.traces.rejects import Line, Rejects, Rule
from loadmaster.traces.rows import Rows, workload_of
from loadmaster.traces.swf_block import EXTRA, Block, WantedColumns, read_block
from loadmaster.traces.swf_constraints import bound_of
from loadmaster.traces.swf_memory import memory_notes, memory_scale
from loadmaster.traces.swf_names import read_names
from loadmaster.traces.swf_words import Words, has_words
from loadmaster.traces.trace import Trace

SYNTHETIC = "Synthetic"
"""The header label that says a log was made by a generator."""
_HEADER = re.compile(r";\s*([A-Za-z]\w*)\s*:\s*(.*?)\s*")


def read_swf(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read an SWF log, plain or gzip; one task a processor.

    Processors are those requested (field 8), or those allocated (5) where none were requested; memory likewise: field
    10, else the memory used (7), per processor in KB unless `options` say otherwise, rounded down to whole bytes.
    The wait (3) is kept as what really happened. The user's group (13) is the project, the queue (15) the quality of
    service. Numbers become the names that a table beside the log has for them (a header comment `Names` says which).
    Where `options.swf_feedback` is closed, jobs follow others (17) after a think time (18). Behind the 18th
    field there may be a queue by name and a request for hosts; other words there are passed over.

    Raises:
        InputError: the file cannot be read, holds no job, or (`options.strict`) has a bad line.
    """
    path = Path(path)
    head = checked_text(path, head_of(path))
    about = _header(head)
    words = Words() if has_words(head) else None
    closed = options.swf_feedback == "closed"
    job_total = options.swf_memory == "job-total"
    wanted = WantedColumns(memory_scale(options), job_total, options.all_fields, closed, options.use)
    rejects = Rejects(path, strict=options.strict)
    grown = _read_columns(path, wanted, rejects, options, words)
    if not len(grown):
        raise rejects.none_left()
    columns = grown.first(options.limit)
    names, unnamed = read_names(path, about)
    notes = [*memory_notes(columns, options), *unnamed]
    bound, odd = bound_of(columns, words, options, names)
    notes += odd
    extra = {name: columns.pop(name) for name in EXTRA if name in columns}
    extra = {name: column for name, column in extra.items() if name not in names}  # they are names now
    if options.all_fields:
        extra |= _partly_unknown(columns)
    rows, resources = _rows(columns)
    rows = rows._replace(constraints=bound)
    recipe = about.get(SYNTHETIC)
    source = f"{recipe} ({path.name})" if recipe else path.name
    workload, order = workload_of(rows, resources, source, synthetic=recipe is not None, epoch_s=_epoch_s(about))
    if order is not None:
        extra = {name: column[order] for name, column in extra.items()}
    return Trace(
        workload,
        _cluster(about, resources),
        rejects.skipped,
        tuple(notes),
        about,
        extra,
        recipe=Recipe.of(about.get(LABEL)),
    )


def _epoch_s(about: dict[str, str]) -> float | None:
    """The local date of second 0 by the header, in seconds since 1970; None where it names no moment.

    UnixStartTime is in UTC. TimeZoneString, or TimeZone in seconds, tells the clock of the site.
    """
    started = re.match(r"[0-9]{9,10}$", about.get("UnixStartTime", "").strip())
    if started is None:
        return None
    at_s = float(started[0])
    offset = re.match(r"-?[0-9]{1,5}$", about.get("TimeZone", "").strip())
    try:
        zone = ZoneInfo(about["TimeZoneString"].strip())
        shift = datetime.fromtimestamp(at_s, zone).utcoffset()
        return at_s + (0.0 if shift is None else shift.total_seconds())
    except (KeyError, ValueError, OSError):
        return at_s + (0.0 if offset is None else float(offset[0]))


def _partly_unknown(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Estimates and projects as read, -1 where unknown, if that is so of some and not of others."""
    unknown: dict[str, NDArray[Any]] = {}
    has_estimate, project = columns["estimate_known"], columns["project"]
    if has_estimate.any() and not has_estimate.all():
        unknown["estimate_s"] = np.where(has_estimate, columns["estimate_s"], -1.0)
    if project.min() < 0 <= project.max():
        unknown["project"] = project
    return unknown


def _header(head: bytes) -> dict[str, str]:
    """The comments `; Label: value` before the first job; a label that comes again adds a line to its value."""
    about: dict[str, str] = {}
    for line in head.decode("latin-1").splitlines():
        if not line.strip().startswith(";"):
            if line.strip():
                break
            continue
        match = _HEADER.fullmatch(line.strip())
        if match:
            about[match[1]] = f"{about[match[1]]}\n{match[2]}" if match[1] in about else match[2]
    return about


class GrowingColumns:
    """Named columns of the same length; rows are added at the end.

    Fresh memory is what reading large logs spends most time on: joining pieces would touch all of it twice. So the
    first pieces tell how long the columns will be, and each piece is copied to its place.

    Example:
        >>> columns = GrowingColumns()
        >>> columns.add({"x": np.array([1, 2])}, part=0.5)
        >>> columns.add({"x": np.array([3])}, part=1.0)
        >>> columns.first(2)["x"].tolist(), len(columns)
        ([1, 2], 3)
    """

    def __init__(self) -> None:
        self._columns: dict[str, NDArray[Any]] = {}
        self._length = 0
        self._room = 0

    def __len__(self) -> int:
        return self._length

    def add(self, piece: dict[str, NDArray[Any]], part: float) -> None:
        """Append rows; `part` of the whole is there once they are."""
        rows = len(next(iter(piece.values())))
        needed = self._length + rows
        if needed > self._room:
            expected = int(needed / max(part, 1e-6) * MARGIN) if part < 1 else needed
            self._grow(piece, max(min(expected, 100 * needed), int(self._room * GROWTH), needed))
        for name, values in piece.items():
            self._columns[name][self._length : needed] = values
        self._length = needed

    def first(self, limit: int | None = None) -> dict[str, NDArray[Any]]:
        """The columns, or their first `limit` rows; not copied."""
        return {name: column[: self._length][:limit] for name, column in self._columns.items()}

    def _grow(self, piece: dict[str, NDArray[Any]], room: int) -> None:
        for name, values in piece.items():
            larger = np.empty((room, *values.shape[1:]), dtype=values.dtype)
            if self._length:
                larger[: self._length] = self._columns[name][: self._length]
            self._columns[name] = larger
        self._room = room


def _read_columns(
    path: Path, wanted: WantedColumns, rejects: Rejects, options: ReadOptions, words: Words | None
) -> GrowingColumns:
    columns = GrowingColumns()
    lines = 0
    for text, whole, part in _in_order(path, wanted, options):
        block = whole if options.limit is None else _until(text, whole, options.limit - len(columns), wanted)
        rejects.count(_rejected_lines(text, block, lines))
        lines += block.lines
        if block.jobs:
            behind = {} if words is None else words.columns(text, block.start)
            columns.add(block.columns | behind, part)
        if options.limit is not None and len(columns) >= options.limit:
            break
    return columns


def _until(text: bytes, block: Block, jobs: int, wanted: WantedColumns) -> Block:
    """What `text` holds up to and with the line of its job number `jobs`; all of it if it has fewer."""
    if block.jobs < jobs:
        return block
    return read_block(text[: text.index(b"\n", int(block.start[jobs - 1])) + 1], wanted)


def _in_order(path: Path, wanted: WantedColumns, options: ReadOptions) -> Iterator[tuple[bytes, Block, float]]:
    """Blocks of the file in order, each with the part of the file that is read with it.

    This thread unpacks while others tokenise (the kernel lets go of the GIL); few blocks are under way at once.
    """
    threads = min(2, usable_cores())
    running: deque[tuple[bytes, Future[Block], float]] = deque()
    part = 0.0

    def progress(now: float) -> None:
        nonlocal part
        part = now
        if options.progress is not None:
            options.progress(now)

    with ThreadPoolExecutor(threads) as pool:
        for text in blocks(path, progress=progress):
            running.append((text, pool.submit(read_block, text, wanted), part))
            if len(running) > threads:
                done, future, there = running.popleft()
                yield done, future.result(), there
        while running:
            done, future, there = running.popleft()
            yield done, future.result(), there


def _rejected_lines(text: bytes, block: Block, before: int) -> list[tuple[Rule, list[Line], int]]:
    def line(start: int) -> Line:
        end = text.index(b"\n", start)
        number = before + text.count(b"\n", 0, start) + 1
        return Line(number, " ".join(text[start : min(end, start + 400)].decode("latin-1").split()))

    return [(rule, [line(start) for start in starts], count) for rule, starts, count in block.rejected]


def _rows(columns: dict[str, NDArray[Any]]) -> tuple[Rows, tuple[str, ...]]:
    demand, user = columns["demand"], columns["user"]
    if not columns["memory_from"].any():
        demand = np.ones((len(demand), 1))
    rows = Rows(
        columns["submit_s"],
        columns["runtime_s"],
        demand,
        columns["tasks"],
        columns["estimate_s"] if columns["estimate_known"].any() else None,
        columns["project"],
        user if (user >= 0).any() else None,
        columns["job_id"],
        columns["recorded_wait_s"],
    )
    return rows, (CORES, MEMORY)[: demand.shape[1]]


def _cluster(about: dict[str, str], resources: tuple[str, ...]) -> Cluster | None:
    """The machines of the header: MaxNodes equal hosts with MaxProcs processors together, MaxMemory KB each.

    None where the header leaves open how processors or (in a log with memory) memory are spread over hosts, or its
    numbers cannot be those of machines.
    """
    processors, nodes = _count(about.get("MaxProcs")), _count(about.get("MaxNodes"))
    memory = _count(about.get("MaxMemory"))
    hosts = nodes or processors
    if not (processors and hosts) or processors % hosts or (MEMORY in resources and not memory):
        return None
    if hosts > MOST_HOSTS or max(processors, memory * KB) > MOST:
        return None
    cores = float(processors // hosts)
    return Cluster.uniform(hosts, cores=cores, memory=memory * KB) if memory else Cluster.uniform(hosts, cores=cores)


def _count(text: str | None) -> int:
    match = re.match(r"[0-9]+", text or "")
    return int(match[0]) if match else 0


MARGIN = 1.03
GROWTH = 1.5
