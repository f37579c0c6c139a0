"""Meta-rules: they try several rules on one snapshot, and follow one of them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Protocol, TypeGuard

from loadmaster.model.errors import InputError
from loadmaster.model.snapshot import Alternative, Decision, Snapshot
from loadmaster.place import POLICIES, Policy
from loadmaster.rules.near import pick

MOST_MEMBERS = 62
"""A bit each in the record of winners."""

Serve = Callable[[Snapshot, Policy], Decision]
"""The decision of a member on a snapshot; pure."""


class Chosen(NamedTuple):
    """The member that a meta-rule follows.

    Attributes:
        member: its number.
        values: the value of each member's decision, the higher the better; None where it was not computed.
    """

    member: int
    values: Sequence[float | None]


@dataclass(frozen=True, eq=False)
class Trial:
    """A member of a meta-rule, to be tried on one snapshot or on any other.

    Attributes:
        member: the rule.
        snapshot: the snapshot of the decision to be made.
        serve: makes the member decide.
    """

    member: Policy
    snapshot: Snapshot
    serve: Serve

    @property
    def name(self) -> str:
        """The name of the member."""
        return self.member.name

    @cached_property
    def now(self) -> Decision:
        """Its decision now; computed once, when it is requested."""
        return self.serve(self.snapshot, self.member)

    def decide(self, snapshot: Snapshot) -> Decision:
        """Its decision on another `snapshot`: another queue, a later moment."""
        return self.serve(snapshot, self.member)


class MetaRule(Protocol):
    """Chooses among its members on every snapshot (rule Q18). Pure: same snapshot, same choice."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    @property
    def members(self) -> Sequence[Policy | str]:
        """Placement policies, or names of built-in ones; of equal members the first is taken."""
        ...

    def choose(self, snapshot: Snapshot, trials: Sequence[Trial]) -> Chosen:
        """The member to follow now.

        Args:
            snapshot: of the decision.
            trials: the members, in their order.
        """
        ...


AnyPolicy = Policy | MetaRule


def is_meta(policy: AnyPolicy) -> TypeGuard[MetaRule]:
    """Whether the policy is a meta-rule."""
    return callable(getattr(policy, "choose", None))


def members_of(policy: AnyPolicy) -> tuple[Policy, ...]:
    """The placement policies of which `policy` consists.

    Raises:
        InputError: a meta-rule has no members, too many, two of one name, or an unknown one.
    """
    if not is_meta(policy):
        return (policy,)  # type: ignore[return-value]
    see = "members are placement policies: see `loadmaster policies --kind placement`"
    members = tuple(
        pick(member, POLICIES, what="placement policy", see=see) if isinstance(member, str) else member
        for member in policy.members
    )
    if not 1 <= len(members) <= MOST_MEMBERS:
        raise InputError(f"{len(members)} members", f"a meta-rule has 1 to {MOST_MEMBERS}", where=policy.name)
    wrong = next((member for member in members if not callable(getattr(member, "rate", None))), None)
    if wrong is not None:
        rule = "a member of a meta-rule is a placement policy, or the name of one"
        raise InputError(
            str(wrong)[:80], rule, fix='members = ("mix-fit", Policy("mine", my_score))', where=policy.name
        )
    names = [member.name for member in members]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(twice, "a member of a meta-rule is named once", where=policy.name)
    return members


def names_of(policy: AnyPolicy) -> tuple[str, ...]:
    """The names of the members of a meta-rule, () for any policy."""
    return tuple(member.name for member in members_of(policy)) if is_meta(policy) else ()


def best_of(values: Sequence[float | None]) -> Chosen:
    """The first member of the highest value, of those that were tried."""
    return Chosen(values.index(max(value for value in values if value is not None)), values)


def follow(rule: MetaRule, snapshot: Snapshot, serve: Serve) -> Decision:
    """The decision of the member that `rule` chooses, with the decisions of the other members.

    Raises:
        InputError: the rule fails, or chooses no member.
    """
    trials = tuple(Trial(member, snapshot, serve) for member in members_of(rule))
    member, values = _sound(rule, _choice(rule, snapshot, trials), len(trials))
    winners = sum(1 << m for m, value in enumerate(values) if m == member or value == values[member])
    options = tuple(
        Alternative(trial.name, len(trial.now.place) if "now" in vars(trial) else None, value)
        for trial, value in zip(trials, values, strict=True)
    )
    return replace(trials[member].now, winners=winners, chosen=member, options=options)


def _choice(rule: MetaRule, snapshot: Snapshot, trials: Sequence[Trial]) -> Chosen:
    try:
        return rule.choose(snapshot, trials)
    except InputError:
        raise
    except Exception as error:  # a user's class may fail in any way
        why = f"this meta-rule fails: {type(error).__name__}: {str(error)[:120]}"
        raise InputError(rule.name, why) from error


def _sound(rule: MetaRule, chosen: Chosen, members: int) -> tuple[int, list[float | None]]:
    """The choice as plain Python numbers."""
    try:
        member, given = chosen
        values = [None if value is None else float(value) for value in given]
        whole = int(member) == member and 0 <= member < members
    except (TypeError, ValueError):
        whole, values = False, []
    if not whole or len(values) != members or values[int(member)] is None:
        fix = "return best_of(values), or Chosen(member, values) with a value for each member"
        raise InputError(rule.name, "a meta-rule chooses one of its members, and says what each is worth", fix=fix)
    if not all(value is None or math.isfinite(value) for value in values):
        raise InputError(rule.name, "what a member is worth must be a finite number, or None if it was not tried")
    return int(member), values
