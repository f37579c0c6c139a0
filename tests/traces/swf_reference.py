"""The SWF tokeniser in plain Python: slow, obvious, and what the kernel must agree with."""

import re
from collections.abc import Sequence
from typing import NamedTuple

FIELDS = 18
TOO_FEW, NOT_A_NUMBER = 1, 2
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Plain(NamedTuple):
    """What `tokens_of` finds: values and starts of good lines, starts and rules of bad ones, lines in all."""

    values: list[list[float]]
    start: list[int]
    bad: list[tuple[int, int]]
    lines: int


def tokens_of(text: bytes, wanted: Sequence[int]) -> Plain:
    r"""Split `text` into lines and fields; read the fields numbered `wanted` (0 to 17, ascending).

    A line is bad if one of its wanted fields is not a number, or if it has fewer than 18 fields; the first fault
    from the left counts. Lines that start with `;` and blank lines are passed over.

    Example:
        >>> tokens_of(b"; comment\n" + b" ".join([b"7"] * 18) + b"\n1 2 x\n", [0, 3])
        Plain(values=[[7.0, 7.0]], start=[10], bad=[(46, 1)], lines=3)
    """
    found = Plain([], [], [], 0)
    position = lines = 0
    for line in text.split(b"\n")[:-1]:
        lines += 1
        fields = re.split(rb"[ \t\r]+", line.strip(b" \t\r"))
        if fields[0] and not fields[0].startswith(b";"):
            rule = next((NOT_A_NUMBER for k in wanted if k < len(fields) and not _NUMBER.fullmatch(fields[k])), 0)
            if rule == 0 and len(fields) < FIELDS:
                rule = TOO_FEW
            if rule:
                found.bad.append((position, rule))
            else:
                found.values.append([float(fields[k]) for k in wanted])
                found.start.append(position)
        position += len(line) + 1
    return found._replace(lines=lines)
