"""The objective of a placement, as `--minimise` names it: one amount, or a weighted sum of amounts."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from loadmaster.model.errors import InputError

TERMS = {
    "hosts": "hosts with at least one task",
    "cost": "their price an hour",
    "moves": "running tasks that move",
    "imbalance": "sum over hosts and resources of (load - mean load) squared",
    "stranded": "what cannot be used because another resource of the host runs out first, in mean hosts",
}
"""The amounts that a sum may have (rule B10)."""
PLAIN = ("level", "hosts", "cost")
"""What `pack` minimises alone by searches of their own."""
LEVEL = ("level",)
"""What `rebalance` improves by searches of their own."""
LEAST_WEIGHT, MOST_WEIGHT = 1e-3, 1e6
_TERM = re.compile(r"(?:([0-9.]+)\s*\*\s*)?([a-z]+)")


@dataclass(frozen=True)
class Objective:
    """A weighted sum of amounts, to be minimised.

    Attributes:
        text: as the user wrote it, with single spaces.
        weights: by name of the amount, in the order of `TERMS`.
    """

    text: str
    weights: Mapping[str, float]

    @classmethod
    def parse(cls, text: str) -> "Objective":
        """The sum that `text` names.

        Raises:
            InputError: an amount that there is not, one named twice, or a weight that is out of range.

        Example:
            >>> Objective.parse("cost + 0.1*moves")
            Objective(text='cost + 0.1*moves', weights=mappingproxy({'cost': 1.0, 'moves': 0.1}))
        """
        weights: dict[str, float] = {}
        parts = [part.strip() for part in text.split("+")]
        for part in parts:
            match = _TERM.fullmatch(part)
            if match is None or match[2] not in TERMS:
                raise InputError(f"--minimise {text!r}", _rule(part), fix=_FIX)
            if match[2] in weights:
                raise InputError(f"--minimise {text!r}", f"{match[2]} is there twice", fix="name each amount once")
            weights[match[2]] = _weight(match[1], text)
        ordered = {name: weights[name] for name in TERMS if name in weights}
        return cls(" + ".join(re.sub(r"\s*\*\s*", "*", part) for part in parts), MappingProxyType(ordered))


def summed(text: str | None, plain: Collection[str]) -> Objective | None:
    """The objective that `text` names; None for no text and for the names in `plain`, which other searches serve.

    Raises:
        InputError: as `Objective.parse`.

    Example:
        >>> summed("hosts", ("level", "hosts")) is None, summed("moves", ("level",)).weights["moves"]
        (True, 1.0)
    """
    return None if text is None or text.strip() in plain else Objective.parse(text)


_FIX = f"write level, or a sum of {', '.join(TERMS)} such as 'cost + 0.1*moves'"


def _rule(part: str) -> str:
    if part.rpartition("*")[2].strip() == "level":
        return "the level is the largest load: it stands alone and is in no sum"
    return f"{part!r} is no amount that can be minimised"


def _weight(number: str | None, text: str) -> float:
    try:
        weight = 1.0 if number is None else float(number)
    except ValueError:
        raise InputError(
            number, "a weight is a number", where=f"--minimise {text!r}", fix="such as 0.1*moves"
        ) from None
    if not LEAST_WEIGHT <= weight <= MOST_WEIGHT:
        rule = f"a weight is a number from {LEAST_WEIGHT:g} to {MOST_WEIGHT:,.0f}"
        raise InputError(number, rule, where=f"--minimise {text!r}", fix="multiply all weights by the same number")
    return weight
