"""No backfilling: the first job that does not fit blocks all jobs behind it."""

from dataclasses import dataclass

from loadmaster.backfilling.scheduling_pass import SchedulingPass


@dataclass(frozen=True)
class Blocking:
    """Start jobs in their order until one does not fit."""

    forgets = compares_moments = True

    def serve(self, this_pass: SchedulingPass) -> None:
        """Start the longest prefix of the queue that fits."""
        for row in this_pass.rows():
            if not this_pass.start(row):
                return
