"""The result of replaying the decisions of a record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class ReplayedDecisions:
    """Decisions taken again.

    Attributes:
        decisions: in the record; same: of these, taken again alike in every action.
        first: the first difference, in words.
    """

    decisions: int = 0
    same: int = 0
    first: str = ""

    def note(self, cycle_s: float, now: Sequence[Any], recorded: Sequence[Any], *, same: bool) -> None:
        """One more, at that cycle: the actions that are asked for now, and those of the record."""
        self.decisions += 1
        self.same += same
        if not same and not self.first:
            other = next((pair for pair in zip(now, recorded, strict=False) if pair[0] != pair[1]), None)
            what = f"{other[0]} in place of {other[1]}" if other else f"{len(now)} actions, not {len(recorded)}"
            self.first = f"at {cycle_s:.3f}: now {what}"
