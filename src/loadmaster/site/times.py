"""Slurm's spellings of durations: `90`, `90:30`, `1:30:00`, `2-12`, `2-12:30`, `2-12:30:00`, `UNLIMITED`."""

import math
import re

from loadmaster.model import InputError

_FORM = re.compile(
    r"(?:(\d{1,9})-(\d{1,9})(?::(\d{1,9})(?::(\d{1,9}))?)?|(\d{1,12})(?::(\d{1,9})(?::(\d{1,9}))?)?)", re.ASCII
)
_NEVER = ("UNLIMITED", "INFINITE", "-1")


def duration_s(text: str, where: str = "") -> float:
    """Seconds in a duration whose plain number counts minutes; infinite where it says so.

    Raises:
        InputError: it is none of the forms.

    Example:
        >>> duration_s("90"), duration_s("1:30:05"), duration_s("7-0"), duration_s("UNLIMITED")
        (5400.0, 5405.0, 604800.0, inf)
    """
    if text.strip().upper() in _NEVER:
        return math.inf
    match = _FORM.fullmatch(text.strip())
    if match is None:
        fix = "write it like 90, 1:30:00, 7-0, 2-12:30:00 or UNLIMITED"
        raise InputError(text, "not a duration of Slurm", fix=fix, where=where)
    days, *clock = match.groups()
    number = [int(part) if part else 0 for part in clock]
    if days is not None:
        return float(int(days) * 86400 + number[0] * 3600 + number[1] * 60 + number[2])
    if clock[5] is not None:
        return float(number[3] * 3600 + number[4] * 60 + number[5])
    return float(number[3] * 60 + number[4])


def whole_minutes_s(text: str, where: str = "") -> float:
    """`duration_s`, rounded up to whole minutes, as limits of time are kept.

    Example:
        >>> whole_minutes_s("0:30"), whole_minutes_s("90")
        (60.0, 5400.0)
    """
    seconds = duration_s(text, where)
    return seconds if math.isinf(seconds) else 60.0 * math.ceil(seconds / 60.0)
