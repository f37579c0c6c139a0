"""The budget of `run`: it rents no machine, and begins no billing unit, that the budget does not cover."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from loadmaster.sizing import HostType

AHEAD_S = 0.5
"""So long before a unit ends, a machine is given back if the budget cannot pay for it any more."""
_SLACK = 1e-9


class BagBudget(NamedTuple):
    """What this start may spend.

    Attributes:
        money: for machines rented in this start; infinite without a budget.
        kind: the machines.

    Example:
        >>> budget = BagBudget(3.0, HostType("hourly", 1.0))
        >>> budget.pays_for(committed=1.0), budget.unpaid({7: 3599.8, 8: 3599.9}, committed=2.0)
        (2, [8])
    """

    money: float
    kind: HostType

    def pays_for(self, committed: float) -> int | float:
        """How many machines more can be rented, `committed` being charged for those at hand and gone."""
        room = (self.money - committed) / self.kind.cost(0.0)
        return max(0, math.floor(room + _SLACK)) if room < math.inf else math.inf

    def unpaid(self, age_s: Mapping[int, float], committed: float) -> list[int]:
        """The machines whose paid time is at its end, and for which the money does not reach.

        Args:
            age_s: seconds since renting of every machine at hand, by number.
            committed: charged for those at hand and gone.
        """
        crossing = [host for host, age in age_s.items() if self.kind.paid_left_s(age) <= AHEAD_S]
        room = (self.money - committed) / self.kind.unit_price
        return crossing[int(max(0.0, min(math.floor(room + _SLACK), len(crossing)))) :] if room < math.inf else []
