"""The interface of the scheduler in a run of the plain engine."""

from dataclasses import dataclass
from typing import Protocol

from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.scheduling import Discipline, Scheduler


class SchedulerLike(Protocol):
    """What decides: a scheduler, or what stands in for one."""

    @property
    def discipline(self) -> Discipline:
        """Its order ranks the queue."""
        ...

    def decide(self, snapshot: Snapshot) -> Decision:
        """What to start now."""
        ...


@dataclass(frozen=True)
class PlainDecisions:
    """A scheduler that decides in plain Python, however large the queue."""

    scheduler: Scheduler

    @property
    def discipline(self) -> Discipline:
        """As it is."""
        return self.scheduler.discipline

    def decide(self, snapshot: Snapshot) -> Decision:
        """What to start now."""
        return self.scheduler.decide_plainly(snapshot)
