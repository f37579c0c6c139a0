"""Conservative backfilling: each waiting job has a reservation, and no job starts at the cost of one before it."""

from dataclasses import dataclass, replace
from typing import Literal

from loadmaster.backfilling.counting import PromiseOn
from loadmaster.backfilling.positive_count import refuse_none
from loadmaster.backfilling.scheduling_pass import SchedulingPass
from loadmaster.model.errors import InputError

EarlyEnd = Literal["arrival", "replan", "start", "now", "kept"]


@dataclass(frozen=True)
class Conservative:
    """Conservative backfilling (Mu'alem and Feitelson 2001, section 2; rule Q7).

    When a job arrives, it gets a reservation (a promise): the first moment at which all its tasks fit for its whole
    expected runtime beside all other reservations. Reservations stand, and the job starts when its moment comes.
    `early_end` says what happens to them when a job ends earlier than expected.

    Attributes:
        early_end: `arrival`: each reservation in turn, in the order of arrival, moves to the first moment that is free,
            if that is sooner. `start`: the same in the order of the reserved moments. `now`: in the order of arrival, a
            job starts at once if it fits beside all other reservations; nothing else moves. `kept`: nothing moves.
            `replan`: every pass makes all reservations again, in their order; only this rule can break one. None:
            `arrival` behind first come, first served, `replan` behind any other order.
        lookahead: how many waiting jobs get a reservation at most, the first in the queue; None for all.
        promise: on what reservations are made, a count of hosts wherever that is exact, or hosts (rule Q11).
    """

    early_end: EarlyEnd | None = None
    lookahead: int | None = None
    promise: PromiseOn = "auto"
    compares_moments = True

    def __post_init__(self) -> None:
        refuse_none("lookahead", self.lookahead, "with 0 no job would ever start")

    @property
    def most_tried(self) -> int | None:
        """The number of waiting jobs that a pass tries; None for all."""
        return self.lookahead

    def behind(self, *, arrival: bool) -> "Conservative":
        """The same with the `early_end` that goes with an order: that of arrival or another.

        Raises:
            InputError: reservations are to stand in another order.
        """
        if self.early_end is None:
            return replace(self, early_end="arrival" if arrival else "replan")
        if not arrival and self.early_end != "replan":
            rule = "promises are made in the order of arrival, so they stand behind fcfs alone"
            raise InputError(f"early_end={self.early_end}", rule, fix="early_end=replan goes with any order")
        return self

    def serve(self, this_pass: SchedulingPass) -> None:
        """Make a reservation for each job without one, and start the jobs whose moment has come."""
        this_pass.promise_on = self.promise
        if self.early_end != "replan":
            self._move(this_pass)
        for tried, row in enumerate(this_pass.rows()):
            if self.lookahead is not None and tried >= self.lookahead:
                break
            if row in this_pass.promised:
                if this_pass.promised[row].start_s <= this_pass.now_s:
                    this_pass.begin(row)
            elif not this_pass.start(row):
                this_pass.promise(row)
        if self.early_end != "replan":
            self._begin_passed_over(this_pass)
            this_pass.keep_promises()

    def _begin_passed_over(self, this_pass: SchedulingPass) -> None:
        """Start due jobs although tasks of their array, or too many jobs, stand in front by now.

        Otherwise such a reservation would hold its hosts for ever, and block the very jobs that it waits for.
        """
        this_pass.reopen()
        for row in this_pass.rows(whole_arrays=True):
            if row in this_pass.promised and this_pass.promised[row].start_s <= this_pass.now_s:
                this_pass.begin(row)

    def _move(self, this_pass: SchedulingPass) -> None:
        """Renew the reservations of earlier passes; move those forward that may move."""
        standing = this_pass.renew_promises()
        if self.early_end == "now":
            for row in standing:
                this_pass.advance_promise(row, only_now=True)
        elif self.early_end != "kept" and this_pass.snapshot.early_end:
            if self.early_end == "start":
                standing.sort(key=lambda row: this_pass.promised[row].start_s)
            for row in standing:
                this_pass.advance_promise(row)
