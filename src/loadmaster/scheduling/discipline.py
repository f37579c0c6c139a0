"""A discipline: an order and a backfilling together."""

import math
from dataclasses import dataclass, field

import numpy as np

from loadmaster.backfilling import Backfilling, Blocking, Conservative, NetBatch, SchedulingPass, Skip, states
from loadmaster.model.errors import InputError
from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.order import ORDERS, AnyOrder, FairShare
from loadmaster.place import Policy


@dataclass(frozen=True)
class Discipline:
    """Which job goes first, and which may overtake.

    Attributes:
        order: ranks the waiting jobs; its ranks stand in the snapshot.
        backfilling: the reservation of a job that does not fit.
        name: as on the command line.
        notes: sentences on what the name does not say: parameters chosen for this order, its origin of time, which jobs
            it may starve. Each is shown behind the names of all disciplines that it concerns.
    """

    order: AnyOrder
    backfilling: Backfilling
    name: str = ""
    notes: tuple[str, ...] = field(default=(), init=False, compare=False)

    def __post_init__(self) -> None:
        notes = [_ORIGIN] if any(self.order == ORDERS[name] for name in _FROM_THE_START) else []
        notes += [_STARVES] if type(self.backfilling) is Skip else []
        behind = getattr(self.backfilling, "behind", None)
        if behind is not None:
            fitted = behind(arrival=self.order == ORDERS["fcfs"])
            notes += [_ANEW] if fitted != self.backfilling and fitted.early_end == "replan" else []
            object.__setattr__(self, "backfilling", fitted)
        object.__setattr__(self, "notes", tuple(notes))

    @property
    def orders_blindly(self) -> bool:
        """Whether its order does not look at runtimes."""
        return type(self.order) is FairShare or any(self.order == ORDERS[name] for name in _BLIND_ORDERS)

    @property
    def looks_ahead(self) -> bool:
        """Whether expected runtimes may change what it does; for a user's own rules the answer is yes."""
        return not (self.orders_blindly and type(self.backfilling) in (Blocking, NetBatch, Skip))

    @property
    def remembers(self) -> bool:
        """Whether a pass may depend on reservations or times of earlier ones; for a user's own class, yes."""
        if type(self.backfilling) is Conservative:
            return self.backfilling.early_end != "replan"
        return not states(self.backfilling, "forgets")

    @property
    def most_tried(self) -> int | None:
        """The number of waiting jobs that every pass tries; beyond it some may not be tried. None: all are."""
        most: int | None = getattr(self.backfilling, "most_tried", None)
        return most

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Choose the jobs to start now; pure."""
        this_pass = SchedulingPass(snapshot, policy)
        try:
            self.backfilling.serve(this_pass)
        except InputError:
            raise
        except Exception as error:  # a user's class may fail in any way
            rule = f"this backfilling fails: {type(error).__name__}: {str(error)[:120]}"
            raise InputError(str(self), rule) from error
        if not _is_moment(this_pass.wake_s):
            rule = (
                f"`wake_s` of a pass is a moment in seconds, and this backfilling sets {str(this_pass.wake_s)[:40]!r}"
            )
            raise InputError(str(self), rule, fix="set min(this_pass.wake_s, the moment that you count on)")
        return this_pass.decision()

    def __str__(self) -> str:
        return self.name


def _is_moment(wake_s: object) -> bool:
    """Whether the user's class left a number in `wake_s`; infinity stands for never."""
    return isinstance(wake_s, (int, float, np.number)) and not math.isnan(wake_s)


_FROM_THE_START = ("f1", "f2", "f3", "f4")
"""Orders whose ranks change with the origin of time (rule O7)."""
_ORIGIN = (
    "Arrivals count from the first job that was read, so a part of a log is served differently from the whole log."
)
_STARVES = "No job has a reservation, so a large job may wait for as long as smaller jobs keep coming."
_ANEW = (
    "Every pass makes all reservations again (early_end=replan), because only fcfs keeps their order. A later pass may "
    "delay a reserved start."
)
_BLIND_ORDERS = ("fcfs", "priority", "smallest", "largest")
"""Orders that do not look at runtimes."""
