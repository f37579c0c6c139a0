"""Which member a meta-policy chose: won alone, or tied with others."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Longs


@dataclass(frozen=True)
class MemberShare:
    """How often one member of a meta-policy was among the best.

    Attributes:
        chosen: part of the cycles in which it won or tied; over all members these sum to more than 1.
        alone: part of the cycles in which no other member did as well.
    """

    member: str
    chosen: float
    alone: float


def member_shares(winners: Longs, members: tuple[str, ...]) -> tuple[MemberShare, ...]:
    """Count the cycles of a run for every member (Shai 2014, figure 6.4).

    Args:
        winners: int64[C], bit m set if member m won or tied; cycles with 0 had no meta-policy and are left out.
        members: their names, in the order of the bits.

    Example:
        >>> [share.chosen for share in member_shares(np.array([0b01, 0b11]), ("a", "b"))]
        [1.0, 0.5]
    """
    decided = winners[winners != 0]
    if decided.size == 0:
        return tuple(MemberShare(member, 0.0, 0.0) for member in members)
    return tuple(
        MemberShare(member, float(np.mean(decided >> m & 1)), float(np.mean(decided == 1 << m)))
        for m, member in enumerate(members)
    )
