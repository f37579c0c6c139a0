"""On how many hosts the tasks of a job may lie, and whether hosts with so much room can take them (rule C9)."""

from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Floats


class HostsAsked(NamedTuple):
    """What one job requests of the number of its hosts.

    Attributes:
        tasks: of the job, all alike.
        least: hosts that it takes at least, each with a task or more; 0 and 1 request nothing.
        most: hosts that it takes at most; 0 for any number.

    Example:
        >>> apart = HostsAsked(tasks=2, least=2)
        >>> apart.fit(np.array([8.0, 0.0])), apart.fit(np.array([1.0, 1.0]))
        (False, True)
    """

    tasks: int
    least: int = 0
    most: int = 0

    @property
    def binds(self) -> bool:
        """Whether it is more than room for all tasks that counts."""
        return self.least > 1 or 0 < self.most < self.tasks

    def fit(self, held: Floats) -> bool:
        """Whether hosts that hold `held` float64[H] of the tasks, each for itself, can take all of them.

        So it is if the roomiest of the hosts, as many as are allowed, have room for all: more hosts hold more, and a
        job has a task for each of them.
        """
        at_most = min(self.most or self.tasks, self.tasks)
        if not self.binds:
            return bool(np.minimum(held, self.tasks).sum() >= self.tasks)
        roomiest = -np.sort(-held[held >= 1.0])[:at_most]
        return len(roomiest) >= self.least and bool(np.minimum(roomiest, self.tasks).sum() >= self.tasks)

    def ways_on(self, held: Floats, used: Bools, placed: int) -> Bools:
        """bool[H]: hosts that the next task may take so that the others can follow.

        Args:
            held: float64[H], tasks that each host holds still; 0 for those that must not be used.
            used: bool[H], hosts that have tasks of the job already.
            placed: how many tasks have a host already.
        """
        left, on_used = self.tasks - placed - 1, float(np.minimum(held[used], self.tasks).sum())
        may = held >= 1.0
        if used[may].any():
            may[used & may] = self._follow(on_used - 1.0, held[~used], left, int(used.sum()))
        for amount in np.unique(held[may & ~used]):  # hosts with equal room are alike
            fresh = held[~used]
            rest = np.delete(fresh, int(np.argmax(fresh == amount)))
            on_it = min(amount - 1.0, self.tasks)
            may[~used & (held == amount)] = self._follow(on_used + on_it, rest, left, int(used.sum()) + 1)
        return may

    def _follow(self, on_used: float, fresh: Floats, left: int, taken: int) -> bool:
        """Whether `left` tasks can follow where the hosts `taken` hold `on_used` more, and `fresh` are others."""
        able = -np.sort(-fresh[fresh >= 1.0])
        more = min((self.most or self.tasks) - taken, left, len(able))
        if more < 0 or taken + more < self.least:
            return False
        return on_used + float(np.minimum(able[:more], self.tasks).sum()) >= left
