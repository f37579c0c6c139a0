"""Names that are loaded when they are first used: functions of a table, names of a package.

A table of rules is read far more often than all its rules are used, and the modules of some load Numba or SciPy.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def later(module: str, name: str) -> Callable[..., Any]:
    """The function `name` of `module`, which is loaded in the first call.

    Args:
        module: full name of a module of the same room, written out: so the stamp of source (`kept.stamp`) sees it as it
            sees an import, and no import points up.
        name: of the function there.

    Example:
        >>> show = later("loadmaster.model.units", "show_bytes")
        >>> show(2**30)
        '1 GiB'
    """

    def called(*arguments: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **named)

    called.__name__ = called.__qualname__ = name
    return called


def names_later(package: str, holds: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are loaded when they are first used.

    Args:
        package: its full name.
        holds: for full names of modules the names that come from each.
    """
    where = {name: module for module, names in holds.items() for name in names}

    def found(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return vars(import_module(package)).setdefault(name, getattr(import_module(where[name]), name))

    return found
