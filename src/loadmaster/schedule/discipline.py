"""A discipline: an order and a backfilling together."""

from dataclasses import dataclass

from loadmaster.backfilling import Backfilling, Board
from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.order import AnyOrder
from loadmaster.place import Policy


@dataclass(frozen=True)
class Discipline:
    """Who goes first, and who may overtake.

    Attributes:
        order: ranks the waiting jobs; its ranks stand in the snapshot.
        backfilling: what a job that does not fit keeps for itself.
        name: as on the command line.
    """

    order: AnyOrder
    backfilling: Backfilling
    name: str = ""

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Choose the jobs to start now; pure."""
        board = Board(snapshot, policy)
        self.backfilling.serve(board)
        return board.decision()

    def __str__(self) -> str:
        return self.name
