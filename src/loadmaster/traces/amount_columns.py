"""The columns of amounts, the same in every table of jobs, tasks, hosts and states: names and units."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.units import CORES, GPUS, MB, MEMORY, show_bytes
from loadmaster.rules.near import near_to
from loadmaster.system.counted import counted
from loadmaster.traces.values import Values, memory, numbers

AMOUNT_COLUMNS = {
    "cores": "cores of one {what}; also cpu, cpus, core",
    "memory_bytes": "memory of one {what}; also memory_kb, _mb, _gb, _tb (powers of 1024), or memory with units "
    "(64GiB); mem for memory",
    "gpus": "GPUs of one {what}; also gpu",
    "resource_NAME": "any other resource of one {what}, such as resource_licences",
}
"""Every column that holds an amount."""

OTHER = "resource_"
LEAST_MEMORY = 1.0 * MB
"""Less is not believed of the largest of all hosts or tasks."""
_NAMES = {"cores": CORES, "core": CORES, "cpu": CORES, "cpus": CORES, "gpus": GPUS, "gpu": GPUS}
_MEMORY = re.compile(r"mem(?:ory)?(?:_(bytes|b|[kmgt]i?b))?")
_POWER = {"b": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def resource_of(column: str) -> str | None:
    """The resource that a column of this name holds; None if it holds none.

    Example:
        >>> resource_of("cpu"), resource_of("memory_gb"), resource_of("resource_licences"), resource_of("color")
        ('cores', 'memory', 'licences', None)
    """
    if column in _NAMES:
        return _NAMES[column]
    if _MEMORY.fullmatch(column):
        return MEMORY
    return column.removeprefix(OTHER) if column.startswith(OTHER) and column != OTHER else None


def resource_columns(columns: Iterable[str], where: str) -> dict[str, str]:
    """Resource -> its column: cores, memory, GPUs, then others in the order of the table.

    Raises:
        InputError: two columns hold the same resource.
    """
    by_resource: dict[str, str] = {}
    for column in columns:
        resource = resource_of(column)
        if resource in by_resource:
            rule = f"more than one column of {resource}"
            raise InputError(f"{by_resource[resource]}, {column}", rule, fix="keep one", where=where)
        if resource is not None:
            by_resource[resource] = column
    return {name: by_resource[name] for name in sorted(by_resource, key=lambda name: _ORDER.get(name, len(_ORDER)))}


def amounts(column: pl.Series, name: str, plain_bytes: float = 1.0) -> Values:
    """A column of amounts; memory in bytes, plain numbers in the unit of the column's `name`, else in `plain_bytes`."""
    match = _MEMORY.fullmatch(name)
    if match is None:
        return numbers(column)
    return memory(column, 1024.0 ** _POWER[match[1][0]] if match[1] else plain_bytes)


def most_without_unit(column: pl.Series, name: str) -> float:
    """The largest plain number in a column of memory that names no unit; 0 if there is none."""
    match = _MEMORY.fullmatch(name)
    if match is None or match[1]:
        return 0.0
    largest = column.cast(pl.Float64, strict=False).fill_nan(None).max()
    return float(largest) if isinstance(largest, int | float) else 0.0


def notes_on_memory(what: str, largest: float) -> list[str]:
    """Doubt about a memory so small that its unit was probably another.

    Args:
        what: whose memory it is, in the plural.
        largest: bytes of the largest of them, where plain numbers were read as bytes; 0 if there was no such number.
    """
    if not 0 < largest < LEAST_MEMORY:
        return []
    return [
        f"Memory looks wrong: plain numbers are read as bytes, and the largest of the {what} is {show_bytes(largest)}. "
        "Name the column memory_gb, or write a unit, such as 64GiB."
    ]


def notes_on_hosts(cluster: Cluster) -> list[str]:
    """`notes_on_memory` of the hosts: less than a megabyte was never meant."""
    if MEMORY not in cluster.resources:
        return []
    return notes_on_memory("hosts", float(cluster.capacity[:, cluster.resources.index(MEMORY)].max()))


def notes_on_shared_gpus(workload: Workload) -> list[str]:
    """How many jobs share a GPU: then the GPUs of a host are cards in the queue (rule Q22)."""
    if GPUS not in workload.resources:
        return []
    gpus = workload.demand[:, workload.resources.index(GPUS)]
    parts = int(np.count_nonzero(gpus != np.floor(gpus)))
    if not parts:
        return []
    jobs = counted(parts, "job requests", "jobs request")
    return [
        f"{jobs} a part of a GPU. Each part lies on one GPU of its host, and a job of whole GPUs gets GPUs that "
        "no other job uses."
    ]


def unknown_column(name: str, table: str, names: Sequence[str], where: str, fix: str = "") -> InputError:
    """The refusal of a column that is neither an amount nor one of `names`."""
    near = near_to(name, [*names, *AMOUNT_COLUMNS, "memory", "memory_mb", "memory_gb"])
    meant = f"did you mean {near}? " if near and name else ""
    other = (
        f"call it {OTHER}{name if len(name) < 30 else 'NAME'} if it is an amount of a resource"
        if name
        else "name it, or leave it out"
    )
    return InputError(
        name, f"not a column of {table}", fix=f"{meant}{other}" + (f"; {fix}" if fix else ""), where=where
    )


_ORDER = {CORES: 0, MEMORY: 1, GPUS: 2}
