"""Fair share between projects: the project that lags most behind its share goes first (Shai 2014, section 1)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.order.netbatch import walk
from loadmaster.place import Policy


@dataclass(frozen=True)
class FairShare:
    """Serve next the first waiting job of the project with the smallest used cores / share (rule Q4).

    Attributes:
        shares: share of each project by its number; projects beyond the tuple have share 1.
        reservations: as in `NetBatch`: a lagging project is not starved by small jobs of others.
        lookahead: as in `NetBatch`.
    """

    shares: tuple[float, ...] = ()
    reservations: int | None = None
    lookahead: int | None = None

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Walk the queue in the order of need; starts in this cycle count as use at once."""
        queue, running = snapshot.queue, snapshot.running
        projects = 1 + max(int(queue.project.max(initial=0)), int(running.project.max(initial=0)))
        used = np.zeros(projects)
        np.add.at(used, running.project, running.demand[:, 0])

        def count(index: int) -> None:
            used[queue.project[index]] += queue.demand[index, 0] * queue.tasks[index]

        order = _by_need(queue.project, used, self.share_of(projects))
        return walk(snapshot, policy, order, self.reservations, self.lookahead, count)

    def share_of(self, projects: int) -> np.ndarray:
        """float64[projects]: the share of every project."""
        share = np.ones(projects)
        given = self.shares[:projects]
        share[: len(given)] = given
        return share


def _by_need(project: np.ndarray, used: np.ndarray, share: np.ndarray) -> Iterator[int]:
    # `used` changes while this generator is consumed: every step looks at it anew.
    waiting = [list(np.flatnonzero(project == p)[::-1]) for p in range(len(used))]
    while True:
        lagging = [p for p in range(len(used)) if waiting[p]]
        if not lagging:
            return
        neediest = min(lagging, key=lambda p: (used[p] / share[p], p))
        yield int(waiting[neediest].pop())
