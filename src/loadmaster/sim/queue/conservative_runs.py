"""What the engines of conservative backfilling share: whom they serve, and the loop around them."""

from typing import Protocol

from loadmaster.backfilling import Conservative
from loadmaster.compiled import refusing
from loadmaster.model import Schedule
from loadmaster.model.errors import OutOfRoom
from loadmaster.place import Policy
from loadmaster.place.policy import not_finite
from loadmaster.schedule import AnyPolicy, Discipline
from loadmaster.sim.queue.queue_state import DONE, NOT_FINITE, OUT_OF_ROOM, Log
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.served import Progress, by_arrival
from loadmaster.sim.queue.starts_kernel import MORE_ROOM


def conservative_of(policy: AnyPolicy, discipline: Discipline) -> Conservative | None:
    """The backfilling if it is conservative by arrival, and the policy a single one without methods of its own."""
    backfilling = discipline.backfilling
    exact = type(backfilling) is Conservative and by_arrival(discipline) and type(policy) is Policy
    return backfilling if exact and isinstance(backfilling, Conservative) else None


class EngineRun(Protocol):
    """One run of an engine over arrays of its own."""

    @property
    def started(self) -> int:
        """Jobs that have started."""
        ...

    def go_on(self) -> int:
        """Until something has to be looked at; what, as a number."""
        ...

    def make_room(self) -> None:
        """Give the plan room for more steps."""
        ...


def replayed(
    run: EngineRun, policy: Policy, records: Records, log: Log, jobs: int, progress: Progress | None
) -> Schedule:
    """Let `run` go on until all is done.

    Raises:
        InputError: the policy cannot be compiled, or rates a host with something that is not a finite number.
    """
    while True:
        with refusing(policy):
            status = run.go_on()
        records.keep(int(log.rows[0]))
        if status == NOT_FINITE:
            raise not_finite(policy.name)
        if status == OUT_OF_ROOM:
            raise OutOfRoom
        if status == MORE_ROOM:
            run.make_room()
        if progress is not None:
            progress(run.started, jobs)
        if status == DONE:
            return records.schedule()
