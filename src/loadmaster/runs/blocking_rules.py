"""Rules of a site that blocked a waiting job: hosts that it may not use, and limits that were reached."""

from functools import cached_property

import numpy as np

from loadmaster.model.arrays import Bools
from loadmaster.runs.open_dependencies import open_dependencies
from loadmaster.runs.record import Record
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints, binds, resolve_constraints
from loadmaster.scheduling.running_limits import Limit
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
            limits = [limit for limit, amount in needs if left[limit] < amount]
            if not limits:
                return ""
            reached.append(limits[0])
        return self._words(reached[0]) if reached else ""

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

    def _words(self, counter: int) -> str:
        assert self._binding is not None
        counters = self._binding.counters
        if counter >= len(counters.most):
            return "a limit on work done was reached"
        return _said(counters.limits[counter], float(counters.most[counter]))


def _said(limit: Limit, most: float) -> str:
    if limit.kind == "throttle":
        return f"as many tasks of its array ran as may at once: {most:g}"
    what = _AT_ONCE[limit.kind].format(limit.resource)
    return f"a limit was reached: {most:g} {what} at once ({limit.scope})"
