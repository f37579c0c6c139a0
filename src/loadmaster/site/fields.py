"""Values of a configuration by kind: yes or no, whole numbers, words of a list, amounts by resource."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from loadmaster.model import InputError
from loadmaster.rules.near import near_to
from loadmaster.site.lines import Pair

T = TypeVar("T")
U = TypeVar("U")
_YES = {"yes": True, "up": True, "true": True, "1": True, "no": False, "down": False, "false": False, "0": False}
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})")
_NEVER = ("unlimited", "infinite", "-1")


class Fields:
    """The pairs of a line, or all plain settings; remembers which were requested, so that the rest can be told."""

    def __init__(self, pairs: Mapping[str, Pair]) -> None:
        self._pairs = pairs
        self.asked: set[str] = set()

    def pair(self, *keys: str) -> Pair | None:
        """The first of these that is there."""
        self.asked |= {key.lower() for key in keys}
        return next((self._pairs[key.lower()] for key in keys if key.lower() in self._pairs), None)

    def read(self, key: str, read: Callable[[Pair], T], absent: U) -> T | U:
        """What `read` makes of the value of `key`; `absent` where it is not there."""
        pair = self.pair(key)
        return absent if pair is None else read(pair)

    @property
    def pairs(self) -> Mapping[str, Pair]:
        """All pairs, by their keys in lower case."""
        return self._pairs

    def rest(self) -> list[Pair]:
        """The pairs that nothing requested."""
        return [pair for key, pair in self._pairs.items() if key not in self.asked]


def yes_no(pair: Pair) -> bool:
    """YES or NO.

    Raises:
        InputError: neither.
    """
    return one_of(pair, _YES, "YES or NO")


def one_of(pair: Pair, table: Mapping[str, T], names: str = "") -> T:
    """`table[value]`, whatever the case of its letters.

    Raises:
        InputError: no such word.
    """
    word = pair.value.strip().lower()
    if word not in table:
        near = near_to(word, table)
        fix = f"did you mean {near}?" if near and not names else f"it takes {names or ', '.join(table)}"
        raise InputError(f"{pair.key}={pair.value}", "no such value", fix=fix, where=pair.where)
    return table[word]


def whole(least: int, most: int) -> Callable[[Pair], int]:
    """A reader of whole numbers from `least` to `most`."""

    def read(pair: Pair) -> int:
        text = pair.value.strip()
        if not _WHOLE.fullmatch(text) or not least <= int(text) <= most:
            rule = f"a whole number from {least} to {most:,}"
            raise InputError(f"{pair.key}={pair.value}", rule, fix="correct it", where=pair.where)
        return int(text)

    return read


def whole_or_unlimited(least: int) -> Callable[[Pair], float]:
    """A reader of whole numbers from `least`, or UNLIMITED, which is infinite."""
    read = whole(least, 2**63 - 1)
    return lambda pair: math.inf if pair.value.strip().lower() in _NEVER else float(read(pair))


def number(pair: Pair) -> float:
    """A number with or without a fraction.

    Raises:
        InputError: none.
    """
    if not _NUMBER.fullmatch(pair.value.strip()):
        raise InputError(f"{pair.key}={pair.value}", "a number", fix="correct it", where=pair.where)
    return float(pair.value)


def names(pair: Pair) -> tuple[str, ...]:
    """Words parted by commas, in lower case, each once."""
    return tuple(dict.fromkeys(word.lower() for word in written_names(pair)))


def written_names(pair: Pair) -> tuple[str, ...]:
    """Words parted by commas, as they are written, each once."""
    return tuple(dict.fromkeys(word.strip() for word in pair.value.split(",") if word.strip()))


def allowed(pair: Pair) -> tuple[str, ...] | None:
    """Names that may use something; None where the word is ALL."""
    listed = names(pair)
    return None if "all" in listed else listed


def amounts(pair: Pair) -> dict[str, float]:
    """Amounts by resource, `cpu=8,mem=10G,gres/gpu=2`, by names in lower case; memory in MiB.

    Raises:
        InputError: a part that is not so.
    """
    return {name: number * scale for name, number, scale in _scaled(pair)}


def weights(pair: Pair) -> tuple[tuple[str, float], ...]:
    """Weights by resource, `CPU=1.0,Mem=0.25G,GRES/gpu=2`; memory's is for a MiB, or for the unit of the letter behind.

    Raises:
        InputError: a part that is not so.
    """
    return tuple({name: number / scale for name, number, scale in _scaled(pair)}.items())


def _scaled(pair: Pair) -> Iterator[tuple[str, float, float]]:
    """Name, number and what its letter multiplies it by: MiB for memory, else powers of 1024."""
    for part in (word for word in pair.value.split(",") if word.strip()):
        name, equal, text = part.strip().rpartition("=")
        match = re.fullmatch(r"([+-]?[0-9.]+)([KMGTP]?)B?", text.strip(), re.IGNORECASE)
        if not equal or not name or match is None or not _NUMBER.fullmatch(match[1]):
            fix = "write it like cpu=8,mem=10G,gres/gpu=2"
            raise InputError(f"{pair.key}={pair.value}", "amounts by resource", fix=fix, where=pair.where)
        name, letter = name.strip().lower(), match[2].upper()
        power = "KMGTP".index(letter) + 1 if letter else 0
        yield name, float(match[1]), 1024.0 ** (power - 2 if letter and name == "mem" else power)
