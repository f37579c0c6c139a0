"""What the compiled engine serves: policies, and disciplines as its kernels know them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from loadmaster.backfilling import Blocking, Conservative, Easy, NetBatch, Skip
from loadmaster.order import ORDERS, FairShare, Order
from loadmaster.schedule import AnyPolicy, Discipline, is_plain_data, members_of
from loadmaster.sim.queue.compiled_meta import known_of
from loadmaster.sim.queue.told import is_told
from loadmaster.sim.queue.walks import BLOCKING, EASY, PROFILE, WALK

MEMBERS = 8
"""Members of a meta-rule that the compiled engine takes: it is compiled once, for that many scans."""

Progress = Callable[[int, int], None]


class Walk(NamedTuple):
    """What compiled engines know of a backfilling; -1 stands for no limit."""

    kind: int
    reservations: int
    lookahead: int

    @property
    def blocking(self) -> bool:
        """The first job that does not fit blocks all behind it."""
        return self.kind == BLOCKING


def _limit(limit: int | None) -> int:
    return -1 if limit is None else int(limit)


_WALKS: dict[type, Callable[[Any], Walk]] = {
    Blocking: lambda _: Walk(BLOCKING, 0, -1),
    Skip: lambda _: Walk(WALK, 0, -1),
    NetBatch: lambda rule: Walk(WALK, _limit(rule.reservations), _limit(rule.lookahead)),
    Easy: lambda _: Walk(EASY, 0, -1),
}
"""The backfillings that are compiled, by their exact type: a subclass has rules of its own, in the plain engine."""


def serves(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether this engine knows order, backfilling and policy, and takes so many members."""
    backfilling = discipline.backfilling
    one_head = not isinstance(backfilling, Easy) or backfilling == Easy()
    order = discipline.order
    known = type(order) in (Order, FairShare) or is_told(order)
    return (
        type(backfilling) in _WALKS and one_head and known and is_plain_data(policy)
        and known_of(policy) is not None and len(members_of(policy)) <= MEMBERS
    )  # fmt: skip


def walk_of(discipline: Discipline) -> Walk:
    """What compiled engines know of the backfilling of a discipline that they serve."""
    backfilling = discipline.backfilling
    if isinstance(backfilling, Conservative):
        return Walk(PROFILE, 0, _limit(backfilling.lookahead))
    return _WALKS[type(backfilling)](backfilling)


def by_arrival(discipline: Discipline) -> bool:
    """Whether jobs are served in the order of arrival."""
    return discipline.order is ORDERS["fcfs"]
