"""Numba's options of a compilation (`Flags`), compared quickly.

Numba looks up each overloaded function under the options that hold at that moment. It builds two tables of 28 options
for each comparison, and all flags have the same hash. That was a fifth of the time to compile the queue engine.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,method-assign,assignment"

from numba.core.compiler import Flags

_DEFAULTS = {name: option.default for name, option in Flags.options.items()}
_HASH = hash(Flags())


def _values(flags):
    """All options by name, also those that are not set."""
    return {**_DEFAULTS, **flags._values}


def _are_equal(flags, other):
    """As `Flags.__eq__`; flags that set the same options to the same values need no defaults."""
    if not isinstance(other, Flags):
        return NotImplemented
    return flags is other or flags._values == other._values or _values(flags) == _values(other)


def _hash(flags):
    return _HASH


def compare_flags_quickly() -> None:
    """Replace the comparison of `Flags` by one with the same results."""
    Flags.values, Flags.__eq__, Flags.__hash__ = _values, _are_equal, _hash
