"""What the memory fields of SWF mean: the standard's reading, and signs that a log does not follow it."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.units import MB, MEMORY, TB, parse_bytes, percent, show_bytes
from loadmaster.system.counted import counted
from loadmaster.traces.options import ReadOptions

DOUBT = "Memory looks wrong"
FEW = 0.05
"""If a larger part of the jobs fits on no host, a note says so."""
SAMPLE = 10_000
"""At least so many jobs, evenly spaced, are looked at."""
MOST, LEAST = 1 * TB, 1 * MB
"""A median outside these, for one processor, is not believed."""


def memory_scale(options: ReadOptions, default: str = "KB") -> float:
    """Bytes in one unit of plain memory numbers.

    Raises:
        InputError: the unit is unknown.
    """
    unit = options.memory_unit or default
    try:
        return float(parse_bytes(f"1{unit}"))
    except InputError:
        raise InputError(unit, "not a unit of memory", fix="use B, KB, MB, GB or TB") from None


def memory_notes(columns: dict[str, NDArray[Any]], options: ReadOptions) -> list[str]:
    """What a user must know about the memory that was read: where it came from, and whether it can be true.

    Args:
        columns: `demand` (cores, and bytes a processor), `memory_from` (1 asked, 2 used, 0 neither), `tasks`.
        options: the reading that made them.
    """
    source = columns["memory_from"]
    used, none = int((source == 2).sum()), int((source == 0).sum())
    if none == len(source):
        return ["This log has no memory: fields 7 and 10 are empty."]
    notes = []
    if used:
        notes.append(
            f"{counted(used, 'job')} requested no memory (field 10); the memory used (field 7) stands in for it."
        )
    if none:
        notes.append(
            f"{counted(none, 'job has', 'jobs have')} no memory in the log (fields 7 and 10): that counts as "
            "no request."
        )
    return notes + _doubtful_readings(columns, options)


def _doubtful_readings(columns: dict[str, NDArray[Any]], options: ReadOptions) -> list[str]:
    given = np.flatnonzero(columns["memory_from"])
    given = given[:: max(1, len(given) // SAMPLE)]
    memory, tasks = columns["demand"][given, 1], columns["tasks"][given]
    median = float(np.median(memory))
    read = f"read as {options.memory_unit or 'KB'} {options.swf_memory.replace('-', ' ')}"
    if median > MOST:
        fix = "--memory-unit B, and perhaps --swf-memory job-total"
    elif median < LEAST:
        fix = "--memory-unit MB"
    elif options.swf_memory == "per-processor" and float(np.median(memory * tasks)) > MOST:
        fix = "--swf-memory job-total"
        return [
            _doubt_note(read, f"the median job requests {show_bytes(float(np.median(memory * tasks)))} in all", fix)
        ]
    else:
        return []
    return [_doubt_note(read, f"the median job requests {show_bytes(median)} a processor", fix)]


def believable(workload: Workload) -> bool:
    """Whether the median task requests an amount of memory that one processor may have."""
    memory = workload.demand[:, workload.resources.index(MEMORY)]
    given = memory[memory > 0]
    return not given.size or LEAST <= float(np.median(given)) <= MOST


def fit_notes(workload: Workload, cluster: Cluster, options: ReadOptions) -> list[str]:
    """Doubt about memory that shows only beside the machines: many jobs would fit on none of them."""
    if MEMORY not in workload.resources or MEMORY not in cluster.resources:
        return []
    largest = float(cluster.capacity[:, cluster.resources.index(MEMORY)].max())
    whole = workload.demand[:, workload.resources.index(MEMORY)] * workload.task_count
    share = float(np.mean(whole > largest))
    if share < FEW:
        return []
    read = f"read as {options.memory_unit or 'KB'} {options.swf_memory.replace('-', ' ')}"
    fix = "--swf-memory job-total" if options.swf_memory == "per-processor" else "--memory-unit"
    return [_doubt_note(read, f"{percent(share)} of the jobs request more than the largest host has", fix)]


def option_to_try(notes: Iterable[str]) -> str | None:
    """The option, with its value, that a note of doubt names first; None where there is none."""
    named = (re.search(r"say (--[a-z-]+ [\w-]+)", note) for note in notes if note.startswith(DOUBT))
    return next((option[1] for option in named if option), None)


def _doubt_note(read: str, finding: str, fix: str) -> str:
    return f"{DOUBT}: {read}, {finding}. If the log counts otherwise, say {fix}."
