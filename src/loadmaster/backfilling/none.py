"""No backfilling: the first job that does not fit blocks all behind it."""

from dataclasses import dataclass

from loadmaster.backfilling.scheduling_pass import Board


@dataclass(frozen=True)
class Blocking:
    """Start jobs in their order until one does not fit."""

    def serve(self, board: Board) -> None:
        """Start the longest prefix of the queue that fits."""
        for row in board.rows():
            if not board.start(row):
                return
