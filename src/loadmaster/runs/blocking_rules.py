"""Rules of a site that blocked a waiting job: hosts that it may not use, and limits that were reached."""

from functools import cached_property

import numpy as np

from loadmaster.model.arrays import Bools
from loadmaster.model.licences import BURST_BUFFER, show_amount
from loadmaster.runs.open_dependencies import open_dependencies
from loadmaster.runs.record import Record
from loadmaster.scheduling.power_cap import POWER
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints, binds, resolve_constraints
from loadmaster.scheduling.running_limits import LICENCES, Limit
from loadmaster.sim.queue.plain.limits import LimitsLeft

_AT_ONCE = {
    "max_jobs_pu": "jobs of one user", "max_jobs_pa": "jobs of one account", "grp_jobs": "jobs",
    "max_tres_pu": "{} of one user", "max_tres_pa": "{} of one account", "grp_tres": "{}", "throttle": "tasks",
}  # fmt: skip


class RulesInTheWay:
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
        allowance = LimitsLeft(self._binding)
        for job in running:
            allowance.start(job, self._partition(job), float(self._record.schedule.start_s[job]))
        left = allowance.left_at(now_s)
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
        if counter >= len(counters.most):
            return "a limit on work done was reached"
        if counters.limits[counter].kind == LICENCES:
            return _licence(counters.limits[counter].resource, amount, left, float(counters.most[counter]))
        if counters.limits[counter].kind == POWER:
            return f"power cap: it is expected to draw {amount:,.4g} W, and {max(left, 0.0):,.4g} W were left"
        return _said(counters.limits[counter], float(counters.most[counter]))


def _licence(name: str, amount: float, left: float, total: float) -> str:
    asks, free, all_ = (show_amount(name, each) for each in (amount, left, total))
    if name.startswith(BURST_BUFFER):
        return f"burst buffer {name.removeprefix(BURST_BUFFER)}: it asks for {asks}, and {free} of {all_} were free"
    return f"licence {name}: it asks for {asks}, and {free} of {all_} were free"


def _said(limit: Limit, most: float) -> str:
    if limit.kind == "throttle":
        return f"as many tasks of its array ran as may at once: {most:g}"
    what = _AT_ONCE[limit.kind].format(limit.resource)
    return f"a limit was reached: {most:g} {what} at once ({limit.scope})"
