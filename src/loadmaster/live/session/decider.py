"""The interface of a decider: from an observation it makes record lines and actions for the engine.

There are four: for the queue of a cluster, for a bag of commands that rents machines, for commands under CPU shares,
and for virtual machines. A decider touches neither the engine nor the record: what it says is written down first and
asked afterwards, by the loop.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from loadmaster.live.session.engine import Observation, Refusal
from loadmaster.model.actions import Action

Line = Mapping[str, Any]
"""A line of a record, as JSON takes it."""


class Step(NamedTuple):
    """What one cycle comes to.

    Attributes:
        lines: to be written down before anything is asked, in order.
        actions: to be asked of the engine, in order.
    """

    lines: Sequence[Line] = ()
    actions: Sequence[Action] = ()


class Decider(Protocol):
    """Told of everything in the order in which it comes; decides on that and on nothing else.

    What a decider does not need it leaves as it is here.
    """

    @property
    def hands_back(self) -> bool:
        """At the end, jobs may be left that only we could start: `parting` is to be asked."""
        ...

    @property
    def until_s(self) -> float:
        """When the time of the run is over, also where the engine is down; infinite: it has no such time."""
        ...

    def begin(self, first: Observation) -> Sequence[Line]:
        """A session begins with this observation, on which nothing is decided yet; the lines it begins with."""
        ...

    def warm_up(self, first: Observation) -> None:
        """Have compiled what deciding needs: it takes its time, and the session has begun already."""
        return

    def decide(self, seen: Observation, *, away: bool) -> Step:
        """What to do in this cycle.

        Args:
            seen: what is there.
            away: the engine did not answer since the last cycle: what was asked of it may be forgotten.
        """
        ...

    def refused(self, refusal: Refusal) -> None:
        """The engine did not do it."""
        ...

    def after_cycle(self) -> None:
        """The cycle is over: for observers of the run."""
        return

    def next_s(self, now_s: float) -> float:
        """When the next cycle is due; infinite: there is none."""
        ...

    def parting(self, seen: Observation, stranded: Sequence[str]) -> Step:
        """What to ask at the end so that no job is left that only we could start; nothing when there is none left.

        Args:
            seen: what is there.
            stranded: what the engine refused to take back when it was asked last.
        """
        return Step()

    def end(self, how: str) -> Sequence[Line]:
        """The session ends: `done`, `stopped`, `denied` or `crashed`; the lines it ends with."""
        ...
