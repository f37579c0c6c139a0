"""Entries of an array that move to other places, compiled: all at once, as C's `memmove` does it.

A loop would move each field of a record by itself, and an assignment of slices that overlap makes a copy first.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,call-arg,attr-defined"

from typing import Any

from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from loadmaster.jit.kernels import inner


@inner
def move_entries(entries, one, other, many):
    """Move `many` entries of an array of one dimension from place `one` on to place `other` on; the two may overlap."""
    if many > 0:
        _ = entries[max(one, other) + many - 1]  # where bounds are checked, this says that there is room
        _move(entries, one, other, many)


@intrinsic
def _memmove(typing, entries, one, other, many):
    def move(context, builder, signature, arguments):
        array = context.make_array(entries)(context, builder, arguments[0])
        first, to, count = arguments[1:]
        places = [cgutils.pointer_add(builder, array.data, builder.mul(at, array.itemsize)) for at in (to, first)]
        cgutils.raw_memmove(builder, *places, count, array.itemsize)
        return context.get_dummy_value()

    return types.none(entries, types.intp, types.intp, types.intp), move


def _move_in_python(entries, one, other, many):
    entries[other : other + many] = entries[one : one + many].copy()


_move: Any = _move_in_python if config.DISABLE_JIT else _memmove
