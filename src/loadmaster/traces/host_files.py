"""Machines from files: CSV, Parquet, YAML, the `.machines` form, openb nodes, Alibaba's server events."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from loadmaster.model import Cluster, InputError, SiteRules
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.cluster import MOST_HOSTS
from loadmaster.model.licences import parse_licences, with_licences
from loadmaster.model.limits import Amounts
from loadmaster.model.units import CORES
from loadmaster.traces.alibaba2017 import EVENT_FIELDS, read_server_events
from loadmaster.traces.amount_columns import AMOUNT_COLUMNS, amounts, resource_columns, unknown_column
from loadmaster.traces.files import checked_text, head_of, text_of
from loadmaster.traces.host_power import host_power
from loadmaster.traces.host_rules import RULE_COLUMNS, host_rules
from loadmaster.traces.openb import read_openb_nodes
from loadmaster.traces.parquet import MAGIC
from loadmaster.traces.plain_yaml import FORM, plain_yaml
from loadmaster.traces.unsupported_files import refuse_document, refuse_listing
from loadmaster.traces.values import absent, words
from loadmaster.traces.whole_table import whole_table

HOST_COLUMNS = (
    {
        "name": "a name; with count above 1, name-0, name-1, ...",
        "count": "number of equal hosts, 1 if absent",
        "speed": "speed relative to 1, 1 if absent",
        "idle_w": "watts that one host draws without load; with full_w, for every row or none",
        "full_w": "watts with all cores in use; between the two the power is linear",
        "power_w": "in their place, watts by the part of the cores in use: 0:90;0.5:160;1:250",
        "price_per_hour": "what one host costs an hour, in whatever money; for every row or none",
    }
    | dict(RULE_COLUMNS)
    | {column: meaning.format(what="host") for column, meaning in AMOUNT_COLUMNS.items()}
)
"""Every column of a host table and what it holds. Only cores must be there."""


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
    if head.startswith(MAGIC):
        return _from_table
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".yaml", ".yml")):
        return _yaml
    refuse_document(path, checked_text(path, head))
    lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip() and line[0] != "#"]
    first = lines[0] if lines else ""
    refuse_listing(path, first)
    if name.endswith(".machines") or ("," not in first and len(first.split()) == len(MACHINES_FIELDS)):
        return _machines
    cells = [cell.strip() for cell in first.split(",")]
    if "cpu_milli" in cells:
        return read_openb_nodes
    if len(cells) == len(EVENT_FIELDS) and cells[2] in ("add", "softerror", "harderror", "event type"):
        return read_server_events
    return _from_table


def _from_table(path: Path) -> Cluster:
    return _hosts(path, *whole_table(path))


def _yaml(path: Path) -> Cluster:
    """A list of groups of hosts, or a mapping with such a list under `hosts`, and `licences` of the whole cluster."""
    document = plain_yaml(path)
    groups = document.get("hosts") if isinstance(document, dict) else document
    if not isinstance(groups, list) or not all(isinstance(group, dict) for group in groups) or not groups:
        raise InputError(path.name, "a host file in YAML is a list of groups of hosts", fix=FORM, where=str(path))
    cells = [cell for group in groups for pair in group.items() for cell in pair]
    nested = next((cell for cell in cells if not isinstance(cell, str)), None)
    if nested is not None:
        raise InputError(nested, "a value of a group of hosts is one number or word", fix=FORM, where=str(path))
    keys = list(dict.fromkeys(key for group in groups for key in group))
    rows = {key: [None if group.get(key) == "~" else group.get(key) for group in groups] for key in keys}
    frame = pl.DataFrame(rows, schema=dict.fromkeys(keys, pl.String))
    cluster = _hosts(path, frame, np.arange(1, len(groups) + 1))
    licences = document.get("licences") if isinstance(document, dict) else None
    return cluster if licences is None else with_licences(cluster, _licences(path, licences))


def _licences(path: Path, given: Any) -> Amounts:
    """Licences as one text, or as a mapping of names to amounts."""
    if isinstance(given, dict):
        given = ",".join(f"{name}:{amount}" for name, amount in given.items())
    if not isinstance(given, str):
        raise InputError("licences", "licences of a host file map names to amounts", fix=YAML_FORM, where=str(path))
    try:
        return parse_licences(given)
    except InputError as error:
        raise InputError(error.value, error.rule, fix=YAML_FORM, where=str(path)) from None


YAML_FORM = "write it like licences: {matlab: 20, bb/scratch: 10T}"


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
    return _hosts(path, pl.DataFrame(rows, schema=list(MACHINES_FIELDS[1:]), orient="row"), np.array(lines))


def _hosts(path: Path, frame: pl.DataFrame, line: Longs) -> Cluster:
    """Hosts from rows of `HOST_COLUMNS`."""
    resources = resource_columns(frame.columns, str(path))
    unknown = next((name for name in frame.columns if name not in (*HOST_COLUMNS, *resources.values())), None)
    if unknown is not None:
        raise unknown_column(unknown, "a host table", list(HOST_COLUMNS), str(path))
    if CORES not in resources:
        raise InputError(CORES, "this column is missing", fix=f"it has {', '.join(frame.columns)}", where=str(path))
    if frame.height == 0:
        raise InputError(path.name, "no host in this file", where=str(path))

    def amount(name: str, default: float, least: float) -> Floats:
        values = amounts(frame[name], name) if name in frame.columns else absent(frame.height)
        column = values.or_else(default)
        bad = values.bad | (column < least) | ((column != np.floor(column)) & (name == "count"))
        if bad.any():
            row = int(np.argmax(bad))
            rule = f"{name} of a host must be {'a whole number from 1 up' if name == 'count' else 'zero or more'}"
            rule = f"a host needs more than 0 {name}" if least and name != "count" and not values.bad[row] else rule
            raise InputError(frame[name][row], rule, fix="correct or remove it", where=f"{path}:{line[row]}")
        return column

    counts = amount("count", 1.0, 1.0)
    if counts.sum() > MOST_HOSTS:
        raise InputError(f"{counts.sum():g}", f"more than {MOST_HOSTS:,} hosts", where=str(path))
    count = counts.astype(np.int64)
    tiny = np.finfo(float).tiny
    capacity = np.column_stack(
        [amount(column, 0.0, tiny if resource == CORES else 0.0) for resource, column in resources.items()]
    )
    speed = amount("speed", 1.0, tiny) if "speed" in frame.columns else None
    price = None
    if "price_per_hour" in frame.columns:
        price = amount("price_per_hour", -1.0, 0.0)  # an empty cell is refused: what all cost would not be known
    rules, power = host_rules(path, frame, line, count), host_power(path, frame, line, count)
    if power:
        rules = replace(rules or SiteRules(), power=power)
    return Cluster(
        tuple(resources),
        np.repeat(capacity, count, axis=0),
        _names(frame, count),
        None if speed is None else np.repeat(speed, count),
        rules,
        None if price is None else np.repeat(price, count),
    )


def _names(frame: pl.DataFrame, count: Any) -> tuple[str, ...]:
    if "name" not in frame.columns:
        return ()
    names = words(frame["name"]).fill_null("host").to_list()
    return tuple(
        name if n == 1 else f"{name}-{k}" for name, n in zip(names, count.tolist(), strict=True) for k in range(n)
    )
