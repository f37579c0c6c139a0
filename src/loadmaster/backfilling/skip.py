"""Whoever fits starts: nothing is promised to those that do not, so a large job may starve."""

from dataclasses import dataclass

from loadmaster.backfilling.scheduling_pass import Board


@dataclass(frozen=True)
class Skip:
    """Start every job that fits now, in their order."""

    def serve(self, board: Board) -> None:
        """Start all that fits."""
        for row in board.rows():
            board.start(row)
