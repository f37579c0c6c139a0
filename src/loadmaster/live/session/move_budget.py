"""The budget of moves within any hour."""

from collections import deque
from dataclasses import dataclass, field

from loadmaster.move.change import Unit

WINDOW_S = 3600.0


@dataclass
class MoveBudget:
    """A budget that fills up again as the hour goes on.

    Attributes:
        most: bytes of memory that those who move ask for, or a number of moves.
        unit: of `most`.
        spent: when, and how much, in order.
    """

    most: float
    unit: Unit = "count"
    spent: deque[tuple[float, float]] = field(default_factory=deque)

    def left(self, now_s: float) -> float:
        """What may be spent now."""
        while self.spent and self.spent[0][0] <= now_s - WINDOW_S:
            self.spent.popleft()
        return self.most - sum(amount for _, amount in self.spent)

    def pay(self, now_s: float, amount: float) -> None:
        """Something was moved."""
        self.spent.append((now_s, amount))
