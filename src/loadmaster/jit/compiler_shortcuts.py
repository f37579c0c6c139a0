"""Parts of Numba's compiler that take much of its time, replaced by quicker ones with the same results.

- Numba looks up each overloaded function under the options that hold at that moment (`Flags`). It builds two tables of
  28 options for each comparison, and all flags have the same hash. That was a fifth of the time to compile the queue
  engine.
- It lists the variables of each line several times over, and asks of every word of a line what of five kinds it is.
- It tells six listeners whenever it takes its locks, for statistics that are not read here.

The last two were a tenth.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,method-assign,assignment"

from numba.core import event
from numba.core.compiler import Flags
from numba.core.ir import Inst, Loc, Var

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


_WITHOUT_VARIABLES = {str, int, float, bool, type(None), Loc}
_variables_in = Inst._rec_list_vars


def _variables(line, value):
    """As `Inst._rec_list_vars`: the variables in a part of a line, in order."""
    kind = type(value)
    if kind is Var:
        return [value]
    if kind in _WITHOUT_VARIABLES:
        return []
    if kind is dict:
        value = value.values()
    elif kind is not tuple and kind is not list:
        return _variables_in(line, value)
    return [variable for each in value for variable in _variables(line, each)]


_LOCKS = {"numba:compiler_lock", "numba:llvm_lock"}
_begin, _end = event.start_event, event.end_event


def _begins(kind, data=None):
    if kind not in _LOCKS:
        _begin(kind, data)


def _ends(kind, data=None, exc_details=None):
    if kind not in _LOCKS:
        _end(kind, data, exc_details)


def take_shortcuts() -> None:
    """Put the quicker parts in place."""
    Flags.values, Flags.__eq__, Flags.__hash__ = _values, _are_equal, _hash
    Inst._rec_list_vars = _variables
    event.start_event, event.end_event = _begins, _ends
