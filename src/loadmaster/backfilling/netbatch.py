"""The NetBatch cycle: walk the queue, start jobs that fit, reserve a host for each other job (Shai 2014, section 3)."""

from dataclasses import dataclass

from loadmaster.backfilling.positive_count import refuse_none
from loadmaster.backfilling.scheduling_pass import SchedulingPass


@dataclass(frozen=True)
class NetBatch:
    """Start each job that finds an unreserved host; reserved hosts take no further job in this cycle (rule Q2).

    Attributes:
        reservations: how many jobs get a reservation in a cycle at most; None for no limit, 0 for none.
        lookahead: how many waiting jobs are tried in a cycle at most; None for all.
    """

    reservations: int | None = None
    lookahead: int | None = None
    forgets = compares_moments = True

    def __post_init__(self) -> None:
        refuse_none("lookahead", self.lookahead, "with 0 no job would ever start")

    @property
    def most_tried(self) -> int | None:
        """The number of waiting jobs that a pass tries; None for all."""
        return self.lookahead

    def serve(self, this_pass: SchedulingPass) -> None:
        """Walk the queue."""
        kept = 0
        for tried, row in enumerate(this_pass.rows()):
            if this_pass.exhausted or (self.lookahead is not None and tried >= self.lookahead):
                return
            if not this_pass.start(row) and (self.reservations is None or kept < self.reservations):
                this_pass.reserve(row)
                kept += 1
