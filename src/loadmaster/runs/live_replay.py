"""Replays a recorded run decision by decision, for details that its record does not hold."""

from collections.abc import Callable

import numpy as np

from loadmaster.backfilling import Slurm
from loadmaster.model import Decision, InputError, Snapshot
from loadmaster.runs.record import LIVE, Record
from loadmaster.runs.setting import discipline_of, policy_of
from loadmaster.scheduling import Discipline, Scheduler
from loadmaster.sim.queue.reference import Replay

MOST_REPLAYED = 20_000
"""Jobs that have arrived by then; the plain engine lives through a run in seconds to minutes."""


def may_be_replayed(record: Record, until_s: float) -> bool:
    """Whether the run up to then is a simulated one and not too long."""
    if record.workload.source == LIVE:
        return False
    return int(np.searchsorted(record.workload.submit_s, until_s)) <= MOST_REPLAYED


def live_state_until(record: Record, job: int) -> Snapshot:
    """What the scheduler saw in the pass that started `job`, promises and clocks included.

    Raises:
        InputError: the job does not start then any more.
    """
    start_s, seen = float(record.schedule.start_s[job]), list[Snapshot]()

    def watch(snapshot: Snapshot, decision: Decision) -> None:
        # A look at what room there would be without others, before preemption, is followed by the decision itself.
        if snapshot.now_s == start_s and any(place.job == job for place in decision.place):
            seen.append(snapshot)

    _live(record, start_s, watch)
    if not seen:
        rule = f"this job no longer starts at {start_s:g} s when its run is made again"
        raise InputError(record.workload.id_of(job), rule, fix="simulate --again compares all of it")
    return seen[-1]


def slurm_of(record: Record) -> Slurm | None:
    """Slurm's loops, if the run's queue was served by them: there is not a pass in every cycle."""
    discipline = discipline_of(record.setting, record.sources)
    if type(discipline) is not Discipline or type(discipline.backfilling) is not Slurm:
        return None
    return discipline.backfilling


def without_a_pass(record: Record, loops: Slurm, until_s: float) -> set[float]:
    """The cycles up to `until_s` in which none of Slurm's loops was due, so that no job was tried."""
    passed, idle = set[float](), set[float]()

    def watch(snapshot: Snapshot, decision: Decision) -> None:
        due = loops.due(snapshot).next_s <= snapshot.now_s
        (passed if due else idle).add(snapshot.now_s)

    _live(record, until_s, watch)
    return idle - passed


def _live(record: Record, until_s: float, watch: Callable[[Snapshot, Decision], None]) -> None:
    """Live through the run up to `until_s`; `watch` is told of every decision, and of what it saw."""
    setting, witness = record.setting, _ObservedScheduler(record, watch)
    engine = Replay(
        record.workload, record.case.cluster, witness, setting.interval_s, setting.seed, record.estimate_model
    )
    while engine.now_s < until_s and engine.step():
        pass


class _ObservedScheduler:
    """The scheduler of the run, watched as it decides."""

    def __init__(self, record: Record, watch: Callable[[Snapshot, Decision], None]) -> None:
        self.discipline = discipline_of(record.setting, record.sources)
        self._scheduler = Scheduler(policy_of(record.setting, record.sources), self.discipline)
        self._watch = watch

    def decide(self, snapshot: Snapshot) -> Decision:
        """What the scheduler decides."""
        decision = self._scheduler.decide(snapshot)
        self._watch(snapshot, decision)
        return decision
