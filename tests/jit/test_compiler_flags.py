"""Flags of Numba's compiler are equal exactly if all their options are, set or not."""

from hypothesis import given
from hypothesis import strategies as st
from numba.core.compiler import Flags

import loadmaster.jit.kernels  # noqa: F401  replaces the comparison

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
