"""The columns of a host table beside amounts: features, partitions, and when hosts are down."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import polars as pl

from loadmaster.model import InputError, SiteRules
from loadmaster.model.arrays import Longs
from loadmaster.model.site_rules import CalendarRow, Partition
from loadmaster.traces.values import numbers, words

RULE_COLUMNS: Mapping[str, str] = {
    "features": "names that jobs may request, joined by & or ;",
    "partitions": "the partitions that it is in, joined by & or ;",
    "down_from_s": "when it goes down, seconds from the start of the log",
    "down_to_s": "when it comes back; never if empty",
}
"""Columns of a host table that bind jobs, and what they hold."""
EVERYWHERE = "all"
"""The partition of all hosts, for jobs that name none."""
_NAME = re.compile(r"[^\s,;&|()\[\]*]{1,100}")


def host_rules(path: Path, frame: pl.DataFrame, line: Longs, count: Longs) -> SiteRules | None:
    """The rules of all hosts; None where the table says none.

    Args:
        path: of the table, for messages.
        frame: its rows.
        line: int64[N], the line of each row.
        count: int64[N], the hosts that each row stands for.

    Raises:
        InputError: a name or a time that is none.
    """
    first = np.concatenate(([0], np.cumsum(count)))

    def place(row: int) -> str:
        return f"{path}:{line[row]}"

    features = _lists(frame, "features", place)
    partitions = _lists(frame, "partitions", place)
    of_hosts = tuple(names for row, names in enumerate(features) for _ in range(int(count[row])))
    members: dict[str, list[int]] = {}
    for row, names in enumerate(partitions):
        for name in names:
            members.setdefault(name, []).extend(range(int(first[row]), int(first[row + 1])))
    partition_list = [Partition(name, hosts=tuple(hosts)) for name, hosts in members.items()]
    partition_list += [Partition(EVERYWHERE)] if partition_list and EVERYWHERE not in members else []
    rules = SiteRules(
        partitions=tuple(partition_list),
        default_partition=EVERYWHERE if partition_list else "",
        features=of_hosts if any(of_hosts) else (),
        calendar=tuple(_down(frame, first, place)),
    )
    return None if rules == SiteRules() else rules


def _lists(frame: pl.DataFrame, column: str, place: Callable[[int], str]) -> list[tuple[str, ...]]:
    """The names in each row."""
    if column not in frame.columns:
        return []
    lists = []
    for row, cell in enumerate(words(frame[column]).to_list()):
        names = tuple(dict.fromkeys(part.strip() for part in re.split(r"[;&]", cell or "") if part.strip()))
        wrong = next((name for name in names if not _NAME.fullmatch(name)), None)
        if wrong is not None:
            rule = f"no name for the column {column}"
            raise InputError(wrong, rule, fix="join names by & or ;", where=place(row))
        lists.append(names)
    return lists


def _down(frame: pl.DataFrame, first: Longs, place: Callable[[int], str]) -> list[CalendarRow]:
    given = [name for name in ("down_from_s", "down_to_s") if name in frame.columns]
    if not given:
        return []
    nothing = pl.Series([None], dtype=pl.String).new_from_index(0, frame.height)
    start, end = (numbers(frame[name] if name in given else nothing) for name in ("down_from_s", "down_to_s"))
    bad = start.bad | end.bad | (start.values < 0) | (end.values <= start.values) | (start.missing & ~end.missing)
    if bad.any():
        row = int(np.argmax(bad))
        value = str([frame[name][row] for name in given])
        rule = "a down time is a number of seconds from 0 up, its end behind its begin"
        raise InputError(value, rule, fix="correct or remove it", where=place(row))
    return [
        CalendarRow(
            float(start.values[row]),
            None if end.missing[row] else float(end.values[row]),
            "down",
            tuple(range(int(first[row]), int(first[row + 1]))),
        )
        for row in np.flatnonzero(~start.missing).tolist()
    ]
