"""A column of names: a code for every row, and the name behind each code."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Ints, frozen_ints
from loadmaster.model.errors import InputError


@dataclass(frozen=True, eq=False)
class Named:
    """N names, few of them distinct; renumbered in the order of first appearance, so equal columns have equal codes.

    Attributes:
        code: int32[N], a row of `names`; -1 where there is none.
        names: the distinct names.

    Raises:
        InputError: a code without a name, or a name that is there twice.

    Example:
        >>> column = Named.of(["long", None, "short", "long"])
        >>> column.code.tolist(), column.names, column[3]
        ([0, -1, 1, 0], ('long', 'short'), 'long')
    """

    code: Ints
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "code", frozen_ints(self.code))
        if self.code.size and not -1 <= int(self.code.min()) <= int(self.code.max()) < len(self.names):
            raise InputError(int(self.code.max()), f"a code beyond the {len(self.names)} names of the column")
        if len(set(self.names)) < len(self.names):
            raise InputError(", ".join(self.names), "a name of the column is there twice")
        self._renumber()

    @classmethod
    def of(cls, values: Iterable[str | None]) -> "Named":
        """Codes in the order of first appearance; None and "" are no name."""
        known: dict[str, int] = {}
        code = [known.setdefault(value, len(known)) if value else -1 for value in values]
        return cls(np.array(code, np.int32), tuple(known))

    def __len__(self) -> int:
        return int(self.code.shape[0])

    def __getitem__(self, row: int) -> str:
        """The name of one row, "" where there is none."""
        code = int(self.code[row])
        return self.names[code] if code >= 0 else ""

    def words(self) -> list[str | None]:
        """The names row by row, None where there is none."""
        return [self.names[code] if code >= 0 else None for code in self.code.tolist()]

    def take(self, rows: NDArray[np.generic] | slice) -> "Named":
        """The rows chosen by a mask, an index array or a slice."""
        return Named(self.code[rows], self.names)

    def _renumber(self) -> None:
        rows = self.code.size
        first = np.full(len(self.names) + 1, rows)  # its last place is that of code -1
        first[self.code[::-1]] = np.arange(rows - 1, -1, -1)  # of equal codes the last one written, the first, stays
        used = np.argsort(first[:-1], kind="stable")[: np.count_nonzero(first[:-1] < rows)]
        if used.size == len(self.names) and bool((used == np.arange(used.size)).all()):
            return
        new = np.full(len(self.names) + 1, -1, np.int32)
        new[used] = np.arange(used.size)
        object.__setattr__(self, "code", frozen_ints(new[self.code]))
        object.__setattr__(self, "names", tuple(self.names[code] for code in used))
