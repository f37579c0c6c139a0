"""A branch that needs a field is not compiled where the field is None."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit

from loadmaster.jit.by_reference import by_reference
from loadmaster.jit.kernels import inner


class Inner(NamedTuple):
    part: Any
    number: Any


class Outer(NamedTuple):
    state: Inner
    part: Any


@inner
def first_of(part):
    return part[0]


@inner
def read(outer):
    state, found = outer.state, 0.0
    if outer.part is not None and outer.part[0] > 0.0:
        found += first_of(outer.part)
    if state.part is not None:
        found += 10.0 * first_of(state.part)
    part = state.part
    return found if part is None else -found


@inner
def read_twice(outer):
    part = outer.part
    if part is None:
        part = outer.state.number
    return part[0]


def compiled(kernel):
    def entry(outer):
        return kernel(by_reference(outer))

    return njit(entry)


def numbers(first):
    return np.array([first])


@pytest.mark.parametrize(
    ("here", "within", "expected"), [(None, None, 0.0), (2.0, None, 2.0), (None, 3.0, -30.0), (2.0, 3.0, -32.0)]
)
def test_a_field_that_is_none_is_none_at_any_depth(here, within, expected):
    here, within = (None if first is None else numbers(first) for first in (here, within))
    outer = Outer(Inner(within, numbers(5.0)), here)
    assert compiled(read)(outer) == expected


def test_no_kernel_is_compiled_for_a_field_that_is_none():
    @inner
    def of_an_array(part):
        return part[0]

    @inner
    def guarded(outer):
        return of_an_array(outer.part) if outer.part is not None else -1.0

    assert compiled(guarded)(Outer(Inner(None, numbers(5.0)), None)) == -1.0
    assert not of_an_array.overloads


def test_a_variable_that_takes_another_value_is_not_taken_for_none():
    assert compiled(read_twice)(Outer(Inner(None, numbers(5.0)), None)) == 5.0
