"""EASY backfilling: jobs behind a blocked head start early as long as they do not delay the head."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from loadmaster.backfilling.counting import PromiseOn
from loadmaster.backfilling.positive_count import refuse_none
from loadmaster.backfilling.scheduling_pass import SchedulingPass


@dataclass(frozen=True)
class Easy:
    """EASY: aggressive backfilling (Lifka 1995; Mu'alem and Feitelson 2001, section 2; rule Q5).

    Jobs start in their order. The first job that does not fit is the head. It gets a reservation (a promise): the first
    moment at which all its tasks fit if running tasks end when expected. Later jobs start if they fit and delay no
    reservation. Each pass makes its own reservations. A task that has outlived its estimate is expected to end right
    after now.

    The reservation of a single head is a moment, not hosts (rule Q6): a job may start if it leaves enough hosts at that
    moment. Heads that could use the same hosts reserve hosts, unless counting hosts is exact.

    Attributes:
        heads: how many jobs get a reservation.
        heads_of: they are counted in each partition, or in the whole cluster.
        fill: jobs behind the heads are tried in their order, or shortest expected runtime first: EASY++ (Tsafrir,
            Etsion and Feitelson 2007).
        promise: on what reservations are made, a moment or a count of hosts wherever that is exact, or hosts (rule
            Q11).
    """

    heads: int = 1
    heads_of: Literal["partition", "cluster"] = "partition"
    fill: Literal["order", "shortest"] = "order"
    promise: PromiseOn = "auto"
    forgets = compares_moments = True

    def __post_init__(self) -> None:
        refuse_none("heads", self.heads, "skip promises nothing")

    def serve(self, this_pass: SchedulingPass) -> None:
        """Start jobs that fit beside the reservations, and make one for each head."""
        this_pass.promise_on = self.promise
        promised: Counter[int] = Counter()
        for row in this_pass.rows():
            part = this_pass.partition(row) if self.heads_of == "partition" else 0
            if self.fill == "shortest" and promised[part] >= self.heads:
                this_pass.put_off(row)
            elif not this_pass.start(row) and promised[part] < self.heads:
                promised[part] += 1
                this_pass.promise(row, moment=self.heads == 1)
        for row in this_pass.shortest_first():
            this_pass.start(row)
