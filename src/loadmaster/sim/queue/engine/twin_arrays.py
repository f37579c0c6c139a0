"""A twin as the compiled engine takes it: the rules of its members, and the arrays for its look-ahead runs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model import Cluster, Workload
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler, Twin
from loadmaster.sim.queue.capabilities import MEMBERS, backfilling_kind_of
from loadmaster.sim.queue.engine.arrays import engine_arrays
from loadmaster.sim.queue.engine.queue_engine import QueueEngine
from loadmaster.sim.queue.engine.records import Records
from loadmaster.sim.queue.engine.state import QueueRules
from loadmaster.sim.queue.queue_run import QueueRun


class TwinArrays(NamedTuple):
    """A twin of M members.

    Attributes:
        look: the arrays of a look-ahead run; its jobs run as long as they are expected to.
        rules: of each member; the first fills unused places.
        counts: float64[M], the weight of the mean wait under each member.
        every_s: seconds from look to look.
        due_s: float64[1], the next look.
        member: int64[1], the member that is followed, -1 before the first look.
        waits: int32[J], the jobs that wait at a look, by number.
        started: int64[M], how many of them ever start under each member; wait_s: float64[M], their waits in all.
    """

    look: QueueEngine
    rules: tuple[QueueRules, ...]
    counts: NDArray[np.float64]
    every_s: float
    due_s: NDArray[np.float64]
    member: NDArray[np.int64]
    waits: NDArray[np.int32]
    started: NDArray[np.int64]
    wait_s: NDArray[np.float64]


def twin_of(twin: Twin, engine: QueueEngine, workload: Workload, cluster: Cluster, policy: AnyPolicy) -> TwinArrays:
    """The twin at the beginning of a run of `engine`."""
    rules = tuple(_rules_of(member, engine.rules) for member in twin.members)
    return TwinArrays(
        look=_look_of(twin, engine, workload, cluster, policy),
        rules=rules + rules[:1] * (MEMBERS - len(rules)),
        counts=np.array(twin.counts),
        every_s=float(twin.every_s),
        due_s=np.full(1, -np.inf),
        member=np.full(1, -1),
        waits=np.zeros(workload.jobs, np.int32),
        started=np.zeros(len(rules), np.int64),
        wait_s=np.zeros(len(rules)),
    )


def _rules_of(member: Discipline, rules: QueueRules) -> QueueRules:
    """The rules of a run with the backfilling of a member."""
    kind, reservations, lookahead, shortest = backfilling_kind_of(member)
    return rules._replace(backfilling=kind, reservations=reservations, lookahead=lookahead, shortest=shortest)


def _look_of(twin: Twin, engine: QueueEngine, workload: Workload, cluster: Cluster, policy: AnyPolicy) -> QueueEngine:
    """Separate arrays for looks, which name no hosts of a pool."""
    run = QueueRun(workload, cluster, Scheduler(policy, twin), seed=engine.rules.seed)
    look, _ = engine_arrays(run, Records(workload, tuple(member.name for member in twin.members)))
    pool = engine.state.pool
    return look._replace(
        jobs=look.jobs._replace(runtime_s=look.jobs.expected_s),
        state=look.state._replace(pool=pool._replace(many=pool.many[:0])),
    )
