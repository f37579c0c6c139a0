"""Stepwise backfilling, between EASY and conservative: in each pass the first blocked jobs get reservations."""

from dataclasses import dataclass

from loadmaster.backfilling.counting import PromiseOn
from loadmaster.backfilling.easy import Easy
from loadmaster.backfilling.positive_count import refuse_none
from loadmaster.backfilling.scheduling_pass import SchedulingPass


@dataclass(frozen=True)
class Stepwise:
    """Make a reservation for the first `depth` jobs that do not fit; others start if they delay none (rule Q12).

    With a depth of 1 this is EASY with one head in the whole cluster. With a reservation for every job it is
    conservative backfilling that makes a new plan in each pass. Other schedulers call it a reservation depth.

    Attributes:
        depth: how many jobs of the whole queue get a reservation; None for all.
        promise: on what reservations are made, as with EASY.
    """

    depth: int | None = 10
    promise: PromiseOn = "auto"
    forgets = compares_moments = True

    def __post_init__(self) -> None:
        refuse_none("depth", self.depth, "skip promises nothing")

    def serve(self, this_pass: SchedulingPass) -> None:
        """Start jobs that fit beside the reservations, and make one for each of the first that do not."""
        heads = len(this_pass.snapshot.queue) + 1 if self.depth is None else self.depth
        Easy(heads, "cluster", promise=self.promise).serve(this_pass)
