"""Limits on disruption: a budget of moves in any hour, and jobs that are left alone after a failure."""

from collections import deque
from dataclasses import dataclass, field

from loadmaster.model.errors import InputError
from loadmaster.model.units import parse_bytes
from loadmaster.move.change import Unit

WINDOW_S = 3600.0
AGAIN_S = 300.0
"""What could not be done with a job or a machine is not tried again for so long."""
TRIES = 3
"""So often in a row something is asked in vain, before its job or machine is left alone."""


@dataclass
class MoveBudget:
    """A budget that fills up again as the hour goes on.

    Attributes:
        most: bytes of memory of what moves, or a number of moves.
        unit: of `most`.
        spent: when, and how much, in order.
    """

    most: float
    unit: Unit = "count"
    spent: deque[tuple[float, float]] = field(default_factory=deque)

    @classmethod
    def of(cls, moves: int | None, memory: str | None) -> "MoveBudget | None":
        """The budget that `--moves` or `--budget` gives for any hour; None without either.

        Raises:
            InputError: both are given, or `memory` is no size.
        """
        if moves is not None and memory is not None:
            raise InputError("--budget and --moves", "only one of them can bind", fix="leave one out")
        if memory is not None:
            return cls(float(parse_bytes(memory)), "bytes")
        return None if moves is None else cls(float(moves), "count")

    def left(self, now_s: float) -> float:
        """What may be spent now."""
        while self.spent and self.spent[0][0] <= now_s - WINDOW_S:
            self.spent.popleft()
        return self.most - sum(amount for _, amount in self.spent)

    def pay(self, now_s: float, amount: float) -> None:
        """Something was moved."""
        self.spent.append((now_s, amount))


class Cooldowns(dict[str, float]):
    """Until when jobs or machines are left alone, by name."""

    def leave(self, name: str, now_s: float) -> None:
        """It is left alone from now on for `AGAIN_S`."""
        self[name] = now_s + AGAIN_S

    def at(self, now_s: float) -> set[str]:
        """Those that are left alone now."""
        return {name for name, until_s in self.items() if until_s > now_s}
