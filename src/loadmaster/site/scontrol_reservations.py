"""Reservations as `scontrol show reservation` prints them: a line each, a paragraph each, or as JSON (rule L10)."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loadmaster.model import InputError
from loadmaster.model.host_names import host_names

_PAIR = re.compile(r"(?:^|\s)([A-Za-z][\w/:]*)=(\S*)")
_NOTHING = ("", "(null)", "N/A")
REPEATS = ("DAILY", "HOURLY", "WEEKLY", "WEEKDAY", "WEEKEND")
"""Flags of a reservation that comes again; only its next time is known."""


@dataclass(frozen=True)
class Reservation:
    """Hosts that are kept for some; times are seconds since 1970."""

    name: str
    from_s: float
    to_s: float
    hosts: tuple[str, ...]
    users: tuple[str, ...]
    accounts: tuple[str, ...]
    flags: tuple[str, ...]


def read_reservations(path: Path) -> list[Reservation]:
    """The reservations in a file that `scontrol show reservation`, with `-o` or `--json` too, has written.

    Raises:
        InputError: the file cannot be read, or holds none.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(path, f"this file cannot be read: {error.strerror or error}") from error
    if text.lstrip()[:1] == "{":
        return _of_json(text, path)
    reservations = parse_reservations(re.sub(r"\n[ \t]+(?=\S)", " ", text))
    if not reservations and "No reservations" not in text:
        fix = "write it with `scontrol show reservation > FILE`"
        raise InputError(path, "no reservation is in this file", fix=fix)
    return reservations


def parse_reservations(text: str) -> list[Reservation]:
    """The reservations that `scontrol -o show reservation` prints; times as numbers or as dates.

    Raises:
        InputError: a time is neither.
    """
    return [
        Reservation(
            pairs["ReservationName"],
            moment_s(pairs.get("StartTime", "0")),
            moment_s(pairs.get("EndTime", "inf")),
            host_names(_text(pairs, "Nodes")),
            _names(pairs, "Users"),
            _names(pairs, "Accounts"),
            _names(pairs, "Flags"),
        )
        for pairs in shown_records(text, "ReservationName")
    ]


def shown_records(text: str, first: str) -> Iterator[dict[str, str]]:
    """The pairs `Name=value` of every line that has the name `first`."""
    for line in text.splitlines():
        pairs: dict[str, str] = {}
        for key, value in _PAIR.findall(line):
            pairs.setdefault(key, value)  # what an administrator writes freely comes last and changes nothing
        if first in pairs:
            yield pairs


def moment_s(text: str) -> float:
    """Seconds since 1970 of a number, or of a date such as `2026-12-01T08:00`, without regard to zones.

    Raises:
        InputError: it is neither.

    Example:
        >>> moment_s("2026-12-01T08:00") - moment_s("2026-11-30"), moment_s("90")
        (115200.0, 90.0)
    """
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        fix = "write it like 2026-12-01T08:00, or as seconds"
        raise InputError(text, "this is no date with a time, and no number of seconds", fix=fix) from None


def _of_json(text: str, path: Path) -> list[Reservation]:
    fix = "write it with `scontrol show reservation --json > FILE`"
    try:
        rows = json.loads(text)["reservations"]
        return [
            Reservation(
                str(row["name"]),
                _number(row.get("start_time"), 0.0),
                _number(row.get("end_time"), math.inf),
                host_names(row.get("node_list") or ""),
                _listed(row.get("users")),
                _listed(row.get("accounts")),
                tuple(map(str, row.get("flags") or ())),
            )
            for row in rows
        ]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(path, "this JSON holds no list of reservations", fix=fix) from None


def _number(value: Any, default: float) -> float:
    """A number, plain or as Slurm writes it: {"set": true, "infinite": false, "number": 3}."""
    if isinstance(value, Mapping):
        return float(value["number"]) if value.get("set") and not value.get("infinite") else default
    return default if value is None else float(value)


def _listed(value: Any) -> tuple[str, ...]:
    return tuple(name for name in str(value or "").split(",") if name)


def _text(pairs: Mapping[str, str], key: str) -> str:
    value = pairs.get(key, "")
    return "" if value in _NOTHING else value


def _names(pairs: Mapping[str, str], key: str) -> tuple[str, ...]:
    return tuple(name for name in _text(pairs, key).split(",") if name)
