"""Names of hosts in brackets as Slurm writes them, `n[01-03,7]`, into the names themselves and back (rule L1)."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, product

from loadmaster.model.errors import InputError

MOST_NAMES = 1_000_000
"""Slurm itself takes 65,536 hosts; a list of more than this is a slip or an attack."""
_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")
_LAST_NUMBER = re.compile(r"(.*?)([0-9]+)")
_FIX = "write it like n[01-03,7],login"


def host_names(text: str, where: str = "") -> tuple[str, ...]:
    """Every name in a list of hosts, in its order; zeros before a number are kept.

    Args:
        text: names parted by commas, each with any number of brackets that hold numbers and ranges.
        where: the line that holds it, for the refusal.

    Raises:
        InputError: brackets that do not close or hold no numbers, a range that falls, or more than `MOST_NAMES`.

    Example:
        >>> host_names("n[01-03,7],login")
        ('n01', 'n02', 'n03', 'n7', 'login')
        >>> host_names("r[1-2]n[8-9]")
        ('r1n8', 'r1n9', 'r2n8', 'r2n9')
    """
    names: list[str] = []
    for item in _items(text, where):
        parts = _parts(item, where)
        count = 1
        for part in parts:
            count *= sum(last - first + 1 for first, last, _ in part) if isinstance(part, list) else 1
        if len(names) + count > MOST_NAMES:
            raise InputError(item, f"more than {MOST_NAMES:,} hosts in one list", fix=_FIX, where=where)
        names.extend("".join(pieces) for pieces in product(*(_spelled(part) for part in parts)))
    return tuple(names)


_Ranges = list[tuple[int, int, int]]
"""First and last number, both included, and the least number of digits."""


def _items(text: str, where: str) -> Iterator[str]:
    """The parts between commas that are outside brackets; empty ones are left out, as Slurm does."""
    depth, start = 0, 0
    for at, sign in enumerate(text + ","):
        depth += (sign == "[") - (sign == "]")
        if depth not in (0, 1):
            raise InputError(text, "brackets that do not match", fix=_FIX, where=where)
        if sign == "," and depth == 0:
            if item := text[start:at].strip():
                yield item
            start = at + 1
    if depth:
        raise InputError(text, "a bracket that is not closed", fix=_FIX, where=where)


def _parts(item: str, where: str) -> list[str | _Ranges]:
    """`item` as plain text and lists of ranges in turn."""
    pieces = re.split(r"\[([^\]]*)\]", item)
    return [_ranges(piece, item, where) if k % 2 else piece for k, piece in enumerate(pieces)]


def _ranges(inner: str, item: str, where: str) -> _Ranges:
    found = []
    for word in inner.split(","):
        match = _RANGE.fullmatch(word.strip())
        if match is None:
            raise InputError(item, "brackets hold numbers and ranges of numbers", fix=_FIX, where=where)
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise InputError(item, f"the range {word.strip()} falls", fix="write the smaller number first", where=where)
        found.append((first, last, len(match[1])))
    return found


def _spelled(part: str | _Ranges) -> list[str]:
    if isinstance(part, str):
        return [part]
    return [f"{number:0{digits}}" for first, last, digits in part for number in range(first, last + 1)]


def bracketed(names: Sequence[str]) -> str:
    """Names of hosts as Slurm writes them, ranges of the last number in brackets.

    Example:
        >>> bracketed(["n01", "n02", "n03", "n7", "login"])
        'n[01-03],n7,login'
    """
    split = [(*match.groups(), "") if (match := _LAST_NUMBER.fullmatch(name)) else (name, "", name) for name in names]
    parts = []
    for (stem, width), group in groupby(split, key=lambda each: (each[0], len(each[1]))):
        numbers = [int(number) for _, number, _ in group] if width else []
        if not numbers:
            parts.append(stem)
            continue
        ranges = _number_ranges(numbers)
        texts = [
            f"{first:0{width}}" if first == last else f"{first:0{width}}-{last:0{width}}" for first, last in ranges
        ]
        parts.append(f"{stem}{texts[0]}" if len(numbers) == 1 else f"{stem}[{','.join(texts)}]")
    return ",".join(parts)


def _number_ranges(numbers: list[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges
