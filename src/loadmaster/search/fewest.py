"""The fewest machines under which jobs wait no longer than a target (rules D14 and D15)."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from loadmaster.model import Cluster, Constraints, SiteRules, Workload
from loadmaster.model.units import show_seconds
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.results.watch import Watch
from loadmaster.runs import Case, Outcome, Setting
from loadmaster.runs.sweep import sweep
from loadmaster.scheduling.ineffective_constraints import counts_cluster_wide
from loadmaster.scheduling.power_cap import leaves_no_power
from loadmaster.traces.host_range import HostRange


class RunWaits(Protocol):
    """The result of a run: metrics of a log, or the run on a sample."""

    @property
    def unstarted(self) -> int:
        """Jobs that never got a host."""

    @property
    def mean_wait_s(self) -> float:
        """The mean."""

    @property
    def p95_wait_s(self) -> float:
        """What one job in twenty exceeds."""

    @property
    def p99_wait_s(self) -> float:
        """What one job in a hundred exceeds."""


@dataclass(frozen=True)
class Target:
    """Waits that must not be exceeded; None where one does not matter. All that are given must hold.

    Attributes:
        mean_s, p95_s, p99_s: the mean wait, and those that 5 and 1 job in 100 exceed; seconds.
    """

    mean_s: float | None = None
    p95_s: float | None = None
    p99_s: float | None = None

    def met_by(self, run: RunWaits) -> bool:
        """Whether every job started, and no wait is longer than it may be."""
        pairs = ((self.mean_s, run.mean_wait_s), (self.p95_s, run.p95_wait_s), (self.p99_s, run.p99_wait_s))
        return not run.unstarted and all(most is None or wait <= most for most, wait in pairs)

    @property
    def words(self) -> str:
        """The target in words.

        Example:
            >>> Target(mean_s=60.0, p95_s=3600.0).words
            'a mean wait of at most 1 min and a p95 wait of at most 1 h'
        """
        pairs = (("mean", self.mean_s), ("p95", self.p95_s), ("p99", self.p99_s))
        return " and ".join(f"a {name} wait of at most {show_seconds(s)}" for name, s in pairs if s is not None)


@dataclass(frozen=True, eq=False)
class Fewest:
    """How many hosts one rule needs.

    Attributes:
        setting: the rule.
        machines: the numbers that were to be tried.
        number: the fewest; None where the most are too few.
        outcome: the run on them; None without.
        tried: the run of every number that was tried, ascending.
        uncounted: where no number is enough, the run on the most hosts with as many licences and as much power as jobs
            request; None where jobs do not wait for these.
        ended: the time was up before the search was: a smaller number than `number` may be enough.
    """

    setting: Setting
    machines: HostRange
    number: int | None
    outcome: Outcome | None
    tried: tuple[tuple[int, Outcome], ...] = ()
    uncounted: Outcome | None = None
    ended: bool = False

    @property
    def missed(self) -> int:
        """The most machines below `number` that are known to miss the target; one below the least for none."""
        return max((tried for tried, _ in self.tried if tried < (self.number or 0)), default=self.machines.least - 1)

    @property
    def cluster(self) -> Cluster | None:
        """The machines; None without."""
        return None if self.number is None else self.machines.at(self.number)


def fewest(
    case: Case,
    machines: HostRange,
    settings: Sequence[Setting],
    target: Target,
    store: Store | None,
    pool: CellMaker,
    watch: Watch | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> list[Fewest]:
    """For each setting the fewest machines under which the target is met.

    Found by halving: one fewer misses the target, or does not hold every job. The arrivals stay as they are. Under a
    power cap each number is tried, from the least upward.

    Args:
        case: the jobs; on the most machines, so that what these cannot hold is left out.
        machines: which may be tried.
        settings: the rules.
        target: what jobs may wait.
        store: where runs are kept; None keeps none.
        pool: runs the cells.
        watch: gets the progress.
        deadline: no run begins after it; the answer is then the fewest of those that were run.
    """

    def run(there: Case, setting: Setting) -> Outcome:
        if deadline.passed():
            raise _TimeUp
        return sweep(there, [setting], store, pool, watch=watch)[0]

    return [_fewest(case, machines, setting, target, partial(run, setting=setting)) for setting in settings]


def on_number(case: Case, machines: HostRange, number: int) -> Case:
    """The same jobs, arriving as they do, on so many machines."""
    return on_hosts(case, machines.at(number))


def on_hosts(case: Case, hosts: Cluster) -> Case:
    """The same jobs, arriving as they do, on these hosts, with the licences and the power cap of the case."""
    given = case.cluster.rules
    if given is not None and (given.licences or given.power_cap):
        rules = replace(hosts.rules or SiteRules(), licences=given.licences, power_cap=given.power_cap)
        hosts = replace(hosts, rules=rules)
    return replace(case, cluster=hosts, first=case.first or case)


class _TimeUp(Exception):
    """No run begins any more."""


def _fewest(
    case: Case, machines: HostRange, setting: Setting, target: Target, run: Callable[[Case], Outcome]
) -> Fewest:
    runs: dict[int, Outcome] = {}

    def enough(number: int) -> bool:
        there = on_number(case, machines, number)
        if not holds_all(case.workload, there.cluster):
            return False
        runs[number] = run(there)
        return target.met_by(runs[number].metrics)

    ended = False
    try:
        if case.cluster.rules is not None and case.cluster.rules.power_cap:  # more idle hosts leave less power to jobs
            number = next(filter(enough, range(machines.least, machines.most + 1)), None)
        else:
            number = least_enough(machines.least, machines.most, enough)
    except _TimeUp:
        number, ended = min((n for n, each in runs.items() if target.met_by(each.metrics)), default=None), True
    outcome, uncounted = None if number is None else runs[number], None
    if number is None and not ended and counts_cluster_wide(case.cluster, case.workload.constraints or Constraints()):
        most = on_number(case, machines, machines.most)
        assert most.cluster.rules is not None
        free = replace(most.cluster.rules, licences=(), power_cap=())
        with suppress(_TimeUp):
            uncounted = run(replace(most, cluster=replace(most.cluster, rules=free)))
    return Fewest(setting, machines, number, outcome, tuple(sorted(runs.items())), uncounted, ended)


def least_enough(least: int, most: int, enough: Callable[[int], bool]) -> int | None:
    """The least number from `least` to `most` that is enough, where from one on all are; None where the most is not.

    Looks from the least upward in doubling steps, so that large numbers are tried only where they are needed.

    Example:
        >>> least_enough(1, 100, lambda n: n >= 37), least_enough(1, 100, lambda n: False)
        (37, None)
    """
    few, probe = least - 1, least  # the first is too few
    while not enough(probe):
        if probe == most:
            return None
        few, probe = probe, min(most, max(2 * probe, probe + 1))
    while probe - few > 1:
        middle = (few + probe) // 2
        few, probe = (few, middle) if enough(middle) else (middle, probe)
    return probe


def holds_all(workload: Workload, cluster: Cluster) -> bool:
    """Whether the hosts, when empty, hold the tasks of every job at once, and a power cap leaves them some power."""
    if leaves_no_power(cluster):
        return False
    rows = np.unique(np.column_stack((workload.demand, workload.task_count)), axis=0)
    for row in rows:
        has_demand = row[:-1] > 0
        room = np.floor(cluster.capacity[:, has_demand] / row[:-1][has_demand]).min(axis=1, initial=np.inf)
        if room.sum() < row[-1]:
            return False
    return True
