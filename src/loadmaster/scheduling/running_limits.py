"""Limits on what runs at once, as counters with a maximum, and what each job counts against them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadmaster.model import Constraints, Limits, SiteRules, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.limits import HOSTS, LIMIT_KINDS
from loadmaster.scheduling.host_eligibility import Entries, account_names, limits_s, qos_names, user_names
from loadmaster.scheduling.licences import LicenceUses
from loadmaster.scheduling.power_cap import POWER, above_idle

BEYOND = "more than a limit allows"
LICENCES = "licences"
"""The kind of counters of licences and burst buffers."""
THROTTLE = "throttle"
"""The kind of counters of the running tasks of an array."""
_RUNNING, _SUBMITTED = "running", "submitted"


class Limit(NamedTuple):
    """The limit of a counter: its name, the resource ("" for jobs), its scope, and its user or account."""

    kind: str
    resource: str
    scope: str
    subject: str


_DRAW = Limit(POWER, POWER, "", "")


@dataclass(frozen=True, eq=False)
class Counters:
    """L counters; a job that starts adds its amounts, and takes them off when it ends.

    Attributes:
        most: float64[L], the maximum of each.
        first: int64[E + 1], what entry e counts stands in rows first[e] up to first[e + 1].
        counter: int32[U], the counter.
        amount: float64[U].
        limits: which limit each counter is.
    """

    most: Floats
    first: Longs
    counter: Ints
    amount: Floats
    limits: tuple[Limit, ...] = ()

    @property
    def cluster_wide(self) -> int:
        """How many counters are amounts of the whole cluster: the first ones (rule C13)."""
        return sum(limit.kind in (LICENCES, POWER) for limit in self.limits)

    @property
    def kind(self) -> tuple[str, ...]:
        """The name of the limit of each counter."""
        return tuple(limit.kind for limit in self.limits)

    def uses(self, entry: int) -> tuple[tuple[int, float], ...]:
        """What one entry counts: ((counter, amount), ...)."""
        rows = slice(int(self.first[entry]), int(self.first[entry + 1]))
        return tuple(zip(self.counter[rows].tolist(), self.amount[rows].tolist(), strict=True))


class Use(NamedTuple):
    """What a job counts against a limit.

    Attributes:
        counts: as `LimitKind.counts`; of `job` the amount counts alone, so that it is beyond the limit or not.
        most: the maximum of the counter; the least counts if jobs name several.
    """

    counts: str
    limit: Limit
    most: float
    amount: float


UsesOf = Callable[[int, int], Iterator[Use]]
"""What a job counts, by its number and the partition of the entry."""


def counters_of(
    workload: Workload, rules: SiteRules, bound: Constraints, entries: Entries, draw_w: Floats
) -> tuple[Counters, Counters, Bools]:
    """Counters of running jobs, and of running or waiting jobs, by entry.

    Those of amounts of the whole cluster come first: licences, then power. `draw_w` float64[J] is what each job draws.
    And bool[E], the entries that exceed a limit on their own.
    """
    cluster_wide = _cluster_wide(workload, rules, bound, entries, draw_w)
    sources = [uses for source in _SOURCES if (uses := source(workload, rules, bound)) is not None]
    counters, beyond = _counters_of(entries, sources, _RUNNING, _SUBMITTED)
    return _together(cluster_wide, counters[_RUNNING]), counters[_SUBMITTED], beyond


def uses_of_scopes(workload: Workload, rules: SiteRules, bound: Constraints, entries: Entries, counts: str) -> Counters:
    """Counters of the limits of QOS and accounts that count `counts`, by entry."""
    uses = _limits_of_scopes(workload, rules, bound)
    return _counters_of(entries, [] if uses is None else [uses], counts)[0][counts]


def _counters_of(entries: Entries, sources: list[UsesOf], *counts: str) -> tuple[dict[str, Counters], Bools]:
    """Counters of each of `counts`, and bool[E], the entries that exceed a limit of one job, or of running jobs."""
    many = len(entries.job)
    beyond, collected = np.zeros(many, bool), {each: _Uses() for each in counts}
    if not sources:
        return {each: no_counters(many) for each in counts}, beyond
    for entry, (job, partition) in enumerate(zip(entries.job.tolist(), entries.partition.tolist(), strict=True)):
        for source in sources:
            for use in source(job, partition):
                if use.counts in collected:
                    collected[use.counts].add(use.limit, use.most, use.amount)
                if use.counts in ("job", _RUNNING):
                    beyond[entry] |= use.amount > use.most
        for uses in collected.values():
            uses.next()
    return {each: uses.counters() for each, uses in collected.items()}, beyond


def _limits_of_scopes(workload: Workload, rules: SiteRules, bound: Constraints) -> UsesOf | None:
    """What jobs count against the limits of QOS and accounts; None if there are neither."""
    if not (rules.qos or rules.accounts):
        return None
    scopes = _Scopes(workload, rules, bound)
    amounts = {name: workload.demand[:, r] * workload.task_count for r, name in enumerate(workload.resources)}
    amounts[HOSTS] = most_hosts(workload, bound)
    limit_s = limits_s(workload, bound)
    hosts = np.ones(workload.jobs) if bound.min_hosts is None else np.maximum(bound.min_hosts, 1)

    def uses(job: int, partition: int) -> Iterator[Use]:
        seen: set[tuple[str, str]] = set()
        for scope, limits in scopes.of(job, partition):
            for kind, resource, most in _each(limits):
                if (kind, resource) in seen:
                    continue
                seen.add((kind, resource))
                counts, of, _ = LIMIT_KINDS[kind]
                amount = 1.0 if not resource else float(amounts[resource][job]) if resource in amounts else 0.0
                if counts == "job":
                    most, amount = _single_job_limit(kind, most, amount, float(limit_s[job]), float(hosts[job]))
                yield Use(counts, Limit(kind, resource, scope, scopes.subject(of, job)), most, amount)

    return uses


def _throttles(workload: Workload, rules: SiteRules, bound: Constraints) -> UsesOf | None:
    """What tasks count against the throttle of their array; None if there is none."""
    throttle, array = bound.throttle, bound.array
    if throttle is None or array is None:
        return None

    def uses(job: int, partition: int) -> Iterator[Use]:
        if throttle[job] and array[job] >= 0:
            yield Use(_RUNNING, Limit(THROTTLE, "", str(array[job]), ""), float(throttle[job]), 1.0)

    return uses


_SOURCES: tuple[Callable[[Workload, SiteRules, Constraints], UsesOf | None], ...] = (_limits_of_scopes, _throttles)
"""All that limits what runs or waits at once, beside amounts of the whole cluster."""


def _cluster_wide(
    workload: Workload, rules: SiteRules, bound: Constraints, entries: Entries, draw_w: Floats
) -> Counters:
    """Counters of the amounts of the whole cluster: licences, then power."""
    licences = LicenceUses(workload, rules, bound)
    limits, most = [Limit(LICENCES, name, "", "") for name in licences.total], list(licences.total.values())
    held = licences.held[entries.job]
    if rules.power_cap:
        limits, most = [*limits, _DRAW], [*most, above_idle(rules)[0][1]]
        held = np.column_stack((held, draw_w[entries.job]))
    entry, counter = np.nonzero(held)
    first = np.searchsorted(entry, np.arange(len(held) + 1))
    return Counters(np.array(most), first, counter.astype(np.int32), held[entry, counter], tuple(limits))


def _together(one: Counters, other: Counters) -> Counters:
    """The counters of both, those of `one` first."""
    if not one.limits:
        return other
    entry = [np.repeat(np.arange(len(each.first) - 1), np.diff(each.first)) for each in (one, other)]
    order = np.argsort(np.concatenate(entry), kind="stable")
    return Counters(
        np.concatenate((one.most, other.most)),
        one.first + other.first,
        np.concatenate((one.counter, other.counter + np.int32(len(one.most))))[order],
        np.concatenate((one.amount, other.amount))[order],
        one.limits + other.limits,
    )


def most_hosts(workload: Workload, bound: Constraints) -> Floats:
    """float64[J]: the most hosts of each job: one for each task, or its own maximum."""
    tasks = workload.task_count.astype(float)
    if bound.max_hosts is None:
        return tasks
    return np.where(bound.max_hosts > 0, np.minimum(tasks, bound.max_hosts), tasks)


def no_counters(entries: int) -> Counters:
    """Counters without any limit."""
    return Counters(np.zeros(0), np.zeros(entries + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))


def _single_job_limit(kind: str, most: float, amount: float, limit_s: float, hosts: float) -> tuple[float, float]:
    """A limit of one job and what the job requests of it: the job is beyond the limit if that is more."""
    if kind == "max_wall_s":
        return most, limit_s
    if kind == "max_tres_s_job":
        return most, amount * limit_s if amount > 0.0 else 0.0
    if kind == "max_tres_host":
        return most, amount / hosts
    return (-most, -amount) if kind == "min_tres_job" else (most, amount)


def _each(limits: Limits) -> Iterator[tuple[str, str, float]]:
    """Kind, resource and amount of every limit; the resource is "" where jobs or seconds are counted."""
    for name in limits.given:
        value = getattr(limits, name)
        if isinstance(value, tuple):
            yield from ((name, resource, amount) for resource, amount in value)
        else:
            yield name, "", float(value)


class _Scopes:
    """The limits that bind a job, in their order of precedence (rule C6)."""

    def __init__(self, workload: Workload, rules: SiteRules, bound: Constraints) -> None:
        self._rules = rules
        self._qos = {each.name: each for each in rules.qos}
        self._nodes = {(each.account, each.user): each for each in rules.accounts}
        self._user = user_names(workload, bound)
        self._account = account_names(workload, bound)
        self._of_qos = qos_names(workload, rules, bound)

    def of(self, job: int, partition: int) -> Iterator[tuple[str, Limits]]:
        """Scopes with their limits: the partition's QOS, the job's, the user in the account, accounts upward."""
        own = self._qos.get(self._of_qos[job])
        of_partition = self._qos.get(self._rules.partitions[partition].qos) if self._rules.partitions else None
        both = [of_partition, own] if own is None or not own.over_partition else [own, of_partition]
        for qos in dict.fromkeys(both):
            if qos is not None:
                yield f"qos {qos.name}", qos.limits
        account, user = self._account[job], self._user[job]
        if user and (account, user) in self._nodes:  # the row of an account has no user
            yield f"user {user} in {account}", self._nodes[account, user].limits
        node = self._nodes.get((account, "")) or self._nodes.get(("root", ""))
        while node is not None:
            yield f"account {node.account}", node.limits
            node = self._nodes.get((node.parent, "")) if node.parent else None

    def subject(self, of: str, job: int) -> str:
        """The subject of a counter of each user or each account; "" of one of all."""
        return str(self._user[job]) if of == "user" else str(self._account[job]) if of == "account" else ""


class _Uses:
    """Counters and uses while they are collected."""

    def __init__(self) -> None:
        self._number: dict[Limit, int] = {}
        self._most: list[float] = []
        self._first = [0]
        self._rows: list[tuple[int, float]] = []

    def add(self, key: Limit, most: float, amount: float) -> None:
        if key not in self._number:
            self._number[key] = len(self._most)
            self._most.append(most)
        number = self._number[key]
        self._most[number] = min(self._most[number], most)
        if amount > 0:
            self._rows.append((number, amount))

    def next(self) -> None:
        self._first.append(len(self._rows))

    def counters(self) -> Counters:
        counter, amount = zip(*self._rows, strict=True) if self._rows else ((), ())
        return Counters(
            np.array(self._most, np.float64),
            np.array(self._first, np.int64),
            np.array(counter, np.int32),
            np.array(amount, np.float64),
            tuple(self._number),
        )
