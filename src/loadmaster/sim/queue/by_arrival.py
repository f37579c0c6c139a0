"""A scheduler that is shown jobs by their place in the order of arrival, which no number tells beforehand."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.schedule import Discipline
from loadmaster.sim.queue.scheduler_like import SchedulerLike

if TYPE_CHECKING:
    from loadmaster.sim.queue.arrivals import Arrivals


@dataclass(frozen=True)
class ByArrival:
    """Ties go by arrival, and schedulers break them by the number of a job (rule Q1): so that is what they are shown.

    Attributes:
        scheduler: who decides.
        arrivals: tell the places.
    """

    scheduler: SchedulerLike
    arrivals: "Arrivals"

    @property
    def discipline(self) -> Discipline:
        """As it is."""
        return self.scheduler.discipline

    def decide(self, snapshot: Snapshot) -> Decision:
        """What to start now."""
        place, queue, running = self.arrivals.place, snapshot.queue, snapshot.running
        number = {int(place[job]): int(job) for job in (*queue.job, *snapshot.promises)}
        decision = self.scheduler.decide(replace(
            snapshot, queue=replace(queue, job=place[queue.job], first_task=self.arrivals.first_task[queue.job]),
            running=replace(running, job=place[running.job]),
            promises={int(place[job]): promise for job, promise in snapshot.promises.items()},
        ))  # fmt: skip
        return replace(
            decision, place=tuple(start._replace(job=number[start.job]) for start in decision.place),
            promises={number[job]: promise for job, promise in decision.promises.items()},
        )  # fmt: skip
