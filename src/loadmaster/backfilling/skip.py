"""Skip: each job that fits starts. A job that does not fit gets no reservation, so a large job may starve."""

from dataclasses import dataclass

from loadmaster.backfilling.scheduling_pass import SchedulingPass


@dataclass(frozen=True)
class Skip:
    """Start every job that fits now, in their order."""

    forgets = compares_moments = True

    def serve(self, this_pass: SchedulingPass) -> None:
        """Start each job that fits."""
        for row in this_pass.rows():
            this_pass.start(row)
