"""What a decision sees, and what it asks for. Simulator and live adapters exchange nothing else."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.cluster import Cluster


@dataclass(frozen=True, eq=False)
class Queue:
    """Q waiting jobs in the order of their arrival.

    Attributes:
        job: int64[Q], the job's number in its workload.
        demand: float64[Q, R], what one task asks for.
        tasks: int32[Q].
        expected_s: float64[Q], the runtime a scheduler may count on.
        project: int32[Q].
        first_task: int64[Q], the number of the job's first task in its workload.
    """

    job: Longs
    demand: Floats
    tasks: Ints
    expected_s: Floats
    project: Ints
    first_task: Longs

    def __len__(self) -> int:
        return int(self.job.shape[0])


@dataclass(frozen=True, eq=False)
class Running:
    """N running tasks in the order in which they were started.

    Attributes:
        job: int64[N].
        host: int32[N].
        demand: float64[N, R].
        expected_end_s: float64[N], the start plus the expected runtime; may lie in the past.
        project: int32[N].
    """

    job: Longs
    host: Ints
    demand: Floats
    expected_end_s: Floats
    project: Ints


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The cluster as a scheduler sees it at one moment.

    Attributes:
        now_s: the clock.
        free: float64[H, R], what is left of every host.
        last_host: the host that got the last task, -1 before the first.
    """

    now_s: float
    cluster: Cluster
    free: Floats
    queue: Queue
    running: Running
    last_host: int = -1
    seed: int = 0


class Place(NamedTuple):
    """Start `job` now, task k on hosts[k]."""

    job: int
    hosts: tuple[int, ...]


@dataclass(frozen=True)
class Decision:
    """What a decision asks for.

    Attributes:
        place: jobs to start now, in order.
        reserved: hosts kept free for waiting jobs until the next decision.
        last_host: the host that got the last task.
        winners: bit m is set if member m of a meta-policy won or tied.
    """

    place: tuple[Place, ...] = ()
    reserved: tuple[int, ...] = ()
    last_host: int = -1
    winners: int = 0
    target: float = field(default=0.0, compare=False)


Decide = Callable[[Snapshot], Decision]
"""The one contract between policies and engines, simulated or live: pure, same snapshot, same actions."""
