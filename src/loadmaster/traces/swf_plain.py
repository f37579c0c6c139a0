"""Reads short, regular SWF text in plain Python, which is faster than loading the tokeniser."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Floats

LONGEST = 1 << 20
"""Bytes. What is longer takes longer here than loading Numba, which reads thirty times as fast."""
_FIELDS = 18
_COMMENT = re.compile(rb"^[ \t\r]*;[^\n]*", re.MULTILINE)
_NUMBERS = b"0123456789+-. \t\r\n"
_LONG = re.compile(rb"[\d.]{17}")
"""A number that the tokeniser may not read to the last bit, as Python does."""


class LineFields(NamedTuple):
    """float64[K, N], the wanted fields of each line that is a job; int32[N], where it starts; lines in all."""

    values: Floats
    start: NDArray[np.int32]
    lines: int


def fields_of(text: bytes, wanted: Sequence[int]) -> LineFields | None:
    r"""The fields numbered `wanted` (0 to 17) of every line, as the tokeniser reads them to the last bit.

    None where the text is too long, or a line is not 18 short decimal numbers: that is left to the tokeniser, which
    knows what to say of it.

    Args:
        text: lines that each end with a line feed; comments and blank lines are passed over.
        wanted: ascending.

    Example:
        >>> fields_of(b"; comment\n" + b" ".join([b"7"] * 18) + b"\n", [0, 3])
        LineFields(values=array([[7.],
               [7.]]), start=array([10], dtype=int32), lines=2)
        >>> fields_of(b"1 2 x\n", [0]) is None
        True
    """
    if len(text) > LONGEST:
        return None
    numbers = _COMMENT.sub(b"", text) if b";" in text else text
    if numbers.translate(None, _NUMBERS) or _LONG.search(numbers):
        return None
    wanted_cells: list[bytes] = []
    start: list[int] = []
    position, lines = 0, text.split(b"\n")[:-1]
    for line in lines:
        cells = line.split()
        if cells and not cells[0].startswith(b";"):
            if len(cells) < _FIELDS:
                return None
            wanted_cells += [cells[k] for k in wanted]
            start.append(position)
        position += len(line) + 1
    try:
        values = np.array(list(map(float, wanted_cells))).reshape(len(start), len(wanted))
    except ValueError:
        return None
    return LineFields(np.ascontiguousarray(values.T), np.array(start, np.int32), len(lines))
