"""Machines from files: CSV, Parquet, YAML, the `.machines` form, openb nodes, Alibaba's server events."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import yaml

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.traces.alibaba2017 import EVENT_FIELDS, read_server_events
from loadmaster.traces.files import checked_text, head_of, text_of
from loadmaster.traces.job_columns import MEMORY_COLUMN, OTHER, UNIT_SUFFIX
from loadmaster.traces.openb import read_openb_nodes
from loadmaster.traces.text_table import batches
from loadmaster.traces.values import Values, absent, memory, numbers, words

HOST_COLUMNS = {
    "name": "a name; with count above 1, name-0, name-1, ...",
    "count": "number of equal hosts, 1 if absent",
    "cores": "cores of one host",
    "memory_bytes": "memory of one host; also memory_kb, _mb, _gb, _tb (powers of 1024), or memory with units (64GiB)",
    "gpus": "GPUs of one host",
    "speed": "speed relative to 1, 1 if absent",
    "resource_NAME": "any other resource, such as resource_licences",
}
"""Every column of a host table and what it holds. Only cores must be there."""

MOST_HOSTS = 10_000_000


def read_host_file(path: Path) -> Cluster:
    """The machines in `path`; the form is told by its content and its name.

    Raises:
        InputError: the file cannot be read, or breaks a rule; with the line where there is one.
    """
    try:
        return _reader(path)(path)
    except InputError as error:
        if error.where:
            raise
        raise InputError(error.value, error.rule, fix=error.fix, where=str(path)) from None


def _reader(path: Path) -> Callable[[Path], Cluster]:
    head = head_of(path, 4096)
    if head.startswith(b"PAR1"):
        return _parquet
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".yaml", ".yml")):
        return _yaml
    checked_text(path, head)
    lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip() and line[0] != "#"]
    first = lines[0] if lines else ""
    if name.endswith(".machines") or ("," not in first and len(first.split()) == len(MACHINES_FIELDS)):
        return _machines
    cells = [cell.strip() for cell in first.split(",")]
    if "cpu_milli" in cells:
        return read_openb_nodes
    if len(cells) == len(EVENT_FIELDS) and cells[2] in ("add", "softerror", "harderror", "event type"):
        return read_server_events
    return _csv


def _csv(path: Path) -> Cluster:
    names: list[str] = []

    def header(cells: list[str]) -> tuple[list[str], bool]:
        names.extend(cell.strip().lstrip("\ufeff") for cell in cells)
        return names, True

    frames, lines = [], []
    for batch in batches(path, header):
        if batch.ragged.any():
            line = batch.locate(int(np.argmax(batch.ragged)))
            raise InputError(line.text, "more cells than the header has columns", where=f"{path}:{line.number}")
        frames.append(batch.frame)
        lines.append(batch.line)
    if not frames:
        raise InputError(path.name, "no host in this file", where=str(path))
    return _table(path, pl.concat(frames), np.concatenate(lines))


def _parquet(path: Path) -> Cluster:
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError):
        raise InputError(path.name, "a damaged Parquet file", fix="write it again", where=str(path)) from None
    return _table(path, frame, np.arange(1, frame.height + 1))


def _yaml(path: Path) -> Cluster:
    """A list of groups of hosts, or a mapping with such a list under `hosts`."""
    try:
        document = yaml.safe_load(text_of(path))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise InputError(path.name, "not YAML", fix="check quotes and indentation", where=where) from None
    groups = document.get("hosts") if isinstance(document, dict) else document
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups) or not groups:
        fix = "write it like - {count: 200, cores: 16, memory: 64GiB}"
        raise InputError(path.name, "a host file in YAML is a list of groups of hosts", fix=fix, where=str(path))
    keys = list(dict.fromkeys(key for group in groups for key in group))
    frame = pl.DataFrame({str(key): [_cell(group.get(key)) for group in groups] for key in keys}, strict=False)
    return _table(path, frame, np.arange(1, len(groups) + 1))


MACHINES_FIELDS = ("id", "name", "count", "cores", "speed", "memory_kb")


def _machines(path: Path) -> Cluster:
    """Rows of id, name, count, cores, speed, memory in KB, parted by blanks."""
    rows = []
    lines = []
    for number, line in enumerate(text_of(path).decode("utf-8", "replace").splitlines(), start=1):
        cells = line.split()
        if not cells or line.startswith(("#", ";")):
            continue
        if len(cells) != len(MACHINES_FIELDS):
            rule = f"a line of machines has {len(MACHINES_FIELDS)} fields: {', '.join(MACHINES_FIELDS)}"
            raise InputError(line.strip(), rule, where=f"{path}:{number}")
        rows.append(cells[1:])
        lines.append(number)
    if not rows:
        raise InputError(path.name, "no host in this file", where=str(path))
    return _table(path, pl.DataFrame(rows, schema=list(MACHINES_FIELDS[1:]), orient="row"), np.array(lines))


def _table(path: Path, frame: pl.DataFrame, line: Any) -> Cluster:
    """Hosts from rows of `HOST_COLUMNS`."""
    for name in frame.columns:
        if not (name in HOST_COLUMNS or MEMORY_COLUMN.fullmatch(name) or name.startswith(OTHER)):
            fix = f"known: {', '.join(HOST_COLUMNS)}"
            raise InputError(name, "not a column of a host table", fix=fix, where=str(path))
    if CORES not in frame.columns:
        raise InputError(CORES, "this column is missing", fix=f"it has {', '.join(frame.columns)}", where=str(path))
    if frame.height == 0:
        raise InputError(path.name, "no host in this file", where=str(path))

    def amount(name: str, default: float, least: float) -> Floats:
        values = _amounts(frame, name)
        found = values.or_else(default)
        bad = values.bad | (found < least) | ((found != np.floor(found)) & (name == "count"))
        if bad.any():
            row = int(np.argmax(bad))
            rule = f"{name} of a host must be {'a whole number from 1 up' if name == 'count' else 'zero or more'}"
            rule = "a host needs more than 0 cores" if name == CORES and not values.bad[row] else rule
            raise InputError(frame[name][row], rule, fix="correct or remove it", where=f"{path}:{line[row]}")
        return found

    count = amount("count", 1.0, 1.0).astype(np.int64)
    if count.sum() > MOST_HOSTS:
        raise InputError(int(count.sum()), f"more than {MOST_HOSTS:,} hosts", where=str(path))
    resources = _resources(frame.columns)
    tiny = np.finfo(float).tiny
    capacity = np.column_stack([amount(ours, 0.0, tiny if ours == CORES else 0.0) for ours in resources.values()])
    speed = amount("speed", 1.0, tiny) if "speed" in frame.columns else None
    return Cluster(
        tuple(resources), np.repeat(capacity, count, axis=0), _names(frame, count),
        None if speed is None else np.repeat(speed, count),
    )  # fmt: skip


def _resources(columns: list[str]) -> Mapping[str, str]:
    """Resource -> column: cores, memory, GPUs, then others in the order of the file."""
    remembered = next((name for name in columns if MEMORY_COLUMN.fullmatch(name)), None)
    found = {CORES: CORES} | ({MEMORY: remembered} if remembered else {}) | ({GPUS: GPUS} if GPUS in columns else {})
    return found | {name.removeprefix(OTHER): name for name in columns if name.startswith(OTHER)}


def _amounts(frame: pl.DataFrame, name: str) -> Values:
    if name not in frame.columns:
        return absent(frame.height)
    match = MEMORY_COLUMN.fullmatch(name)
    return memory(frame[name], UNIT_SUFFIX[match[1] or "bytes"]) if match else numbers(frame[name])


def _names(frame: pl.DataFrame, count: Any) -> tuple[str, ...]:
    if "name" not in frame.columns:
        return ()
    names = words(frame["name"]).fill_null("host").to_list()
    return tuple(
        name if n == 1 else f"{name}-{k}" for name, n in zip(names, count.tolist(), strict=True) for k in range(n)
    )


def _cell(value: Any) -> str | None:
    return None if value is None else str(value)
