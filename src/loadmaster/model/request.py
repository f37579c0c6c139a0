"""The request of a waiting job, as plain numbers: jobs with equal requests share one object."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import ge

from loadmaster.model.amounts import Amounts, on_hosts, sums_on_hosts, times
from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.cards import CardLayout, bits_of, cards_wanted, tasks_on_cards, tightest_cards, with_cards
from loadmaster.model.host_count import HostsAsked


@dataclass(frozen=True, eq=False, slots=True)
class RowRequest:
    """What one job requests. Two requests are the same object or unlike, so a set of them is looked up quickly.

    Where GPUs are cards (rule Q22) a room has R + C amounts: the resources of the host, and each of its cards.

    Attributes:
        demand: of one task, R amounts.
        total: of all tasks together.
        asked: how many tasks, and on how many hosts they may lie.
        hosts: the row of `Snapshot.allowed` that holds the job's hosts.
        wanted: cards that each task takes; share: of each of them.
        cards: of the host that has the most, C; 0 where GPUs are no cards.
    """

    demand: Amounts
    total: Amounts
    asked: HostsAsked
    hosts: int
    wanted: int = 0
    share: float = 0.0
    cards: int = 0

    def fits(self, room: Sequence[float]) -> bool:
        """Whether a task fits in `room`."""
        demand = self.demand
        if not (room[0] >= demand[0] and all(map(ge, room, demand))):
            return False
        return not self.wanted or sum(left >= self.share for left in room[len(demand) :]) >= self.wanted

    def held_in(self, room: Sequence[float]) -> float:
        """How many tasks go into `room`; infinite if they request nothing."""
        held = tasks_held(self.demand, room)
        if not self.wanted:
            return held
        return min(held, tasks_on_cards(room[len(self.demand) :], self.wanted, self.share))

    def cards_in(self, room: Sequence[float], cost: Sequence[float] | None = None) -> int:
        """The cards, as bits, that a task takes in a `room` with space for it; `cost` as `tightest_cards` has it."""
        if not self.wanted:
            return 0
        return bits_of(tightest_cards(room[len(self.demand) :], self.wanted, self.share, cost) or [])

    def amounts(self, cards: int = 0) -> Amounts:
        """What a task takes of a room, with these cards, as bits."""
        return with_cards(self.demand, cards, self.share, self.cards) if self.cards else self.demand

    def each(self, cards: Sequence[int]) -> list[Amounts]:
        """What each of the tasks takes of its room; `cards` of each, as bits, or () where GPUs are no cards."""
        return [self.amounts(bits) for bits in cards] if cards else [self.amounts()] * self.asked.tasks

    def on(self, hosts: Sequence[int], cards: Sequence[int]) -> Sequence[tuple[int, Amounts]]:
        """What the tasks, one on each of `hosts`, take together of each host; `cards` as `each` has them.

        Example:
            >>> import numpy as np
            >>> (request,) = requests_of(np.array([[2.0]]), np.array([3]), None, None, None)
            >>> request.on((0, 0, 1), ())
            ((0, (4.0,)), (1, (2.0,)))
        """
        return sums_on_hosts(hosts, self.each(cards)) if cards else on_hosts(hosts, self.amounts())


def tasks_held(demand: Sequence[float], room: Sequence[float]) -> float:
    """How many tasks of R amounts `demand` go into `room`, cards aside; infinite if they request nothing."""
    held = math.inf
    for have, want in zip(room, demand, strict=False):
        if want > 0:
            held = min(held, math.floor(have / want))
    return held


def requests_of(
    demand: Floats,
    tasks: Ints,
    hosts: Ints | None,
    min_hosts: Ints | None,
    max_hosts: Ints | None,
    cards: CardLayout | None = None,
) -> list[RowRequest]:
    """The request of each of Q jobs, from columns as `Queue` has them.

    Example:
        >>> import numpy as np
        >>> one, other = requests_of(np.array([[2.0], [2.0]]), np.array([1, 1]), None, None, None)
        >>> one is other, one.demand
        (True, (2.0,))
    """
    known: dict[tuple[Amounts, int, int, int, int], RowRequest] = {}
    found = []
    numbers = ([0] * len(tasks) if column is None else column.tolist() for column in (hosts, min_hosts, max_hosts))
    for key in zip(map(tuple, demand.tolist()), tasks.tolist(), *numbers, strict=True):
        if key not in known:
            amounts, many, row, least, most = key
            on_cards = (0, 0.0, 0) if cards is None else (*cards_wanted(amounts[cards.column]), cards.most)
            known[key] = RowRequest(amounts, times(many, amounts), HostsAsked(many, least, most), row, *on_cards)
        found.append(known[key])
    return found
