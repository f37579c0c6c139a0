"""Selective backfilling: only jobs that have waited long for their length get a reservation."""

from dataclasses import dataclass

from loadmaster.backfilling.scheduling_pass import SchedulingPass


@dataclass(frozen=True)
class Selective:
    """Make a reservation for blocked jobs whose expansion factor has reached a bound (rule Q17).

    Srinivasan, Kettimuthu, Subramani and Sadayappan 2002, "Selective reservation strategies for backfill job
    scheduling". The expansion factor is (wait + expected runtime) / expected runtime; shortest counted runtime 1 s.

    Differs from the paper: reservations are made again at every decision, and the bound is given, not learnt.

    Attributes:
        expansion: from this factor on a job gets a reservation; 1 gives one to all jobs, as `stepwise(depth=all)`.
    """

    expansion: float = 2.0
    forgets = True

    def serve(self, this_pass: SchedulingPass) -> None:
        """Start jobs that fit beside the reservations, and make one for each job that has waited enough."""
        since_s = this_pass.snapshot.queue.eligible_s
        for row in this_pass.rows():
            if this_pass.start(row):
                continue
            expected_s = max(this_pass.expected_s(row), 1.0)
            waited_s = 0.0 if since_s is None else this_pass.now_s - float(since_s[row])
            if waited_s + expected_s >= self.expansion * expected_s:
                this_pass.promise(row)
