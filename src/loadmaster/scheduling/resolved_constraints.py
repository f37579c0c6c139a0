"""The constraints of the jobs of one run, as numbers for engines: the jobs' own and the site's rules, resolved."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.model import Cluster, Constraints, SiteRules, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.snapshot import ExpectedEnd
from loadmaster.scheduling.array_limits import ThrottledArrays, throttled_arrays
from loadmaster.scheduling.dependencies import Waits, waits_of
from loadmaster.scheduling.host_calendar import Calendar, calendar_of
from loadmaster.scheduling.host_eligibility import MAY_RUN, Entries, entries_of, mask
from loadmaster.scheduling.ineffective_constraints import (
    counts_cluster_wide,
    delay_or_limit,
    shut_by_features,
    shut_by_whole_hosts,
)
from loadmaster.scheduling.licences import TOO_MANY_LICENCES, beyond_licences
from loadmaster.scheduling.power_cap import ABOVE_CAP, above_idle, draws_w
from loadmaster.scheduling.running_limits import BEYOND, Counters, counters_of
from loadmaster.scheduling.timed_limits import TimedLimits, timed_kinds

NO_JOB = -1
"""The number of no job."""


@dataclass(frozen=True, eq=False)
class ResolvedConstraints:
    """All constraints of J jobs on H hosts (rules C1 to C8).

    Attributes:
        eligible_s: float64[J], before which a job may not start, its arrival or later; infinite if never.
        latest_s: float64[J], after which a job can no longer start: its reservation is over.
        never: int32[J], 0 where a job may run, else why it never can: a row of `reasons`.
        reasons: in words; the first is "".
        entries: where each job may run: one entry for each partition that it names.
        counters: limits on what runs at once, and what each entry counts against them.
        submits: limits on what runs or waits at once, checked as a job arrives.
        timed: limits under which more is left as time passes, by the name of their kind.
        waits: the dependencies of each job.
        array: int64[J], a number for each array, -1 of none.
        throttled: the arrays of which not all tasks may run at once.
        calendar: hosts that are out of service for some time.
        requeue: bool[J], whether a job may go back to the queue.
        user: int32[J], -1 where unknown.
        cluster_wide_changes: when amounts of the whole cluster change, and by how much: the cap on power, which is the
            last of them.
    """

    eligible_s: Floats
    latest_s: Floats
    never: Ints
    reasons: tuple[str, ...]
    entries: Entries
    counters: Counters
    submits: Counters
    timed: Mapping[str, TimedLimits]
    waits: Waits
    array: Longs
    throttled: ThrottledArrays
    calendar: Calendar
    requeue: Bools
    user: Ints
    rules: SiteRules
    cluster_wide_changes: tuple[ExpectedEnd, ...] = ()

    @cached_property
    def partition_hosts(self) -> Bools | None:
        """bool[P, H]: the hosts of every partition; None where there are none."""
        hosts = self.entries.allowed.shape[1]
        masks = [mask(hosts, partition.hosts) for partition in self.rules.partitions]
        return np.array(masks) if masks else None

    def queue_columns(self, rows: Longs) -> dict[str, Any]:
        """The columns of a snapshot's queue that constraints fill, for the entries `rows` int64[Q]."""
        return {**self.columns(rows), "uses": tuple(self._uses(int(row)) for row in rows)}

    def columns(self, rows: Longs) -> dict[str, Any]:
        """The same without the limits that each counts against."""
        entries = self.entries
        return {
            "tier": entries.tier[rows],
            "partition": entries.partition[rows],
            "hosts": entries.hosts[rows],
            "array": self.array[entries.job[rows]],
            "min_hosts": None if entries.min_hosts is None else entries.min_hosts[rows],
            "max_hosts": None if entries.max_hosts is None else entries.max_hosts[rows],
        }

    def _uses(self, row: int) -> tuple[tuple[int, float], ...]:
        """The least that each limit must have left for an entry to start; timed limits stand last."""
        uses, before = list(self.counters.uses(row)), len(self.counters.most)
        for limits in self.timed.values():
            uses += ((before + limit, need) for limit, need in limits.needs(row))
            before += len(limits.most)
        return tuple(uses)

    @property
    def most(self) -> Floats:
        """float64: the maximum of every limit, timed ones last."""
        return np.concatenate((self.counters.most, *(limits.most for limits in self.timed.values())))

    @cached_property
    def cluster_wide(self) -> int:
        """How many limits are amounts of the whole cluster: the first ones (rule C13)."""
        return self.counters.cluster_wide

    @property
    def any_host(self) -> bool:
        """Whether every job may use every host."""
        return bool(self.entries.allowed.all())

    def count_never(self) -> dict[str, int]:
        """How many jobs can never run, by reason."""
        counts = np.bincount(self.never, minlength=len(self.reasons))
        return {self.reasons[code]: int(counts[code]) for code in np.flatnonzero(counts) if code > 0}


