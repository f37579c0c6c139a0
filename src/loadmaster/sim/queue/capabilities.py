"""The policies and disciplines that the compiled engine serves."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from loadmaster.backfilling import Blocking, Conservative, Easy, NetBatch, Skip
from loadmaster.order import ORDERS, AnyOrder, FairShare, Multifactor, Order
from loadmaster.order.order_in_process import OrderInProcess
from loadmaster.place.policy_in_process import PolicyInProcess
from loadmaster.scheduling import AnyPolicy, Discipline, MaxJobs, Twin, is_meta, is_plain_data, members_of
from loadmaster.sim.queue.walks import BLOCKING, EASY, PROFILE, WALK

MEMBERS = 8
"""Members of a meta-rule that the compiled engine takes: it is compiled once, for that many scans."""


class BackfillingKind(NamedTuple):
    """What compiled engines know of a backfilling; -1 stands for no limit. `shortest`: see `Easy.fill`."""

    kind: int
    reservations: int
    lookahead: int
    shortest: bool = False


def _limit(limit: int | None) -> int:
    return -1 if limit is None else int(limit)


_WALKS: dict[type, Callable[[Any], BackfillingKind]] = {
    Blocking: lambda _: BackfillingKind(BLOCKING, 0, -1),
    Skip: lambda _: BackfillingKind(WALK, 0, -1),
    NetBatch: lambda rule: BackfillingKind(WALK, _limit(rule.reservations), _limit(rule.lookahead)),
    Easy: lambda rule: BackfillingKind(EASY, 0, -1, rule.fill == "shortest"),
}
"""The backfillings that are compiled, by their exact type: a subclass has rules of its own, in the plain engine."""


def serves(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether this engine knows order, backfilling and policy, and takes so many members."""
    backfilling = discipline.backfilling
    one_head = not isinstance(backfilling, Easy) or backfilling == Easy()
    order = discipline.order
    known = type(order) in (Order, FairShare) or tracks_events_of(order) or _ranks_all(order)
    return (
        type(backfilling) in _WALKS
        and one_head
        and known
        and (is_plain_data(policy) or _rates_all(policy))
        and meta_rule_kind_of(policy) is not None
        and len(members_of(policy)) <= MEMBERS
    )


def _ranks_all(order: AnyOrder) -> bool:
    """Whether it is an order of this process that ranks all jobs in one call."""
    return type(order) is OrderInProcess and order.rank_all is not None


def _rates_all(policy: AnyPolicy) -> bool:
    """Whether it is a policy of this process that rates all hosts in one call."""
    return type(policy) is PolicyInProcess and policy.score_all is not None


def serves_twin(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether it knows a twin of such members; of the rules of which it has no compiled form it knows none."""
    return (
        type(discipline) is Twin
        and len(discipline.members) <= MEMBERS
        and not is_meta(policy)
        and is_plain_data(policy)
        and all(map(_is_member, discipline.members))
    )


def _is_member(member: Discipline) -> bool:
    backfilling = member.backfilling
    one_head = not isinstance(backfilling, Easy) or replace(backfilling, fill="order") == Easy()
    return type(member) is Discipline and type(backfilling) in _WALKS and one_head and type(member.order) is Order


def backfilling_kind_of(discipline: Discipline) -> BackfillingKind:
    """What compiled engines know of the backfilling of a discipline that they serve."""
    if isinstance(discipline, Twin):  # what any member may ask is kept for all
        return BackfillingKind(
            EASY, -1 if any(backfilling_kind_of(member).reservations for member in discipline.members) else 0, -1
        )
    backfilling = discipline.backfilling
    if isinstance(backfilling, Conservative):
        return BackfillingKind(PROFILE, 0, _limit(backfilling.lookahead))
    return _WALKS[type(backfilling)](backfilling)


def by_arrival(discipline: Discipline) -> bool:
    """Whether jobs are served in the order of arrival."""
    return discipline.order is ORDERS["fcfs"]


def tracks_events_of(order: AnyOrder) -> bool:
    """Whether the engine reports events to this order; a subclass is another rule, which plain Python runs."""
    return type(order) is Multifactor


def is_ticked(order: AnyOrder) -> bool:
    """Whether its ranks change at ticks only."""
    return type(order) is Multifactor and order.recalc == "tick"


JOBS, CORES, WEIGHTED = range(3)
TARGETS = {"jobs": JOBS, "cores": CORES, "weighted": WEIGHTED}


class MetaRuleKind(NamedTuple):
    """What compiled engines know of a meta-rule: they follow the first member of the highest value.

    Attributes:
        target: what makes the value, one of `TARGETS`.
        pruned: trying stops at the first member that starts the whole queue.
    """

    target: int = JOBS
    pruned: bool = False


_KNOWN: dict[type, Callable[[Any], MetaRuleKind]] = {
    MaxJobs: lambda rule: MetaRuleKind(TARGETS[rule.target], not rule.log_ties),
}
"""The meta-rules that are compiled, by their exact type: a subclass chooses for itself, in the plain engine."""


def meta_rule_kind_of(policy: AnyPolicy) -> MetaRuleKind | None:
    """What compiled engines know of `policy`; None of a meta-rule that they do not know."""
    if not is_meta(policy):
        return MetaRuleKind()
    make = _KNOWN.get(type(policy))
    return None if make is None else make(policy)
