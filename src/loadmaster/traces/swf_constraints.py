"""Constraints of jobs in an SWF log: fields 15 to 18, with all fields 11 and 14, and words behind field 18."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Constraints, InputError
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.constraints import STATUSES
from loadmaster.model.job_succession import rows_of
from loadmaster.model.name_column import Named
from loadmaster.system.counted import counted
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.swf_block import PARTITION_CODE, PRECEDING_CODE, QUEUE_CODE, THOUGHT
from loadmaster.traces.swf_names import SwfNames, named
from loadmaster.traces.swf_words import Words, shaped

_STATUS = {0: "failed", 1: "ok", 2: "partial", 3: "partial", 4: "partial", 5: "cancelled"}


def bound_of(
    columns: dict[str, NDArray[Any]], words: Words | None, options: ReadOptions, names: SwfNames
) -> tuple[Constraints | None, list[str]]:
    """Constraints of the jobs, and what of the requests is not understood; takes its columns out of `columns`.

    A field with one value in all lines is unknown, unless `names` has names for it; users and groups that it names
    become rows of their names. Where `words` are there, each task becomes a host of the request,
    one of its own (rule C9).
    """
    queue = numbered(columns.pop(QUEUE_CODE), "queue", names)
    partition = numbered(columns.pop(PARTITION_CODE), "partition", names)
    users, groups = (_renumbered(columns, *which, names) for which in (("user", "user"), ("project", "group")))
    features, exclusive, several, notes = None, None, None, list[str]()
    follows, think_s = _followers(columns, options, notes)
    if words is not None:
        queue = Named(columns.pop("queue word"), words.queues.names)
        features = Named(columns.pop("features"), words.features.names)
        exclusive = columns.pop("exclusive")
        requested = shaped(columns, columns.pop("hosts"), columns.pop("ppn"))
        several = requested if requested.max(initial=0) > 1 else None
        if odd := int(columns.pop("odd").sum()):
            notes.append(f"{odd:,} requests name or exclude hosts, or have several parts: that is not modelled.")
    if options.swf_partition == "15":
        queue, partition = None, queue
    constraints = Constraints(
        qos=queue,
        partition=partition,
        features=features if features is not None and features.names else None,
        exclusive=exclusive if exclusive is not None and exclusive.any() else None,
        min_hosts=several,
        max_hosts=several,
        follows=follows,
        think_s=think_s,
        user_names=users,
        account_names=groups,
    )
    if options.all_fields:
        status = _status(columns["status"])
        constraints = replace(constraints, name=numbered(columns["executable"], "executable", names), status=status)
    return (None if constraints.is_empty else constraints), notes


def _followers(
    columns: dict[str, NDArray[Any]], options: ReadOptions, notes: list[str]
) -> tuple[Longs | None, Floats | None]:
    """The job before each, -1 of none, and the think time, under `closed`; what is said of them goes to `notes`.

    One value of field 17 in all lines is none. Where field 18 is not known, or the job before is no job of the log or
    stands behind, the arrival is as recorded.
    """
    preceding, thought = columns.pop(PRECEDING_CODE), columns.pop(THOUGHT, None)
    follows = preceding > 0
    if not follows.any() or preceding.min() == preceding.max():
        if options.swf_feedback == "closed":
            nothing = "no job is known to be submitted after the end of another (fields 17, 18)"
            raise InputError("--swf-feedback closed", f"changes nothing for this log: {nothing}", fix="leave it out")
        return None, None
    said = f"{_jobs(int(follows.sum()))} submitted after another had ended (fields 17, 18)"
    if thought is None:
        notes.append(f"{said}: arrivals stay as they were recorded.")
        return None, None
    before = rows_of(columns["job_id"], preceding)
    moved = follows & (thought >= 0) & (before >= 0) & _is_before(columns["submit_s"], before)
    as_recorded = int((follows & ~moved).sum())
    notes.append(
        f"{said}: {int(moved.sum()):,} of them come in each run so long after the end there as they did in the log"
        f"{f', {as_recorded:,} as recorded' if as_recorded else ''}. Loads offered are those of the recorded arrivals."
    )
    return np.where(moved, preceding, -1), np.where(moved, thought, 0.0)


def _is_before(submit_s: Floats, before: Longs) -> NDArray[np.bool_]:
    """Whether the job before comes first in the order of arrival, ties in the order of the file."""
    rows = np.arange(len(submit_s))
    return np.asarray((submit_s[before] < submit_s) | ((submit_s[before] == submit_s) & (before < rows)))


def _jobs(count: int) -> str:
    return counted(count, "job was", "jobs were")


def _renumbered(columns: dict[str, NDArray[Any]], column: str, field: str, names: SwfNames) -> tuple[str, ...]:
    """The names of a field, () where it has none; its column holds rows of them then."""
    if field not in names:
        return ()
    by_name = named(field, columns[column], names)
    columns[column] = by_name.code
    return by_name.names


def numbered(values: Ints, field: str = "", names: SwfNames = MappingProxyType({})) -> Named | None:
    """A column of numbers by the names of its field, else as names themselves, -1 as none.

    None where all lines have the same, unless it has a name.

    Example:
        >>> column = numbered(np.array([3, -1, 1, 3], np.int32))
        >>> column.words()
        ['3', None, '1', '3']
    """
    if field in names:
        return named(field, values, names)
    if not values.size or values.min() == values.max():
        return None
    used = np.sort(pl.Series(values).unique().to_numpy())
    used = used[used >= 0]
    code = np.where(values >= 0, np.searchsorted(used, values), -1).astype(np.int32)
    return Named(code, tuple(map(str, used.tolist())))


def _status(values: Ints) -> Ints | None:
    """Codes of `STATUSES`; None where all lines have the same."""
    if not values.size or values.min() == values.max():
        return None
    codes = np.zeros(len(values), np.int32)
    for number, word in _STATUS.items():
        codes[values == number] = STATUSES.index(word)
    return codes