def binds(workload: Workload, cluster: Cluster) -> bool:
    """Whether any constraint binds these jobs beside the sizes of the hosts: if not, there is nothing to resolve.

    A column of constraints that changes nothing does not bind: then the faster engines serve.
    """
    bound = workload.constraints or Constraints()
    return counts_cluster_wide(cluster, bound) or _binds_beside_amounts(workload, cluster)


def only_amounts_bind(workload: Workload, cluster: Cluster, binding: ResolvedConstraints) -> bool:
    """Whether nothing but amounts of the whole cluster binds jobs (rule C13), so that each has one entry."""
    return not _binds_beside_amounts(workload, cluster) and not binding.entries.closed.any()


def _binds_beside_amounts(workload: Workload, cluster: Cluster) -> bool:
    rules, bound = cluster.rules or SiteRules(), workload.constraints or Constraints()
    if rules.partitions or rules.qos or rules.accounts or rules.calendar or rules.start_up:
        return True
    if delay_or_limit(workload, bound) or timed_kinds(workload, cluster):
        return True
    return shut_by_features(cluster, bound) or shut_by_whole_hosts(workload, cluster, bound)


def is_one_pool(workload: Workload, cluster: Cluster, binding: ResolvedConstraints | None) -> bool:
    """Whether each host serves each task equally well, each task alone, all the time (rule Q11)."""
    one = hosts_are_one_pool(workload.demand, cluster)
    if binding is None or not one:
        return one
    rules = binding.rules
    return binding.any_host and not rules.calendar and not rules.start_up and rules.preemption.by == "none"


def needs_general_pass(workload: Workload, cluster: Cluster) -> bool:
    """Whether a constraint needs the general pass: numbers of hosts (rule C9), limits that time moves (rule C10)."""
    rules, constraints = cluster.rules or SiteRules(), workload.constraints or Constraints()
    by_partition = any(part.min_hosts or part.max_hosts for part in rules.partitions)
    by_node_count = bool({"min_hosts", "max_hosts"} & set(constraints.given)) or by_partition
    return by_node_count or bool(timed_kinds(workload, cluster))


def resolve_constraints(workload: Workload, cluster: Cluster) -> ResolvedConstraints:
    """Resolve the constraints of `workload` on `cluster`.

    Raises:
        InputError: something that is not modelled, by its name.
    """
    rules = cluster.rules or SiteRules()
    bound = workload.constraints or Constraints()
    reasons = _Reasons(workload.jobs)
    eligible_s = workload.submit_s if bound.eligible_s is None else np.maximum(workload.submit_s, bound.eligible_s)
    entries = entries_of(workload, cluster, rules, bound, reasons.mark)
    reasons.mark(beyond_licences(workload, rules, bound), TOO_MANY_LICENCES)
    draw_w = draws_w(workload, cluster, rules) if rules.power_cap else np.zeros(workload.jobs)
    if rules.power_cap:
        reasons.mark(draw_w > max(watts for _, watts in above_idle(rules)), ABOVE_CAP)
    calendar, eligible_s, latest_s = calendar_of(workload, cluster, rules, bound, eligible_s, reasons.mark)
    counters, submits, beyond = counters_of(workload, rules, bound, entries, draw_w)
    timed = {name: kind.resolve(workload, cluster, entries) for name, kind in timed_kinds(workload, cluster).items()}
    for limits in timed.values():
        beyond |= limits.beyond
    entries = entries.without(beyond, BEYOND, reasons.mark)
    reasons.mark(eligible_s > latest_s, "longer than the reservation that it names")
    reasons.mark(eligible_s == np.inf, "begin time never comes")
    if bound.hold is not None:
        reasons.mark(bound.hold > 0, "held")
    requeue = np.full(workload.jobs, rules.requeue) if bound.requeue is None else bound.requeue
    array = np.full(workload.jobs, -1, np.int64) if bound.array is None else bound.array
    user = np.full(workload.jobs, -1, np.int32) if workload.user is None else workload.user
    return ResolvedConstraints(
        eligible_s,
        latest_s,
        reasons.code,
        tuple(reasons.words),
        entries,
        counters,
        submits,
        timed,
        waits_of(workload, bound),
        array,
        throttled_arrays(workload.jobs, bound),
        calendar,
        requeue,
        user,
        rules,
        _changes(rules, counters.cluster_wide),
    )


def _changes(rules: SiteRules, amounts: int) -> tuple[ExpectedEnd, ...]:
    """How the last of so many amounts of the whole cluster changes: the power that the cap leaves to jobs."""
    steps = above_idle(rules) if rules.power_cap else ()
    before = (0.0,) * (amounts - 1)
    return tuple(
        ExpectedEnd(from_s, NO_JOB, 0, (*before, watts - last_w)) for (_, last_w), (from_s, watts) in pairwise(steps)
    )


class _Reasons:
    """Why jobs can never run: the first reason that is found counts."""

    def __init__(self, jobs: int) -> None:
        self.code = np.zeros(jobs, np.int32)
        self.words = [""]

    def mark(self, jobs: Bools, reason: str) -> None:
        fresh = jobs & (self.code == MAY_RUN)
        if fresh.any():
            if reason not in self.words:
                self.words.append(reason)
            self.code[fresh] = self.words.index(reason)
