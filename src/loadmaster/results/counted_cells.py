"""Counts the cells that are computed, so that a caller knows how many were not in the store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loadmaster.results.study import CellMaker, R, S, T, Work
from loadmaster.results.watch import Watch


@dataclass
class CountedCells:
    """Makes cells as `pool` does.

    Attributes:
        pool: runs the cells.
        made: how many it was given so far.
    """

    pool: CellMaker
    made: int = 0

    def __call__(self, work: Work[S, T, R], tasks: Sequence[T], watch: Watch) -> Iterator[tuple[int, bytes]]:
        """As `pool`."""
        self.made += len(tasks)
        yield from self.pool(work, tasks, watch)
