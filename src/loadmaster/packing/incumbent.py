"""The best placement found so far and the bound on it, as a search reports them while it runs."""

from collections.abc import Callable
from typing import NamedTuple


class Incumbent(NamedTuple):
    """The best value and the bound at one moment.

    Attributes:
        quantity: what is sought: the `level` or the number of `tasks placed` (the higher the better), the `hosts` in
            use, their `price` or a weighted sum (the lower the better).
        value: of the best placement; NaN without one.
        bound: no placement has a better value.

    Example:
        >>> Incumbent("hosts", 22, 20).gap, round(Incumbent("level", 0.6, 0.8).gap, 3)
        (0.1, 0.25)
    """

    quantity: str
    value: float
    bound: float

    @property
    def gap(self) -> float:
        """How far the value is from the bound, as a part of the bound; infinite for a bound of 0."""
        if self.bound == 0:
            return 0.0 if self.value == 0 else float("inf")
        return abs(self.value - self.bound) / self.bound


Report = Callable[[Incumbent], None]
"""What a search tells its incumbents to."""


def silent(_: Incumbent) -> None:
    """A report without an observer."""
