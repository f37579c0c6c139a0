"""The searched parameters: numbers and words with their ranges, each by its name."""

from collections.abc import Mapping
from dataclasses import dataclass

Value = float | int | str
Values = Mapping[str, Value]
"""A value for every knob, by its name; what a candidate is."""


@dataclass(frozen=True)
class Knob:
    """One number or word that is searched.

    Attributes:
        name: part and term, such as `order.length`.
        meaning: what it weighs, in words; it stands beside the constant in the written file.
        low, high: the range of a number.
        step: numbers are multiples of it above `low`; 0 for whole numbers whose logarithm is searched evenly.
        words: the words that it may be, where it is no number.
        off: the value that takes its term out of the rule; None where it has none.
    """

    name: str
    meaning: str
    low: float = 0.0
    high: float = 0.0
    step: float = 0.0
    words: tuple[str, ...] = ()
    off: Value | None = None

    @property
    def part(self) -> str:
        """`order`, `placement` or `backfilling`."""
        return self.name.partition(".")[0]

    @property
    def term(self) -> str:
        """Its name within the part."""
        return self.name.partition(".")[2]

    @property
    def constant(self) -> str:
        """What it is called in a written file.

        Example:
            >>> Knob("order.length", "").constant
            'LENGTH'
        """
        return self.term.upper().replace("-", "_")


def weight(name: str, meaning: str, low: float = -1.0, high: float = 1.0) -> Knob:
    """A weight in steps of a hundredth; 0 leaves its term out."""
    return Knob(name, meaning, low, high, step=0.01, off=0.0)
