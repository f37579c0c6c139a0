"""The tokeniser of SWF: the kernel agrees with plain Python on anything, and reads numbers to the last bit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.traces.swf_kernel import Tokens, tokenise
from traces.swf_reference import tokens_of

NUMBERS = st.one_of(
    st.integers(-2, 10**9).map(str),
    st.floats(-1e9, 1e9, allow_nan=False).map(lambda x: f"{x:.3f}"),
    st.sampled_from(["-1", "0", "+7", "1.", ".5", "-.5", "1e3", "2.5E-2", "00012", "1e+2"]),
)
ODDITIES = st.sampled_from(
    [
        "nan",
        "inf",
        "--1",
        "1-",
        "1e",
        "1.2.3",
        ".",
        "-",
        "+",
        "e5",
        "1e5x",
        "x",
        "0x10",
        "1,5",
        "{1,2}",
        ";",
        "é",
        "1_0",
    ]
)
BLANKS = st.sampled_from([" ", "  ", "\t", "    ", " \t "])
LINES = st.one_of(
    st.lists(st.one_of(NUMBERS, NUMBERS, NUMBERS, ODDITIES), min_size=1, max_size=22),
    st.lists(NUMBERS, min_size=18, max_size=20),
    st.lists(NUMBERS, min_size=18, max_size=18),
)


@st.composite
def texts(draw):
    lines = []
    for _ in range(draw(st.integers(0, 8))):
        kind = draw(st.integers(0, 9))
        if kind == 0:
            lines.append(draw(st.sampled_from(["", "   ", "; MaxProcs: 7", " ;x", ";", "\t"])))
        else:
            lines.append(
                draw(st.sampled_from(["", " ", "\t"]))
                + draw(BLANKS).join(draw(LINES))
                + draw(st.sampled_from(["", " "]))
            )
    ends = draw(st.sampled_from(["\n", "\r\n"]))
    return "".join(line + ends for line in lines).encode()


def read(text, wanted):
    slot = np.full(18, -1, np.int8)
    slot[wanted] = np.arange(len(wanted))
    rows = text.count(b"\n") + 1
    tokens = Tokens(
        slot,
        np.full((len(wanted), rows), np.nan),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int8),
    )
    good, bad, lines = tokenise(np.frombuffer(text, np.uint8), tokens)
    failed = list(zip(tokens.bad_start[:bad].tolist(), tokens.bad_rule[:bad].tolist(), strict=True))
    return tokens.values[:, :good].T, tokens.start[:good].tolist(), failed, lines


@given(texts(), st.sets(st.integers(0, 17), min_size=1).map(sorted))
def test_the_kernel_agrees_with_plain_python_on_any_lines(text, wanted):
    values, start, bad, lines = read(text, wanted)
    plain = tokens_of(text, wanted)
    assert (start, bad, lines) == (plain.start, plain.bad, plain.lines)
    assert values.tolist() == plain.values


@given(st.binary(max_size=400).map(lambda junk: junk + b"\n"))
def test_the_kernel_agrees_with_plain_python_on_junk(text):
    values, start, bad, lines = read(text, [0, 3, 17])
    plain = tokens_of(text, [0, 3, 17])
    assert (start, bad, lines, values.tolist()) == (plain.start, plain.bad, plain.lines, plain.values)


@given(st.one_of(st.integers(-(2**53), 2**53).map(str), st.floats(1e-9, 1e15).map(lambda x: f"{x:.5g}")))
def test_short_numbers_are_read_to_the_last_bit(word):
    values, *_ = read((" ".join([word] * 18) + "\n").encode(), [5])
    assert values.tolist() == [[float(word)]]


@given(st.from_regex(r"[0-9]{1,40}(\.[0-9]{1,30})?(e-?[0-9]{1,2})?", fullmatch=True))
def test_long_numbers_are_read_to_fifteen_digits(word):
    values, *_ = read((" ".join([word] * 18) + "\n").encode(), [5])
    assert math.isclose(values[0, 0], float(word), rel_tol=1e-14)


@pytest.mark.parametrize("word", ["1e400", "9" * 400])
def test_numbers_too_large_become_infinite_not_wrong(word):
    values, *_ = read((" ".join([word] * 18) + "\n").encode(), [5])
    assert values[0, 0] == math.inf
