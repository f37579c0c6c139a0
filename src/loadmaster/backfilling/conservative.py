"""Conservative backfilling: every waiting job has a promise, nobody starts at the cost of one before it."""

from dataclasses import dataclass, replace
from typing import Literal

from loadmaster.backfilling.positive_count import refuse_none
from loadmaster.backfilling.scheduling_pass import PromiseOn, SchedulingPass
from loadmaster.model.errors import InputError

EarlyEnd = Literal["arrival", "replan", "start", "now", "kept"]


@dataclass(frozen=True)
class Conservative:
    """Conservative backfilling (Mu'alem and Feitelson 2001, section 2; rule Q7).

    Every job is promised, as it arrives, the first moment at which all its tasks fit for its whole expected runtime
    beside all that is promised to others. Promises stand, and start when their moment comes. What becomes of them when
    a job ends before it was expected to is what `early_end` says.

    Attributes:
        early_end: `arrival`: each promise in turn, in the order of arrival, moves to the first moment that is free, if
            that is sooner. `start`: the same in the order of the promised moments. `now`: in the order of arrival, a
            job starts at once if it fits beside all other promises; nothing else moves. `kept`: nothing moves.
            `replan`: every pass promises all anew, in their order; the only one that can break a promise. None:
            `arrival` behind first come, first served, `replan` behind any other order.
        lookahead: at most so many waiting jobs are promised something, the first in the queue; None for all.
        promise: what promises are made on, a count of hosts wherever that is exact, or hosts (rule Q11).
    """

    early_end: EarlyEnd | None = None
    lookahead: int | None = None
    promise: PromiseOn = "auto"

    def __post_init__(self) -> None:
        refuse_none("lookahead", self.lookahead, "without any nobody would ever start")

    @property
    def most_tried(self) -> int | None:
        """So many waiting jobs are tried in a pass; None for all."""
        return self.lookahead

    def behind(self, *, arrival: bool) -> "Conservative":
        """With the `early_end` that goes with an order, which is that of arrival or another.

        Raises:
            InputError: promises are to stand in another order.
        """
        if self.early_end is None:
            return replace(self, early_end="arrival" if arrival else "replan")
        if not arrival and self.early_end != "replan":
            rule = "promises are made in the order of arrival, so they stand behind fcfs alone"
            raise InputError(f"early_end={self.early_end}", rule, fix="early_end=replan goes with any order")
        return self

    def serve(self, this_pass: SchedulingPass) -> None:
        """Promise what is not promised yet, start whose time has come."""
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
        """Start those whose time has come though others of their array, or too many jobs, stand in front by now.

        Else such a promise would hold its hosts for ever, and keep from them the very jobs that it waits for.
        """
        this_pass.reopen()
        for row in this_pass.rows(whole_arrays=True):
            if row in this_pass.promised and this_pass.promised[row].start_s <= this_pass.now_s:
                this_pass.begin(row)

    def _move(self, this_pass: SchedulingPass) -> None:
        """Renew the promises of earlier passes; move those forward that may move."""
        standing = this_pass.stand()
        if self.early_end == "now":
            for row in standing:
                this_pass.sooner(row, only_now=True)
        elif self.early_end != "kept" and this_pass.snapshot.early_end:
            if self.early_end == "start":
                standing.sort(key=lambda row: this_pass.promised[row].start_s)
            for row in standing:
                this_pass.sooner(row)
