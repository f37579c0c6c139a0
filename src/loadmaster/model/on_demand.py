"""Frozen dataclasses of columns of which each is worked out when it is first looked at."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")


class _Column:
    """Works a column out and leaves it in the object, where it is found from then on."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, seen: Any, owner: type) -> Any:
        if seen is None:
            return self
        column = seen.__dict__[self._name] = seen.__dict__["_gather"](self._name)
        return column


def on_demand(kind: type[T]) -> Callable[..., T]:
    """Makes objects of the frozen dataclass `kind` from a function that gathers a field by its name.

    Fields may be given as well, by name; they are not gathered. `dataclasses.replace` gathers all that it is not given.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Pair:
        ...     one: str
        ...     other: str
        >>> pair = on_demand(Pair)(lambda name: print("gathers", name) or name.upper(), one="here")
        >>> pair.one, pair.other, pair.other
        gathers other
        ('here', 'OTHER', 'OTHER')
    """
    lazy: type[T] = type(kind.__name__, (kind,), {each.name: _Column(each.name) for each in fields(kind)})  # type: ignore[arg-type]

    def make(gather: Callable[[str], Any], **given: Any) -> T:
        made = object.__new__(lazy)
        made.__dict__.update(given, _gather=gather)
        return made

    return make
