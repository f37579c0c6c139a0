"""What a discipline is: the order in which the queue is served, with its reservations and backfilling."""

from typing import Protocol

from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.place import Policy


class Discipline(Protocol):
    """Serves a queue: a frozen dataclass of its parameters with one method."""

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Choose the jobs to start now; pure."""
        ...
