"""Rules of a site that blocked a waiting job: hosts that it may not use, and limits that were reached."""

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from loadmaster.measure.check_limits import time_spans
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.licences import BURST_BUFFER, show_amount
from loadmaster.model.limits import LIMIT_KINDS
from loadmaster.runs.open_dependencies import open_dependencies
from loadmaster.runs.record import Record
from loadmaster.scheduling.power_cap import POWER
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints, binds, resolve_constraints
from loadmaster.scheduling.running_limits import LICENCES, THROTTLE, Limit
from loadmaster.sim.queue.plain.limits import LimitsLeft


class BlockingRules:
    """The rules that bind one job of a record.

    Args:
        record: of the run.
        job: its number.
    """

    def __init__(self, record: Record, job: int) -> None:
        self._record, self._job = record, job

    @cached_property
    def _binding(self) -> ResolvedConstraints | None:
        workload, cluster = self._record.workload, self._record.case.cluster
        return resolve_constraints(workload, cluster) if binds(workload, cluster) else None

    @property
    def never(self) -> str:
        """Why it can never run here; empty if it may."""
        if self._binding is None or self._record.schedule.started[self._job]:
            return ""
        return self._binding.reasons[int(self._binding.never[self._job])]

    @cached_property
    def hosts(self) -> Bools:
        """bool[H]: where it may run."""
        allowed = np.zeros(self._record.case.cluster.hosts, bool)
        if self._binding is None:
            return ~allowed
        for entry in self._entries:
            allowed |= self._binding.entries.allowed[self._binding.entries.hosts[entry]]
        return allowed

    def awaits(self, now_s: float) -> str:
        """What it waited for in other jobs as the cycle began, in words; empty if that was nothing."""
        texts = (
            None if self._binding is None else open_dependencies(self._record, self._binding.waits, self._job, now_s)
        )
        return "" if texts is None else texts.past_words

    def limit(self, running: list[int], now_s: float) -> str:
        """The limit that was reached while these jobs ran, in words; empty if it had room below all."""
        if self._binding is None:
            return ""
        left = self._left(self._binding, running, now_s)
        reached = []
        for entry in self._entries:
            needs = self._binding.queue_columns(np.array([entry]))["uses"][0]
            limits = [(limit, amount) for limit, amount in needs if left[limit] < amount]
            if not limits:
                return ""
            reached.append(limits[0])
        if not reached:
            return ""
        counter, amount = reached[0]
        return self._words(counter, amount, float(left[counter]))

    def _left(self, binding: ResolvedConstraints, running: list[int], now_s: float) -> Floats:
        """What is left of every limit; under limits that time moves, jobs that have ended may count too."""
        if binding.timed:
            return self._history.until(now_s).left_at(now_s)
        allowance = LimitsLeft(binding)
        for job in running:
            allowance.start(job, self._partition(job), float(self._record.schedule.start_s[job]))
        return allowance.left_at(now_s)

    @cached_property
    def _history(self) -> "_History":
        assert self._binding is not None
        return _History(self._record, self._binding, self._partition)

    @cached_property
    def kept_words(self) -> str:
        """Why a job could not start that had a host, its licences and its power; empty if none of these is counted."""
        if self._binding is None or not self._entries:
            return ""
        uses = self._binding.counters.uses(self._entries[0])
        names = [
            self._binding.counters.limits[counter].resource
            for counter, _ in uses
            if counter < self._binding.cluster_wide
        ]
        return f"a host and enough of {', '.join(names)} were free, but kept for other jobs" if names else ""

    @property
    def _entries(self) -> list[int]:
        assert self._binding is not None
        return self._binding.entries.open_to(np.array([self._job])).tolist()  # type: ignore[no-any-return]

    def _partition(self, job: int) -> int:
        """In which it runs: the first that it names with those hosts."""
        assert self._binding is not None
        entries, workload = self._binding.entries, self._record.workload
        hosts = self._record.schedule.host[int(workload.first_task[job]) : int(workload.first_task[job + 1])]
        rows = range(int(entries.first[job]), int(entries.first[job + 1]))
        fit = [row for row in rows if entries.allowed[entries.hosts[row], hosts].all()]
        return int(entries.partition[fit[0] if fit else rows[0]])

    def _words(self, counter: int, amount: float, left: float) -> str:
        assert self._binding is not None
        counters = self._binding.counters
        timed = counter - len(counters.most)
        for limits in self._binding.timed.values() if timed >= 0 else ():
            if timed < len(limits.most):
                return limits.words(timed)
            timed -= len(limits.most)
        if counters.limits[counter].kind == LICENCES:
            return _licence(counters.limits[counter].resource, amount, left, float(counters.most[counter]))
        if counters.limits[counter].kind == POWER:
            return f"power cap: it is expected to draw {amount:,.4g} W, and {max(left, 0.0):,.4g} W were left"
        return _limit_reached(counters.limits[counter], float(counters.most[counter]))


class _History:
    """Counts the starts and ends of a record against its limits, up to one moment after another."""

    def __init__(self, record: Record, binding: ResolvedConstraints, partition: Callable[[int], int]) -> None:
        self._binding, self._partition = binding, partition
        spans = [span for span in time_spans(record.workload, record.schedule) if span[1] < span[2]]
        events = [(start_s, True, job) for job, start_s, _ in spans] + [(end_s, False, job) for job, _, end_s in spans]
        self._events = sorted(events)
        self._begin()

    def _begin(self) -> None:
        self._allowance, self._next, self._at_s = LimitsLeft(self._binding), 0, -math.inf

    def until(self, now_s: float) -> LimitsLeft:
        """As of the ends up to `now_s` and the starts before it."""
        if now_s < self._at_s:
            self._begin()
        self._at_s = now_s
        while self._next < len(self._events) and self._events[self._next] < (now_s, True):
            time_s, starts, job = self._events[self._next]
            self._next += 1
            if starts:
                self._allowance.start(job, self._partition(job), time_s)
            else:
                self._allowance.stop(job, time_s)
        return self._allowance


def _licence(name: str, amount: float, left: float, total: float) -> str:
    asks, free, all_ = (show_amount(name, each) for each in (amount, left, total))
    if name.startswith(BURST_BUFFER):
        return f"burst buffer {name.removeprefix(BURST_BUFFER)}: it requests {asks}, and {free} of {all_} were free"
    return f"licence {name}: it requests {asks}, and {free} of {all_} were free"


def _limit_reached(limit: Limit, most: float) -> str:
    if limit.kind == THROTTLE:
        return f"as many tasks of its array ran as may at once: {most:g}"
    what = LIMIT_KINDS[limit.kind].words.format(limit.resource)
    return f"a limit was reached: {most:g} {what} at once ({limit.scope})"
