"""The interface of a backfilling: the reservation of a job that does not fit, and the jobs that may overtake it."""

from typing import Protocol

from loadmaster.backfilling.scheduling_pass import SchedulingPass


class Backfilling(Protocol):
    """A frozen dataclass of its parameters with one method; `SchedulingPass` has all that it may do in a pass.

    A built-in class may have `forgets = True`: every pass starts without the reservations of earlier ones; and
    `compares_moments = True`: a run on hosts of one speed is a run of shorter jobs on hosts of speed 1.
    """

    def serve(self, this_pass: SchedulingPass) -> None:
        """Start jobs through a scheduling pass, and make reservations for others."""
        ...
