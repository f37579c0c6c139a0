"""Who decides in a run of the plain engine."""

from typing import Protocol

from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.schedule import Discipline


class SchedulerLike(Protocol):
    """What decides: a scheduler, or who stands in for one."""

    @property
    def discipline(self) -> Discipline:
        """Its order ranks the queue."""
        ...

    def decide(self, snapshot: Snapshot) -> Decision:
        """What to start now."""
        ...
