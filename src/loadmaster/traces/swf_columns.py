"""Columns that grow as blocks of jobs come in: few large arrays, written once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

MARGIN = 1.03
GROWTH = 1.5


class GrowingColumns:
    """Named columns of the same length; rows are added at the end.

    Fresh memory is what reading large logs spends most time on: joining pieces would touch all of it twice. So the
    first pieces tell how long the columns will be, and each piece is copied to its place.

    Example:
        >>> columns = GrowingColumns()
        >>> columns.add({"x": np.array([1, 2])}, part=0.5)
        >>> columns.add({"x": np.array([3])}, part=1.0)
        >>> columns.first(2)["x"].tolist(), len(columns)
        ([1, 2], 3)
    """

    def __init__(self) -> None:
        self._columns: dict[str, NDArray[Any]] = {}
        self._length = 0
        self._room = 0

    def __len__(self) -> int:
        return self._length

    def add(self, piece: dict[str, NDArray[Any]], part: float) -> None:
        """Append rows; `part` of the whole is there once they are."""
        rows = len(next(iter(piece.values())))
        needed = self._length + rows
        if needed > self._room:
            expected = int(needed / max(part, 1e-6) * MARGIN) if part < 1 else needed
            self._grow(piece, max(min(expected, 100 * needed), int(self._room * GROWTH), needed))
        for name, values in piece.items():
            self._columns[name][self._length : needed] = values
        self._length = needed

    def first(self, limit: int | None = None) -> dict[str, NDArray[Any]]:
        """The columns, or their first `limit` rows; not copied."""
        return {name: column[: self._length][:limit] for name, column in self._columns.items()}

    def _grow(self, piece: dict[str, NDArray[Any]], room: int) -> None:
        for name, values in piece.items():
            larger = np.empty((room, *values.shape[1:]), dtype=values.dtype)
            if self._length:
                larger[: self._length] = self._columns[name][: self._length]
            self._columns[name] = larger
        self._room = room
