"""A part is compiled within the kernels that call it, and nowhere else."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from loadmaster.jit.kernels import allocating, inner
from loadmaster.jit.linked_kernels import _callers_first, _Part, _Translated


@inner
def lowest(number):
    return number + 1


@inner
def middle(number):
    return 10 * lowest(number) + lowest(number)


@allocating
def squares(many):
    made = np.zeros(many)
    for k in range(many):
        made[k] = k * k
    return made


def machine_code(kernel):
    """Where the code that runs of `kernel` lies, 0 if there is none."""
    compiled = next(iter(kernel.overloads.values()))
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def test_a_part_gives_the_same_from_every_kernel_that_calls_it_at_any_depth():
    assert njit(lambda number: middle(number))(1) == 22
    assert njit(lambda number: lowest(number) - middle(number))(2) == 3 - 33


def test_only_the_kernel_that_python_calls_is_made_into_machine_code():
    top = njit(lambda number: middle(number))
    assert top(1) == 22
    assert machine_code(top)
    assert not machine_code(middle)
    assert not machine_code(lowest)


def test_a_part_may_make_an_array_that_outlives_it():
    top = njit(lambda many: squares(many))
    assert top(4).tolist() == [0.0, 1.0, 4.0, 9.0]
    assert not machine_code(squares)


@given(st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=8))
def test_every_part_is_linked_once_and_after_all_that_call_it(calls):
    parts = [object.__new__(_Part) for _ in calls]
    for number, called in enumerate(calls):
        parts[number]._linking_libraries = [parts[other] for other in called if number < other < len(parts)]
    ordered = _callers_first([*reversed(parts), parts[0]])
    assert sorted(map(id, ordered)) == sorted(map(id, parts))
    for part in parts:
        assert all(ordered.index(part) < ordered.index(called) for called in part._linking_libraries)


def test_a_kernel_that_has_its_machine_code_is_kept_as_bitcode_and_may_be_called_by_another():
    top = njit(lambda number: middle(number))
    assert top(1) == 22
    [compiled] = top.overloads.values()
    assert isinstance(compiled.library._final_module, _Translated)
    assert njit(lambda number: top(number) + lowest(number))(1) == 24
