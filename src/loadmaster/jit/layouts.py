"""Engines found by the layout of their arguments, and called without Numba's own look at each of them.

Numba names the type of every array at every call, and an engine's state is a hundred: several milliseconds for each
run, as much as the run of a few thousand jobs.
"""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

Made = TypeVar("Made")
_LONG = range(-(2**63), 2**63)
_ROWS, _COLUMNS, _OWNS = 1, 2, 4
"""Flags of an array: its rows follow each other in memory; its columns do; it owns its memory. Numba looks at the
second only without the first, and never at the third."""


def layout_of(value: Any) -> Hashable:
    """What decides under which type Numba knows `value`: values of one layout are of one type.

    Example:
        >>> layout_of((1, np.zeros(3))) == layout_of((2, np.ones(5)))
        True
        >>> layout_of(np.zeros((3, 3))) == layout_of(np.zeros((3, 3)).T)
        False
        >>> layout_of(np.zeros((3, 3))) == layout_of(np.zeros((9, 3))[:1])
        True
    """
    if isinstance(value, np.ndarray):
        dtype, flags = value.dtype, value.flags.num
        flags &= ~(_OWNS | _COLUMNS if flags & _ROWS else _OWNS)
        return value.ndim, flags, dtype if dtype.hasobject or dtype.names else dtype.str
    if isinstance(value, tuple):
        return type(value), *map(layout_of, value)
    return type(value), type(value) is not int or value in _LONG


def by_layout(make: Callable[..., Made]) -> Callable[..., Made]:
    """Let `make` be called once for arguments of each layout, and for each value of those given by name."""
    made: dict[Hashable, Made] = {}

    @wraps(make)
    def found(*arguments: Any, **by_value: Any) -> Made:
        layout = layout_of(arguments), *sorted(by_value.items())
        if layout not in made:
            made[layout] = make(*arguments, **by_value)
        return made[layout]

    return found


def entry_of(engine: Any) -> Callable[..., Any]:
    """The compiled code of `engine`, which has one signature: its caller vouches for the types of the arguments."""
    (compiled,) = engine.overloads.values()
    entry: Callable[..., Any] = compiled.entry_point
    return entry
