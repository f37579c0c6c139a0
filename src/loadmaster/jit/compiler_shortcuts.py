"""Parts of Numba's compiler that take much of its time, replaced by quicker ones with the same results.

- Numba looks up each overloaded function under the options that hold at that moment (`Flags`). It builds two tables of
  28 options for each comparison, and all flags have the same hash. That was a fifth of the time to compile the queue
  engine.
- It lists the variables of each line several times over, and asks of every word of a line what of five kinds it is.
- It tells six listeners whenever it takes its locks, for statistics that are not read here. With the item before, that
  was a tenth.
- It resolves each call, down to every `+`, several times for the same types. That was another tenth.
- It clears each variable that is no longer used, for the count of references, also in kernels that count none.
- Python looked for cycles of garbage a thousand times. That was a twentieth.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,method-assign,assignment"

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event
from numba.core.compiler import Flags
from numba.core.ir import Inst, Loc, Var
from numba.core.lowering import Lower
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction

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


_resolve = BaseFunction.get_call_type
_RESOLVED: dict[Any, Any] = {}


def _call_type(function, context, args, kws):
    """As `BaseFunction.get_call_type`, and only once for the same types under the same options."""
    key = id(function), args, tuple(kws.items()), ConfigStack.top_or_none()
    if key not in _RESOLVED:
        signature = _resolve(function, context, args, kws)
        _RESOLVED[key] = function, signature, function.get_impl_key(signature)
    _, signature, implementation = _RESOLVED[key]
    function._impl_keys[signature.args] = implementation
    return signature


_delete = Lower.delvar


def _delete_variable(lowering, name):
    """As `Lower.delvar`, which also clears the variable, so that no reference is given back twice."""
    if lowering.context.enable_nrt:
        _delete(lowering, name)
    elif name not in lowering._blk_local_varmap:
        lowering._singly_assigned_vars.discard(name)


_RARELY = 100_000, 20, 20


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Look for cycles of garbage less often: the compiler makes millions of objects, and nearly all are in use."""
    usual = gc.get_threshold()
    if usual == _RARELY:  # another thread compiles too
        yield
        return
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def take_shortcuts() -> None:
    """Put the quicker parts in place."""
    BaseFunction.get_call_type = _call_type
    Lower.delvar = _delete_variable
    Flags.values, Flags.__eq__, Flags.__hash__ = _values, _are_equal, _hash
    Inst._rec_list_vars = _variables
    event.start_event, event.end_event = _begins, _ends
