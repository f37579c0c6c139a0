"""Partitions and reservations as they are now: `scontrol show partition` and `show reservation`, one line a thing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loadmaster.model.host_names import host_names

_PAIR = re.compile(r"(?:^|\s)([A-Za-z][\w/:]*)=(\S*)")


@dataclass(frozen=True)
class Reservation:
    """Hosts that are kept for some; times are seconds since the epoch."""

    name: str
    from_s: float
    to_s: float
    hosts: tuple[str, ...]
    users: tuple[str, ...]
    accounts: tuple[str, ...]
    flags: tuple[str, ...]


def parse_states(text: str) -> dict[str, str]:
    """The state of every partition that `scontrol -o show partition` prints, in lower case."""
    return {pairs["PartitionName"]: pairs.get("State", "UP").lower() for pairs in _lines(text, "PartitionName")}


def parse_reservations(text: str) -> list[Reservation]:
    """The reservations that `scontrol -o show reservation` prints."""
    return [
        Reservation(
            pairs["ReservationName"], float(pairs.get("StartTime", "0")), float(pairs.get("EndTime", "inf")),
            host_names(_text(pairs, "Nodes")), _names(pairs, "Users"), _names(pairs, "Accounts"),
            _names(pairs, "Flags"),
        )
        for pairs in _lines(text, "ReservationName")
    ]  # fmt: skip


def _lines(text: str, first: str) -> Iterator[dict[str, str]]:
    for line in text.splitlines():
        pairs: dict[str, str] = {}
        for key, value in _PAIR.findall(line):
            pairs.setdefault(key, value)  # what an administrator writes freely comes last and changes nothing
        if first in pairs:
            yield pairs


def _text(pairs: dict[str, str], key: str) -> str:
    value = pairs.get(key, "")
    return "" if value in ("(null)", "N/A") else value


def _names(pairs: dict[str, str], key: str) -> tuple[str, ...]:
    return tuple(name for name in _text(pairs, key).split(",") if name)
