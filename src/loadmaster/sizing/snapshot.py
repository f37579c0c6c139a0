"""The input and the decision of a sizer. Simulator and real runner exchange nothing else with it."""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from loadmaster.model.arrays import Floats
from loadmaster.sizing.billing import HostType

Occasion = Literal["start", "completion", "tick", "change"]
"""Why a decision is requested now: the run begins, a task ended, time passed, or a machine came or was lost."""


class RentedHost(NamedTuple):
    """A machine that is being paid for.

    Attributes:
        host: its number, in the order of renting.
        type: index of its type in `BagSnapshot.types`.
        age_s: seconds since it was rented.
        ready: it has booted.
        task: the task it runs, -1 if it is idle.
        elapsed_s: seconds since that task started there; 0 if idle.
        first_task: it has run no other task before.
    """

    host: int
    type: int
    age_s: float
    ready: bool = True
    task: int = -1
    elapsed_s: float = 0.0
    first_task: bool = True

    @property
    def idle(self) -> bool:
        """Ready and without a task."""
        return self.ready and self.task < 0


@dataclass(frozen=True, eq=False)
class BagSnapshot:
    """A running bag at one moment, the same in a simulation and in a real run.

    Attributes:
        now_s: seconds since the run began.
        occasion: the reason for the decision.
        tasks: number of tasks of the bag, N.
        unstarted: tasks that wait for a machine, among them those whose machine was lost.
        finished_s: float64[F], seconds of work (at speed 1) of the finished tasks, in the order in which they ended.
        hosts: the machines being paid for, by number.
        types: what can be rented.
        spent: money charged for machines already given back.
        memory: the value that the sizer put into its last actions; 0 at the start.
    """

    now_s: float
    occasion: Occasion
    tasks: int
    unstarted: int
    finished_s: Floats
    hosts: tuple[RentedHost, ...]
    types: tuple[HostType, ...]
    spent: float = 0.0
    memory: float = 0.0

    @property
    def running(self) -> tuple[RentedHost, ...]:
        """The machines that run a task."""
        return tuple(host for host in self.hosts if host.task >= 0)


class Rental(NamedTuple):
    """Rent `number` machines of a type."""

    type: int
    number: int


@dataclass(frozen=True)
class Actions:
    """The decision of a sizer.

    Attributes:
        rent: machines to rent now.
        release: numbers of machines to give back now; a task running on one is run again elsewhere.
        replicate: tasks to start a second time, on idle machines; the copy that ends first counts.
        memory: handed back in the next snapshot.
        wake_s: decide again at this time at the latest, on the clock of `BagSnapshot.now_s`.
    """

    rent: tuple[Rental, ...] = ()
    release: tuple[int, ...] = ()
    replicate: tuple[int, ...] = ()
    memory: float = 0.0
    wake_s: float = math.inf

    @property
    def rented(self) -> int:
        """How many machines are to be rented."""
        return sum(rent.number for rent in self.rent)


class Sizer(Protocol):
    """Decides how many machines to rent: pure, same snapshot, same actions."""

    @property
    def name(self) -> str:
        """As in `loadmaster policies`."""

    @property
    def tick_s(self) -> float:
        """Seconds between decisions that no other event requests; infinite for none."""

    def decide(self, snapshot: BagSnapshot) -> Actions:
        """What to rent, give back and repeat now."""
