"""A lent tuple reads as the tuple itself, to whatever depth, and what is written into its arrays is written there."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit, typeof
from numba.core.errors import TypingError

from loadmaster.jit.by_reference import by_reference
from loadmaster.jit.kernels import inner


class Inside(NamedTuple):
    few: Any
    flag: bool


class Given(NamedTuple):
    whole: int
    table: Any
    inside: Inside
    part: float
    flags: Any


def given():
    inside = Inside(np.array([3, 4], np.int32), True)
    return Given(7, np.arange(6.0).reshape(2, 3), inside, 0.5, np.array([False, True]))


@inner
def total(tuple_):
    number = tuple_.whole + tuple_.part
    if tuple_.inside.flag:
        number += tuple_.inside.few[1]
    for i in range(tuple_.table.shape[0]):
        for value in tuple_.table[i]:
            number += value
    return number + tuple_.flags[1]


@inner
def raise_all(tuple_, by):
    for i in range(tuple_.table.size):
        tuple_.table.flat[i] += by
    tuple_.inside.few[0] += 1
    return len(tuple_.table)


def test_every_kind_of_field_reads_the_same_as_in_the_tuple_itself():
    handed_on = njit(lambda values: total(values))
    lent = njit(lambda values: total(by_reference(values)))
    assert lent(given()) == handed_on(given()) == 7 + 0.5 + 4 + 15 + 1


def test_what_is_lent_is_lent_on_as_it_is():
    assert njit(lambda values: total(by_reference(by_reference(values))))(given()) == total.py_func(given())


def test_what_a_kernel_writes_into_a_lent_array_stands_there_when_it_is_read_next():
    def write_and_read(values):
        tuple_ = by_reference(values)
        before = total(tuple_)
        rows = raise_all(tuple_, 1.0)
        return before, rows, total(tuple_)

    values = given()
    assert njit(write_and_read)(values) == (27.5, 2, 33.5)
    assert values.table.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert values.inside.few.tolist() == [4, 4]


def test_two_tuples_of_one_layout_are_kept_apart_where_one_function_lends_both():
    def difference(one, other):
        return total(by_reference(one)) - total(by_reference(other))

    higher = given()._replace(whole=9)
    assert typeof(higher) == typeof(given())
    assert njit(difference)(higher, given()) == 2.0


def test_a_field_that_the_tuple_does_not_have_is_an_error_when_the_kernel_is_compiled():
    with pytest.raises(TypingError, match="absent"):
        njit(lambda values: by_reference(values).absent)(given())
