"""Names of hosts in brackets."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import InputError
from loadmaster.model.host_names import host_names


def test_zeros_before_a_number_are_kept_and_numbers_grow_beyond_their_digits():
    assert host_names("n[098-101]") == ("n098", "n099", "n100", "n101")
    assert host_names("n[8-11]") == ("n8", "n9", "n10", "n11")


def test_the_last_of_several_brackets_turns_fastest():
    assert host_names("r[1-2]n[01-02]x") == ("r1n01x", "r1n02x", "r2n01x", "r2n02x")


def test_blanks_and_empty_parts_between_commas_are_passed_over():
    assert host_names(" a, b[1, 3-4] ,,c,") == ("a", "b1", "b3", "b4", "c")
    assert host_names("") == ()


@pytest.mark.parametrize(
    "text", ["n[1-3", "n1-3]", "n[[1]]", "n[a-b]", "n[3-1]", "n[]", "n[1,,2]", "n[1-2-3]", "n[-1]"]
)
def test_other_brackets_are_refused_in_one_line(text):
    with pytest.raises(InputError) as error:
        host_names(text, "slurm.conf:7")
    assert str(error.value).startswith("slurm.conf:7: ")
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    "text", ["n[1-2000000]", "a[1-999]b[1-999]c[1-999]", "n[1-999999999999999999]", "a[1-600000],b[1-600000]"]
)
def test_a_list_of_more_than_a_million_is_refused_before_it_is_made(text):
    with pytest.raises(InputError, match="more than 1,000,000 hosts"):
        host_names(text)


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(0, 30), st.integers(1, 5)), min_size=1, max_size=4))
def test_a_bracket_holds_each_number_of_each_range_in_order(ranges):
    text = ",".join(f"{first:0{digits}}-{first + more}" for first, more, digits in ranges)
    numbers = [int(re.fullmatch(r"n(\d+)", name)[1]) for name in host_names(f"n[{text}]")]
    assert numbers == [first + k for first, more, _ in ranges for k in range(more + 1)]
