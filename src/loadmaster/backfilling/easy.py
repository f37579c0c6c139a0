"""EASY backfilling: jobs behind a blocked head start early as long as the head is not held up."""

from collections import Counter
from dataclasses import dataclass

from loadmaster.backfilling.board import Board


@dataclass(frozen=True)
class Easy:
    """EASY: aggressive backfilling (Lifka 1995; Mu'alem and Feitelson 2001, section 2).

    Jobs start in their order; the first that does not fit, the head, is promised the first moment at which all its
    tasks fit if running tasks end when expected. Later jobs start if they fit and delay no promise. Promises are made
    anew in every pass. A task that has outlived its estimate is expected to end right after now.

    A single head of each partition is promised a moment, not hosts (rule Q6): whoever leaves enough hosts at that
    moment may start. More heads are promised hosts, unless counting hosts is exact.

    Attributes:
        heads: jobs of each partition that are promised something.
    """

    heads: int = 1

    def serve(self, board: Board) -> None:
        """Start what fits beside the promises, promise the first that do not."""
        promised: Counter[int] = Counter()
        for row in board.rows():
            if board.start(row):
                continue
            partition = board.partition(row)
            if promised[partition] < self.heads:
                promised[partition] += 1
                board.promise(row, moment=self.heads == 1)
