"""What a placement policy is: a function that rates one host for one task."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from loadmaster.model.arrays import Floats

Score = Callable[..., float]
"""`score(demand, free, capacity)` or `score(demand, free, capacity, context)`: lower is better.

Called only for hosts that fit; all three arrays are float64[R]; ties go to the lower host index.
"""


class Context(NamedTuple):
    """All that a score may know beyond the task and the host.

    Attributes:
        host: index of the host being rated.
        hosts: number of hosts in the cluster.
        last_host: host that got the last task, -1 before the first.
        task: number of the task in its workload.
        seed: the run's seed.
    """

    host: int
    hosts: int
    last_host: int
    task: int
    seed: int


@dataclass(frozen=True)
class Policy:
    """A named placement policy.

    Attributes:
        name: as on the command line.
        score: the function.
        summary: one line for `loadmaster policies`.
        source: where it was published.
        contextual: the score takes a `Context` as fourth argument.
        varies: the score of an untouched host may differ from task to task, so it is never remembered.
    """

    name: str
    score: Score
    summary: str = ""
    source: str = ""
    contextual: bool = False
    varies: bool = False

    def rate(self, demand: Floats, free: Floats, capacity: Floats, context: Context) -> float:
        """The score as plain Python computes it."""
        if self.contextual:
            return float(self.score(demand, free, capacity, context))
        return float(self.score(demand, free, capacity))
