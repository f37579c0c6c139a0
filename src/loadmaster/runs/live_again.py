"""A recorded run lived through once more, decision by decision, up to the one that started a job."""

from loadmaster.model import Decision, InputError, Snapshot
from loadmaster.runs.record import Record
from loadmaster.runs.setting import discipline_of, policy_of
from loadmaster.schedule import Scheduler
from loadmaster.sim.queue.reference import Replay


def lived_until(record: Record, job: int) -> Snapshot:
    """What the scheduler saw in the pass that started `job`, promises and clocks included.

    Raises:
        InputError: the job does not start then any more.
    """
    setting, start_s = record.setting, float(record.schedule.start_s[job])
    witness = _Witness(record, job)
    engine = Replay(
        record.workload, record.case.cluster, witness, setting.interval_s, setting.seed, record.foresight
    )  # fmt: skip
    while engine.now_s < start_s and engine.step():
        pass
    if witness.seen is None:
        rule = f"this job no longer starts at {start_s:g} s when its run is made again"
        raise InputError(record.workload.id_of(job), rule, fix="simulate --again compares all of it")
    return witness.seen


class _Witness:
    """The scheduler of the run, which keeps what it saw as it started one job."""

    def __init__(self, record: Record, job: int) -> None:
        self.discipline = discipline_of(record.setting, record.sources)
        self.seen: Snapshot | None = None
        self._scheduler = Scheduler(policy_of(record.setting, record.sources), self.discipline)
        self._job, self._start_s = job, float(record.schedule.start_s[job])

    def decide(self, snapshot: Snapshot) -> Decision:
        """What the scheduler decides."""
        decision = self._scheduler.decide(snapshot)
        # A look at what room there would be without others, before preemption, is followed by the decision itself.
        if snapshot.now_s == self._start_s and any(place.job == self._job for place in decision.place):
            self.seen = snapshot
        return decision
