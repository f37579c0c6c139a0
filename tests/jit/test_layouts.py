"""What is of one layout is of one type to the compiler, and what it tells apart has another layout."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit, typeof

from loadmaster.jit.layouts import by_layout, entry_of, layout_of


class Pair(NamedTuple):
    left: object
    right: object


class Couple(NamedTuple):
    left: object
    right: object


def read_only(array):
    array.flags.writeable = False
    return array


RECORD = np.dtype([("a", np.int64), ("b", np.float64)])
VALUES = [
    None, True, np.bool_(True), 1, 2**63, 1.0, np.float64(1.0), np.zeros(3), np.zeros(3, np.int32),
    np.zeros(3, np.int64), np.zeros(3, np.bool_), read_only(np.zeros(3)), np.zeros((3, 3)), np.zeros((3, 3)).T,
    np.zeros((3, 3))[:, :2], np.zeros(3, RECORD), np.zeros(3, np.dtype([("a", np.int64), ("c", np.float64)])),
    Pair(1, np.zeros(3)), Couple(1, np.zeros(3)), Pair(1, np.zeros(3, np.int32)), Pair(1, Pair(1.0, True)),
]  # fmt: skip


def test_what_the_compiler_tells_apart_has_another_layout():
    for one, other in combinations(VALUES, 2):
        assert typeof(one) == typeof(other) or layout_of(one) != layout_of(other)


def test_what_differs_in_values_and_lengths_only_has_one_layout():
    assert layout_of(Pair(1, np.zeros(3))) == layout_of(Pair(2, np.ones(5)))


ARRAYS = [
    np.zeros((3, 3)), np.zeros((1, 3)), np.zeros((3, 1)), np.zeros((0, 3)), np.zeros((9, 3))[3:6],
    np.zeros((9, 3))[:1], np.zeros((3, 3)).T, np.zeros((1, 3)).T, np.zeros((3, 9)).T[3:4], np.zeros((3, 9))[:, ::3],
    np.zeros((3, 9))[:1, ::3], read_only(np.zeros((3, 3))), read_only(np.zeros((1, 3))),
    read_only(np.zeros((9, 3))[:1]),
]  # fmt: skip


def test_arrays_have_one_layout_where_the_compiler_takes_them_for_one_type():
    for one, other in combinations(ARRAYS, 2):
        assert (layout_of(one) == layout_of(other)) == (typeof(one) == typeof(other))


def test_an_engine_is_made_once_for_a_layout_and_once_for_each_value_given_by_name():
    asked = []

    @by_layout
    def make(array, *, told):
        asked.append((array.dtype, told))
        return len(asked)

    assert [make(np.zeros(3), told=True), make(np.ones(7), told=True)] == [1, 1]
    assert [make(np.zeros(3, np.int32), told=True), make(np.zeros(3), told=False)] == [2, 3]


def test_compiled_code_is_called_as_it_is():
    def double(number):
        return 2 * number

    assert entry_of(njit("float64(float64)")(double))(2.5) == 5.0
