"""What binds the jobs of an SWF log: fields 15 and 16, with all fields 11 and 14, and the words behind the 18th."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Constraints, InputError
from loadmaster.model.arrays import Ints
from loadmaster.model.constraints import STATUSES
from loadmaster.model.named import Named
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.swf_block import PARTITION_CODE, PRECEDING_CODE, QUEUE_CODE
from loadmaster.traces.swf_words import Words, shaped

_STATUS = {0: "failed", 1: "ok", 2: "partial", 3: "partial", 4: "partial", 5: "cancelled"}


def refuse_feedback(options: ReadOptions) -> None:
    """Refuse think times, which no engine serves: an arrival would be known only when another job has ended.

    Raises:
        InputError: `swf_feedback` asks for them.
    """
    if options.swf_feedback != "ignore":
        rule = "arrivals that wait for the end of another job (fields 17, 18) are served by no engine"
        raise InputError(f"--swf-feedback {options.swf_feedback}", rule, fix="take arrivals as recorded: ignore")


def bound_of(
    columns: dict[str, NDArray[Any]], words: Words | None, options: ReadOptions
) -> tuple[Constraints | None, list[str]]:
    """Constraints of the jobs, and what of the requests is not understood; takes its columns out of `columns`.

    A field with one value in all lines is unknown. Where `words` are there, each task becomes a host of the request,
    one of its own (rule C9).
    """
    queue, partition = numbered(columns.pop(QUEUE_CODE)), numbered(columns.pop(PARTITION_CODE))
    features, exclusive, several, notes = None, None, None, _of_followers(columns.pop(PRECEDING_CODE))
    if words is not None:
        queue = Named(columns.pop("queue word"), words.queues.names)
        features = Named(columns.pop("features"), words.features.names)
        exclusive = columns.pop("exclusive")
        asked = shaped(columns, columns.pop("hosts"), columns.pop("ppn"))
        several = asked if asked.max(initial=0) > 1 else None
        if odd := int(columns.pop("odd").sum()):
            notes.append(f"{odd:,} requests name or exclude hosts, or have several parts: that is not modelled.")
    if options.swf_partition == "15":
        queue, partition = None, queue
    found = Constraints(
        qos=queue, partition=partition, features=features if features is not None and features.names else None,
        exclusive=exclusive if exclusive is not None and exclusive.any() else None, min_hosts=several,
        max_hosts=several,
    )  # fmt: skip
    if options.all_fields:
        status = _status(columns["status"])
        found = replace(found, name=numbered(columns["executable"]), status=status)
    return (None if found.is_empty else found), notes


def _of_followers(preceding: Ints) -> list[str]:
    """What is said of jobs that were submitted after the end of another (field 17); one value in all lines is none."""
    followers = int((preceding > 0).sum())
    if not followers or preceding.min() == preceding.max():
        return []
    jobs = "1 job was" if followers == 1 else f"{followers:,} jobs were"
    return [f"{jobs} submitted after another had ended (fields 17, 18): arrivals stay as they were recorded."]


def numbered(values: Ints) -> Named | None:
    """A column of numbers as names, -1 as none; None where all lines have the same.

    Example:
        >>> column = numbered(np.array([3, -1, 1, 3], np.int32))
        >>> column.words()
        ['3', None, '1', '3']
    """
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
    found = np.zeros(len(values), np.int32)
    for number, word in _STATUS.items():
        found[values == number] = STATUSES.index(word)
    return found
