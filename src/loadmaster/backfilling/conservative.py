"""Conservative backfilling: every waiting job has a place in a plan, nobody starts at the cost of one before it."""

from dataclasses import dataclass

from loadmaster.backfilling.board import Board


@dataclass(frozen=True)
class Conservative:
    """Conservative backfilling (Mu'alem and Feitelson 2001, section 2).

    Every pass plans the waiting jobs anew, in their order. A job gets the first moment at which all its
    tasks fit for its whole expected runtime beside all that was planned before it, on the hosts that the placement
    policy picks among those that can hold it so long; the policy sees the least that a host has free in that time.
    Jobs whose moment is now start. Planning anew closes the holes that early ends leave ("compression").
    A task that has outlived its estimate is expected to end right after now.

    Differs from the paper: the paper keeps the plan and moves jobs forward in it when one ends early. Planned anew,
    a job may get another host than before, and where hosts differ somebody behind it may start later than was planned
    at its arrival. With first-fit, or a single host, and exact estimates, nobody does.

    Attributes:
        lookahead: at most so many waiting jobs are planned, the first in the queue (Slurm's
            `bf_max_job_test`); None for all.
    """

    lookahead: int | None = None

    def serve(self, board: Board) -> None:
        """Plan the queue, start whose time has come."""
        for tried, row in enumerate(board.rows()):
            if self.lookahead is not None and tried >= self.lookahead:
                return
            if not board.start(row):
                board.promise(row)
