"""First come, first served: the head of the queue blocks all behind it."""

from dataclasses import dataclass

from loadmaster.model.snapshot import Decision, Place, Snapshot
from loadmaster.place import Policy
from loadmaster.place.board import Board


@dataclass(frozen=True)
class Fcfs:
    """Start jobs in the order of arrival until one does not fit."""

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Start the longest prefix of the queue that fits."""
        board = Board(snapshot, policy)
        started = []
        for index in range(len(snapshot.queue)):
            hosts = board.place(index)
            if hosts is None:
                break
            started.append(Place(int(snapshot.queue.job[index]), hosts))
        return Decision(tuple(started), (), board.last_host)
