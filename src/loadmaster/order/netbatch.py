"""The NetBatch cycle: walk the queue, start what fits, reserve a host for what does not (Shai 2014, section 3)."""

from dataclasses import dataclass

from loadmaster.model.snapshot import Decision, Place, Snapshot
from loadmaster.place import Policy
from loadmaster.place.board import Board


@dataclass(frozen=True)
class NetBatch:
    """Walk the queue in the order of arrival (rule Q2).

    Attributes:
        reservations: at most so many jobs a cycle get a reservation; None for no limit, 0 for none at all.
        lookahead: at most so many waiting jobs are tried in a cycle; None for all.
    """

    reservations: int | None = None
    lookahead: int | None = None

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Start every job that finds an unreserved host; reserved hosts take no further job in this cycle."""
        return walk(snapshot, policy, iter(range(len(snapshot.queue))), self.reservations, self.lookahead)


def walk(snapshot, policy, indices, reservations, lookahead, on_start=None) -> Decision:  # type: ignore[no-untyped-def]
    """Try the queue's jobs in the order of the iterator `indices`; `on_start(index)` follows each start."""
    board = Board(snapshot, policy)
    started = []
    tried = 0
    kept = 0
    for index in indices:
        if board.exhausted or (lookahead is not None and tried >= lookahead):
            break
        tried += 1
        hosts = board.place(index)
        if hosts is not None:
            started.append(Place(int(snapshot.queue.job[index]), hosts))
            if on_start is not None:
                on_start(index)
        elif reservations is None or kept < reservations:
            board.reserve(index)
            kept += 1
    return Decision(tuple(started), tuple(board.reserved), board.last_host)
