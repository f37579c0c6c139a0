"""Values that are computed when they are first read: entries of a dict, and columns of frozen dataclasses."""

from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from typing import Any, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class EntriesOnDemand(dict[K, T]):
    """A dict of entries that a function makes from their keys.

    Example:
        >>> squares = EntriesOnDemand[int, int](lambda number: number**2)
        >>> squares[3], dict(squares)
        (9, {3: 9})
    """

    def __init__(self, make: Callable[[K], T]) -> None:
        self._make = make

    def __missing__(self, key: K) -> T:
        entry = self[key] = self._make(key)
        return entry


class _Column:
    """Works a column out and leaves it in the object, where it is found from then on."""

    def __init__(self, name: str, usual: Any) -> None:
        self._name, self._usual = name, usual

    def __get__(self, seen: Any, owner: type) -> Any:
        if "_gather" not in seen.__dict__:  # made with all its fields
            return self._usual.__get__(seen, owner)
        column = seen.__dict__[self._name] = seen.__dict__["_gather"](self._name)
        return column


def on_demand(kind: type[T]) -> Callable[[Callable[[str], Any], dict[str, Any]], T]:
    """Makes objects of the frozen dataclass `kind` from a function that gathers a field or cached property by its name.

    Some are given as well, by name; they are not gathered. `dataclasses.replace` gathers all that it is not given.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Pair:
        ...     one: str
        ...     other: str
        >>> pair = on_demand(Pair)(lambda name: print("gathers", name) or name.upper(), {"one": "here"})
        >>> pair.one, pair.other, pair.other
        gathers other
        ('here', 'OTHER', 'OTHER')
    """
    cached = {name: usual for name, usual in vars(kind).items() if isinstance(usual, cached_property)}
    usual: dict[str, Any] = {**{each.name: None for each in fields(kind)}, **cached}  # type: ignore[arg-type]
    lazy: type[T] = type(kind.__name__, (kind,), {name: _Column(name, usual[name]) for name in usual})

    def make(gather: Callable[[str], Any], given: dict[str, Any]) -> T:
        made = object.__new__(lazy)
        object.__setattr__(made, "__dict__", {**given, "_gather": gather})
        return made

    return make
