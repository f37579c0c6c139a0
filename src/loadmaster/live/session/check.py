"""Whether every decision of a recorded session follows from its record: each is repeated."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from loadmaster.live.session.engine import Refusal
from loadmaster.live.session.lines import refusals_in


class SessionState(Protocol):
    """What a session knows between two observations; the lines of its record alone bring it about once more."""

    def read_observation(self, line: Mapping[str, Any]) -> None:
        """What a cycle's line says was seen."""
        ...

    def read_decision(self, line: Mapping[str, Any]) -> None:
        """What the same line says was decided on it, and requested."""
        ...

    def answered(self, refusals: Sequence[Refusal]) -> None:
        """What the engine refused of that; all else it accepted."""
        ...


S = TypeVar("S", bound=SessionState)


def read_line(state: SessionState, line: Mapping[str, Any]) -> None:
    """Take one line of a session after its first."""
    if "cycle" in line:
        state.read_observation(line)
        state.read_decision(line)
    elif "answer" in line:
        state.answered(refusals_in(line))


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
        """One more, at that cycle: the actions that are requested now, and those of the record."""
        self.decisions += 1
        self.same += same
        if not same and not self.first:
            other = next((pair for pair in zip(now, recorded, strict=False) if pair[0] != pair[1]), None)
            what = f"{other[0]} in place of {other[1]}" if other else f"{len(now)} actions, not {len(recorded)}"
            self.first = f"at {cycle_s:.3f}: now {what}"


def check_decisions(
    lines: Iterable[Mapping[str, Any]],
    begin: Callable[[Mapping[str, Any]], S],
    decide: Callable[[S, Mapping[str, Any]], tuple[Sequence[Any], Sequence[Any], bool]],
) -> ReplayedDecisions:
    """Take every decision of a record again, each where the record stood.

    Args:
        lines: of the record; the first begins a session.
        begin: the state with which a session begins, by its first line.
        decide: decides once more on what a cycle's line says was seen: the actions that are requested now, those of
            the record, and whether all of the decision is the same.
    """
    checked, state = ReplayedDecisions(), None
    for line in lines:
        if "begin" in line:
            state = begin(line)
        elif state is not None and "cycle" in line:
            state.read_observation(line)
            now, recorded, same = decide(state, line)
            checked.note(line["cycle"], now, recorded, same=same)
            state.read_decision(line)
        elif state is not None:
            read_line(state, line)
    return checked
