"""What replaces parts of Numba's compiler gives the same."""

from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from numba.core import event, ir
from numba.core.compiler import Flags

import loadmaster.jit.kernels  # noqa: F401  takes the shortcuts
from loadmaster.jit.compiler_shortcuts import _variables_in

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
