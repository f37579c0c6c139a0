"""What replaces parts of Numba's compiler gives the same."""

import gc
import operator
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit, types
from numba.core import event, ir
from numba.core.compiler import Flags
from numba.core.errors import TypingError
from numba.core.registry import cpu_target
from numba.core.runtime import _nrt_python, rtsys
from numba.core.targetconfig import ConfigStack

from loadmaster.jit import compiler_shortcuts
from loadmaster.jit.compiler_shortcuts import _variables_in, collecting_rarely
from loadmaster.jit.kernels import LEAN

OPTIONS = sorted(name for name, option in Flags.options.items() if option.type is bool)
SETTINGS = st.dictionaries(st.sampled_from(OPTIONS[:4]), st.booleans())


def flags_of(settings):
    flags = Flags()
    for name, value in settings.items():
        setattr(flags, name, value)
    return flags


@given(SETTINGS, SETTINGS)
def test_flags_are_equal_exactly_if_each_option_has_the_same_value(one, other):
    first, second = flags_of(one), flags_of(other)
    same = all(getattr(first, name) == getattr(second, name) for name in Flags.options)
    assert (first == second) is same
    assert hash(first) == hash(second) or not same


def test_flags_are_no_other_thing():
    assert Flags() != {}


HERE = ir.Loc("file.py", 1)
VARIABLES = st.sampled_from([ir.Var(None, name, HERE) for name in "abc"])
OTHERS = st.one_of(
    st.none(), st.integers(), st.text(max_size=2), st.just(HERE), st.builds(ir.Const, st.integers(), st.just(HERE))
)
PARTS = st.recursive(
    VARIABLES | OTHERS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=1), inner, max_size=3)
        | st.builds(lambda part: ir.Expr("call", HERE, part=part), inner)
    ),
)


@given(PARTS)
def test_the_same_variables_are_found_in_a_line_in_the_same_order(part):
    line = ir.Expr("call", HERE)
    assert line._rec_list_vars(part) == _variables_in(line, part)


def test_compilations_are_still_told():
    with event.install_recorder("numba:compile") as told:
        njit(lambda number: number + 1)(1)
    assert told.buffer


def test_a_function_is_resolved_once_for_the_same_types_and_options(monkeypatch):
    asked, resolve = [], compiler_shortcuts._resolve
    monkeypatch.setattr(compiler_shortcuts, "_RESOLVED", {})
    monkeypatch.setattr(compiler_shortcuts, "_resolve", lambda *every: asked.append(1) or resolve(*every))
    add, typing, long, real = typing_of(operator.add), cpu_target.typing_context, types.int64, types.float64
    for _ in range(2):
        assert add.get_call_type(typing, (long, long), {}).return_type == long
        assert add.get_call_type(typing, (long, real), {}).return_type == real
    assert len(asked) == 2
    for _ in range(2):
        with ConfigStack().enter(flags_of({"nrt": True})):
            assert add.get_call_type(typing, (long, long), {}).return_type == long
    assert len(asked) == 3


def typing_of(function):
    return cpu_target.typing_context.resolve_value_type(function)


def test_what_cannot_be_resolved_fails_each_time():
    for _ in range(2):
        with pytest.raises(TypingError):
            typing_of(operator.add).get_call_type(cpu_target.typing_context, (types.none, types.int64), {})


@njit
def sum_of_new_arrays(many):
    total = 0.0
    for number in range(many):
        if number % 2:
            row = np.full(3, number)
            total += row[0]
        else:
            row = np.full(2, -number)
        total += row[-1]
    return total


def test_arrays_made_in_a_loop_are_freed_once():
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    assert sum_of_new_arrays(5) == 2 * (1 + 3) - 2 - 4
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free == 5


@njit(**LEAN)
def last_even(numbers):
    for i in range(numbers.shape[0]):
        if numbers[i] % 2:
            continue
        half = numbers[i] // 2
        if half > 2:
            break
    else:
        half = -1
    return half


def test_variables_of_kernels_without_references_have_the_values_that_python_gives_them():
    for numbers in ([1, 4, 8], [3, 5], [2, 10, 12], []):
        given_numbers = np.array(numbers, np.int64)
        assert last_even(given_numbers) == last_even.py_func(given_numbers)


def test_garbage_is_collected_as_often_as_before_after_a_compilation_that_fails():
    usual = gc.get_threshold()
    with suppress(KeyError), collecting_rarely():
        assert gc.get_threshold() > usual
        with collecting_rarely():
            assert gc.get_threshold() > usual
        assert gc.get_threshold() > usual
        raise KeyError
    assert gc.get_threshold() == usual
