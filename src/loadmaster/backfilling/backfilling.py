"""What a backfilling is: what a job that does not fit keeps for itself, and who may overtake it."""

from typing import Protocol

from loadmaster.backfilling.scheduling_pass import Board


class Backfilling(Protocol):
    """A frozen dataclass of its parameters with one method over a board; see `Board` for all that one can do."""

    def serve(self, board: Board) -> None:
        """Start jobs on the board, and promise or reserve hosts for others."""
        ...
