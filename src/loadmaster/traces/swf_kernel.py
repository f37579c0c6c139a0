"""The SWF tokeniser: text into columns, in one pass. `tests/traces/swf_reference.py` says the same."""

# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import cached_njit
from loadmaster.model.arrays import Floats, Ints


class Tokens(NamedTuple):
    """Arrays that the tokeniser fills, for a text of at most N lines; B of them may be bad, and N - 1 good.

    N - 1 is what the text has of the shortest lines that are good, 18 fields of a character and what is behind each;
    B is the number of its line feeds. A line that turns out to be bad is read into the place of the next good one.

    Attributes:
        slot: int8[18], the row of `values` that takes each field of the standard, -1 for a field that is not needed.
        values: float64[K, N], the wanted fields of every good line.
        start: int32[N], where in the text each good line starts.
        bad_start: int32[B], where each bad line starts.
        bad_rule: int8[B], which rule it breaks: 1 too few fields, 2 a wanted field is not a number.
    """

    slot: np.ndarray
    values: Floats
    start: Ints
    bad_start: Ints
    bad_rule: np.ndarray


@cached_njit(nogil=True, error_model="numpy")
def tokenise(text, tokens):
    """Split `text` into fields and read the wanted ones.

    Args:
        text: uint8[S], lines that each end with a line feed, the last one too; S < 2**31. No line feed is stepped over
            but at the end of a line, so that the last one ends the reading.
        tokens: `Tokens`, filled in place.

    Returns:
        How many good lines, bad lines and lines in all (comments and blank lines are neither good nor bad).
    """
    slot, values, start, bad_start, bad_rule = tokens
    size = np.uint64(text.shape[0])
    one = np.uint64(1)
    i = np.uint64(0)
    good = 0
    bad = 0
    lines = 0
    while i < size:
        begin = i
        lines += 1
        c = text[i]
        while c == 32 or c == 9 or c == 13:
            i += one
            c = text[i]
        if c != 10 and c != 59:  # neither a blank line nor a comment
            field = 0
            rule = 0
            while c != 10 and field < 18:
                k = slot[field]
                if k >= 0:
                    # [sign] digits [. digits] [e [sign] digits], at least one digit; 18 digits are kept exactly.
                    negative = c == 45
                    if c == 45 or c == 43:
                        i += one
                        c = text[i]
                    mantissa = np.int64(0)
                    digits = 0
                    power = 0
                    while 48 <= c <= 57:
                        if mantissa < 100000000000000000:
                            mantissa = mantissa * 10 + (c - 48)
                        else:
                            power += 1
                        digits += 1
                        i += one
                        c = text[i]
                    if c == 46:
                        i += one
                        c = text[i]
                        while 48 <= c <= 57:
                            if mantissa < 100000000000000000:
                                mantissa = mantissa * 10 + (c - 48)
                                power -= 1
                            digits += 1
                            i += one
                            c = text[i]
                    if digits > 0 and (c == 101 or c == 69):
                        i += one
                        c = text[i]
                        down = c == 45
                        if c == 45 or c == 43:
                            i += one
                            c = text[i]
                        exponent = 0
                        digits = 0
                        while 48 <= c <= 57:
                            exponent = min(exponent * 10 + (c - 48), 9999)
                            digits += 1
                            i += one
                            c = text[i]
                        power += -exponent if down else exponent
                    if digits == 0 or not (c == 32 or c == 9 or c == 13 or c == 10):
                        rule = 2
                        break
                    value = np.float64(mantissa)
                    if power != 0 and mantissa != 0:
                        value = _scaled(value, power)
                    values[k, good] = -value if negative else value
                else:
                    while not (c == 32 or c == 9 or c == 13 or c == 10):
                        i += one
                        c = text[i]
                field += 1
                while c == 32 or c == 9 or c == 13:
                    i += one
                    c = text[i]
            if rule == 0 and field < 18:
                rule = 1
            if rule == 0:
                start[good] = begin
                good += 1
            else:
                bad_start[bad] = begin
                bad_rule[bad] = rule
                bad += 1
        while text[i] != 10:
            i += one
        i += one
    return good, bad, lines


@cached_njit(nogil=True, error_model="numpy")
def _scaled(value, power):
    """`value` x 10**`power`; powers of ten up to 22 are exact, so short decimals are read to the last bit."""
    while power > 22:
        value *= 1e22
        power -= 22
    while power < -22:
        value /= 1e22
        power += 22
    scale = 1.0
    for _ in range(abs(power)):
        scale *= 10.0
    return value * scale if power > 0 else value / scale
