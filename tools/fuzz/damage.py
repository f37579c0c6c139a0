"""Ways to break a file."""

import gzip
import random
import re

NUMBERS = (
    "nan",
    "NaN",
    "inf",
    "-inf",
    "-1",
    "0",
    "-0.0",
    "1e308",
    "-1e308",
    "1e-300",
    "5e-324",
    "1e400",
    "0x10",
    "1_000",
    "1,5",
    "999999999999999999999999",
    "9223372036854775807",
    "9223372036854775808",
    "2147483648",
    "0.1",
    "0.30000000000000004",
    "1e",
    ".",
    "-",
    "+",
    "",
    " ",
    "null",
    "None",
    "true",
    "?",
    "12abc",
    "\u0661\u0662",
    "\u00bd",
    "1 2",
    "'3",
    "=1+1",
    "@x",
    "1/0",
)
"""What may stand where a number should."""
JUNK = (
    "\ufeff",
    "\x00",
    "\u2028",
    "\t",
    "\r",
    '"',
    "'",
    "\\",
    "|",
    ";",
    ",",
    "#",
    "\U0001f600",
    "\u202e",
    "%s",
    "{}",
    "../../x",
    "a" * 300,
    "\x1b[31m",
    "&x",
    "*x",
    "!!python/object:os.system",
    "<script>",
    "=cmd|' /C calc'!A0",
    "- " * 40,
    "[" * 50,
    "{" * 50,
)


def broken(rng: random.Random, data: bytes) -> bytes:
    """`data` after one to four changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        data = rng.choice(CHANGES)(rng, data)
    return data


def _number(rng: random.Random, data: bytes) -> bytes:
    places = [m.span() for m in re.finditer(rb"-?\d+(\.\d+)?", data[:20_000])]
    if not places:
        return data
    start, end = rng.choice(places)
    return data[:start] + rng.choice(NUMBERS).encode() + data[end:]


def _word(rng: random.Random, data: bytes) -> bytes:
    places = [m.span() for m in re.finditer(rb"[A-Za-z_]+", data[:20_000])]
    if not places:
        return data
    start, end = rng.choice(places)
    other = rng.choice(places)
    put = rng.choice(
        (b"", data[other[0] : other[1]], rng.choice(JUNK).encode(), data[start:end].upper(), b"cores", b"x")
    )
    return data[:start] + put + data[end:]


def _cell(rng: random.Random, data: bytes) -> bytes:
    """A cell lost, doubled, or another one in its place."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    mark = max((b",", b"|", b" ", b":"), key=lines[at].count)
    cells = lines[at].split(mark)
    one = rng.randrange(len(cells))
    cells[one : one + 1] = rng.choice(([], [cells[one]] * 2, [b""], [cells[rng.randrange(len(cells))]]))
    lines[at] = mark.join(cells)
    return b"\n".join(lines)


def _line(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        del lines[one]
    elif what == 1:
        lines[one], lines[other] = lines[other], lines[one]
    elif what == 2:
        lines.insert(other, lines[one])
    else:
        lines.insert(
            one, rng.choice((b"", b"#", b",,,", b"||||", b"; x: y", b"...", b"---", rng.choice(JUNK).encode()))
        )
    return b"\n".join(lines)


def _bytes(rng: random.Random, data: bytes) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    until = min(len(data), at + rng.choice((1, 1, 2, 5, 50)))
    put = rng.choice(
        (b"", bytes(rng.randrange(256) for _ in range(until - at)), data[at:until] * 2, rng.choice(JUNK).encode())
    )
    return data[:at] + put + data[until:]


def _cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _ends(rng: random.Random, data: bytes) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"", b"\n\n", b"\x0b", "\u2028".encode())))


def _code(rng: random.Random, data: bytes) -> bytes:
    text = data.decode(errors="replace")
    return rng.choice(
        (
            b"\xef\xbb\xbf" + data,
            text.encode("utf-16"),
            text.encode("utf-32"),
            text.encode("cp1252", errors="replace") + b"\xe9",
            gzip.compress(data),
            gzip.compress(data)[:-5],
            gzip.compress(gzip.compress(data)),
            b"\xff\xfe" + data,
        )
    )


def _delimiter(rng: random.Random, data: bytes) -> bytes:
    old = max((b",", b"|", b" "), key=data.count)
    return data.replace(old, rng.choice((b";", b"\t", b"|", b",", b" ", b", ", b",,", b"")))


def _huge(rng: random.Random, data: bytes) -> bytes:
    return rng.choice(
        (
            data + b"," * 100_000,
            data + b"x" * 200_000 + b"\n",
            data + b"9" * 5_000 + b"\n",
            b"[" * 20_000,
            b"{" * 20_000,
            data * 50,
            b"\x00" * 10_000,
            data.replace(b"1", b"1" * 400, 3),
            b'"' + data * 20,
        )
    )


def _other_kind(rng: random.Random, data: bytes) -> bytes:
    return rng.choice(
        (
            b"",
            b"\n",
            b"PK\x03\x04" + data,
            b"\x89PNG\r\n\x1a\n" + data,
            b"PAR1" + data + b"PAR1",
            b"SQLite format 3\x00" + data,
            b"<html><body>no</body></html>",
            b'{"a": [1, 2, {"b": null}]}',
            b"- a\n- b\n",
            b"a: &a [*a]\n",
            b"\x1f\x8b",
            b"%PDF-1.4",
            LAUGHS,
        )
    )


LAUGHS = b"a: &a [1,1,1,1,1,1]\n" + b"".join(
    b"%c: &%c [%s]\n" % (c + 1, c + 1, b",".join([b"*%c" % c] * 9)) for c in b"abcdefgh"
)
"""Aliases of aliases: a small file that would be a huge list."""
CHANGES = (
    (_number,) * 6
    + (_word,) * 3
    + (_cell,) * 3
    + (_line,) * 3
    + (_bytes,) * 2
    + (
        _cut,
        _ends,
        _code,
        _delimiter,
        _huge,
        _other_kind,
    )
)
