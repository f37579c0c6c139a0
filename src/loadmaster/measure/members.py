"""Which member a meta-rule chose: won alone, or tied with others."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Longs


@dataclass(frozen=True)
class MemberShare:
    """How often one member of a meta-rule was among the best.

    Attributes:
        chosen: part of all cycles in which it won or tied; over all members these sum to more than 1.
        alone: part of all cycles in which no other member did as well.
        preferred: part of the cycles with a choice, in which some members did better than others, in which it won
            or tied; 0 if there was none.
        choices: how many cycles with a choice there were; the same for every member.
    """

    member: str
    chosen: float
    alone: float
    preferred: float
    choices: int


def member_shares(winners: Longs, members: tuple[str, ...]) -> tuple[MemberShare, ...]:
    """Count the cycles of a run for every member (Shai 2014, figure 6.4).

    Args:
        winners: int64[C], bit m set if member m won or tied; cycles with 0 had no meta-rule and are left out.
        members: their names, in the order of the bits.

    Example:
        >>> [share.chosen for share in member_shares(np.array([0b01, 0b11]), ("a", "b"))]
        [1.0, 0.5]
    """
    decided = winners[winners != 0]
    choice = decided[decided != (1 << len(members)) - 1]
    return tuple(
        MemberShare(member, _part(decided >> m & 1), _part(decided == 1 << m), _part(choice >> m & 1), choice.size)
        for m, member in enumerate(members)
    )


def _part(hits: np.ndarray) -> float:
    return float(np.mean(hits)) if hits.size else 0.0
