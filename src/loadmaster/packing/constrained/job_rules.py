"""The rules of waiting and running jobs that look at where other jobs are: where one more job may start."""

from collections.abc import Hashable, Sequence

import numpy as np

from loadmaster.model.arrays import Bools
from loadmaster.model.snapshot import Running
from loadmaster.packing.constrained.constraints import BetweenTasks, groups_of
from loadmaster.packing.constrained.placement import CountedPlacement
from loadmaster.packing.constrained.problem import ConstrainedProblem


class ConstrainedJobs:
    """The constraints between J jobs of one task each, on H hosts (`JobRules`); job number j is task j of them.

    Args:
        constraints: between the jobs.
        jobs: their names.
        hosts: the names of the hosts.
    """

    def __init__(self, constraints: Sequence[BetweenTasks], jobs: Sequence[str], hosts: Sequence[str]) -> None:
        nothing, nowhere = np.zeros((max(len(jobs), len(hosts)), 0), np.int64), np.full(len(jobs), -1)
        self._problem = ConstrainedProblem(
            (), nothing[: len(jobs)], nothing[: len(hosts)], nowhere, tuple(constraints), (), tuple(jobs), tuple(hosts)
        )

    def beside(self, running: Running) -> "JobsPlaced":
        """The same with these jobs on their hosts."""
        host = self._problem.now.copy()
        host[running.job] = running.host
        return JobsPlaced(CountedPlacement(self._problem, host))


class JobsPlaced:
    """Where jobs are, and what that leaves to a job that is nowhere (`JobRulesNow`)."""

    def __init__(self, placement: CountedPlacement) -> None:
        self._placement = placement
        self._open: dict[Hashable, Bools] = {}

    def kind(self, job: int) -> Hashable:
        """What the rules look at of a job: jobs of one kind may start on the same hosts; () for any host."""
        rules = self._rules_of(job)
        return tuple((id(rule), *(job in group for group in groups_of(rule))) for rule in rules)

    def open_hosts(self, job: int) -> Bools:
        """bool[H], the hosts on which the job may start."""
        kind = self.kind(job)
        if kind not in self._open:
            hosts = np.ones(len(self._placement.host_names), bool)
            for rule in self._rules_of(job):
                hosts &= rule.open_hosts(self._placement, job)
            self._open[kind] = hosts
        return self._open[kind]

    def closed_by(self, job: int) -> list[tuple[str, Bools]]:
        """Each rule that closes hosts to the job, in words, and bool[H], the hosts that it closes."""
        closed = [(rule.words(job), ~rule.open_hosts(self._placement, job)) for rule in self._rules_of(job)]
        return [(words, hosts) for words, hosts in closed if hosts.any()]

    def start(self, job: int, host: int) -> None:
        """Put the job on the host."""
        if self._rules_of(job):
            self._placement.move(job, host)
            self._open.clear()

    def _rules_of(self, job: int) -> list[BetweenTasks]:
        return [rule for rule in self._placement.constraints_of(job) if isinstance(rule, BetweenTasks)]
