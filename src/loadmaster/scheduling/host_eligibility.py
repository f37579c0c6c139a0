"""The hosts on which each job may run: its partitions and its demands on hosts."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model import Cluster, Constraints, InputError, Partition, SiteRules, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.constraints import EXCLUSIVE
from loadmaster.model.features import Alternatives, hosts_that_serve, parse_choices
from loadmaster.model.host_count import HostsAsked
from loadmaster.model.site_rules import HostSet
from loadmaster.model.whole_hosts import wants_whole_hosts

MAY_RUN = 0
Mark = Callable[[Bools, str], None]
"""Gets the jobs bool[J] that can never run, and the reason."""


@dataclass(frozen=True, eq=False)
class Entries:
    """E entries in the queue: a job has one for each partition and each choice of features, and starts once.

    Attributes:
        first: int64[J + 1], the entries of job j are first[j] up to first[j + 1]; at least one each.
        job: int64[E].
        partition: int32[E], a row of `SiteRules.partitions`, 0 where there are none.
        tier: float64[E], lower goes first.
        hosts: int32[E], a row of `allowed`.
        min_hosts, max_hosts: int32[E], on how many of them its tasks lie at least and at most; 0 for any number, and
            None where it is so for all.
        closed: bool[E], the job may not run there: it requests too much, is not admitted, or the partition starts none.
        allowed: bool[C, H].
    """

    first: Longs
    job: Longs
    partition: Ints
    tier: Floats
    hosts: Ints
    closed: Bools
    allowed: Bools
    min_hosts: Ints | None = None
    max_hosts: Ints | None = None

    def without(self, rows: Bools, reason: str, mark: Mark) -> "Entries":
        """The same with these entries bool[E] closed too; jobs without another entry are marked."""
        closed = self.closed | rows
        mark(_none_of(self.first, ~closed), reason)
        return replace(self, closed=closed)

    def first_open(self, job: int) -> int:
        """The first entry in which `job` may start; if there is none, its first entry."""
        rows = range(int(self.first[job]), int(self.first[job + 1]))
        return next((row for row in rows if not self.closed[row]), rows[0])

    def open_to(self, jobs: Longs) -> Longs:
        """int64: the entries in which `jobs` may start."""
        rows = [row for job in jobs.tolist() for row in range(int(self.first[job]), int(self.first[job + 1]))]
        found = np.array(rows, np.int64)
        return found[~self.closed[found]]


def entries_of(workload: Workload, cluster: Cluster, rules: SiteRules, bound: Constraints, mark: Mark) -> Entries:
    """Entries of all jobs; jobs that no entry may ever start are marked.

    Raises:
        InputError: jobs that share hosts only with their own user's jobs, which no engine can serve.
    """
    of_users = any(part.exclusive == "user" for part in rules.partitions)
    if of_users or (bound.exclusive is not None and (bound.exclusive == EXCLUSIVE.index("user")).any()):
        raise InputError("user", "hosts that are shared by one user's jobs are not modelled", fix="leave exclusive out")
    first, job, partition = _partitions_named(workload, rules, bound, mark)
    sets = _HostSets(cluster, rules, bound)
    code = np.full(workload.jobs, -1, np.int32) if bound.features is None else bound.features.code
    count = np.array([len(each) for each in _choices(bound)] + [1])[code[job]]  # the last for code -1
    if (count > 1).any():
        first = np.concatenate(([0], np.cumsum(np.bincount(job, count, workload.jobs)))).astype(np.int64)
    choice = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    job, partition = np.repeat(job, count), np.repeat(partition, count)
    base, many = 2 + int(code.max(initial=0)), int(count.max(initial=1))  # codes begin with -1; rows sort slowly
    keys, which = np.unique((partition.astype(np.int64) * base + code[job] + 1) * many + choice, return_inverse=True)
    rows = [sets.row(key // many // base, key // many % base - 1, key % many) for key in keys.tolist()]
    hosts: Ints = np.array(rows, np.int32)[which]
    tiers = np.array([-float(each.tier) for each in rules.partitions] or [0.0])
    hosts, allowed = _whole(workload, cluster, job, hosts, np.array(sets.rows, dtype=bool).reshape(-1, cluster.hosts))
    least, most = _hosts_asked(rules, bound, job, partition)
    closed = _closed(workload, cluster, rules, bound, job, partition, mark)
    unable = ~_holds(workload, cluster, allowed, job, hosts, least, most)
    mark(_none_of(first, np.asarray(~unable)), "no host has what it requests")
    mark(_none_of(first, ~(closed | unable)), "each partition that it names lacks hosts for it or does not admit it")
    return Entries(first, job, partition, tiers[partition], hosts, closed | unable, allowed, least, most)


def _hosts_asked(rules: SiteRules, bound: Constraints, job: Longs, partition: Ints) -> tuple[Ints | None, Ints | None]:
    """int32[E] each: the least and the most hosts for the tasks of an entry; None where there is no such limit."""
    asked = np.zeros(len(job), np.int32) if bound.min_hosts is None else bound.min_hosts[job]
    least = np.maximum(asked, np.array([each.min_hosts or 0 for each in rules.partitions] or [0], np.int32)[partition])
    own = np.zeros(len(job), np.int32) if bound.max_hosts is None else bound.max_hosts[job]
    of_partition = np.array([each.max_hosts or 0 for each in rules.partitions] or [0], np.int32)[partition]
    both = np.where((own > 0) & (of_partition > 0), np.minimum(own, of_partition), np.maximum(own, of_partition))
    return least if (least > 1).any() else None, both.astype(np.int32) if both.any() else None


def _partitions_named(
    workload: Workload, rules: SiteRules, bound: Constraints, mark: Mark
) -> tuple[Longs, Longs, Ints]:
    jobs = workload.jobs
    if not rules.partitions or bound.partition is None:
        usual = _default(rules)
        return np.arange(jobs + 1, dtype=np.int64), np.arange(jobs, dtype=np.int64), np.full(jobs, usual, np.int32)
    number = {each.name: row for row, each in enumerate(rules.partitions)}
    lists = [
        [number[part.strip()] for part in name.split(",") if part.strip() in number] for name in bound.partition.names
    ]
    unknown = np.array([not rows for rows in lists] + [False])  # the last for code -1
    mark(unknown[bound.partition.code], "no such partition")
    lists = [rows or [_default(rules)] for rows in lists] + [[_default(rules)]]
    count = np.array([len(rows) for rows in lists])[bound.partition.code]
    first = np.concatenate(([0], np.cumsum(count))).astype(np.int64)
    partition = np.array([row for code in bound.partition.code.tolist() for row in lists[code]], np.int32)
    return first, np.repeat(np.arange(jobs, dtype=np.int64), count), partition


def _default(rules: SiteRules) -> int:
    names = [each.name for each in rules.partitions]
    return names.index(rules.default_partition) if rules.default_partition else 0


def _choices(bound: Constraints) -> list[tuple[Alternatives, ...]]:
    """By the code of its features, the choices of which all hosts of a job take the same."""
    return [] if bound.features is None else [parse_choices(text) for text in bound.features.names]


class _HostSets:
    """The distinct sets of hosts, made when they are requested."""

    def __init__(self, cluster: Cluster, rules: SiteRules, bound: Constraints) -> None:
        self._hosts = cluster.hosts
        self._host_names = [cluster.name(host) for host in range(cluster.hosts)]
        self._rules = rules
        self._choices = _choices(bound)
        self._number: dict[tuple[int, int, int], int] = {}
        self.rows: list[Bools] = []
        self._same: dict[bytes, int] = {}

    def row(self, partition: int, features: int, choice: int) -> int:
        key = (partition, features, choice)
        if key not in self._number:
            hosts = self._of_partition(partition) & self._with(features, choice)
            self._number[key] = self._same.setdefault(hosts.tobytes(), len(self.rows))
            if self._number[key] == len(self.rows):
                self.rows.append(hosts)
        return self._number[key]

    def _of_partition(self, partition: int) -> Bools:
        return mask(self._hosts, self._rules.partitions[partition].hosts if self._rules.partitions else None)

    def _with(self, features: int, choice: int) -> Bools:
        if features < 0:
            return np.ones(self._hosts, bool)
        wanted = self._choices[features][choice]
        return np.array(hosts_that_serve(wanted, self._host_names, self._rules.features))


def _whole(workload: Workload, cluster: Cluster, job: Longs, hosts: Ints, allowed: Bools) -> tuple[Ints, Bools]:
    """Let jobs that want whole hosts use only hosts that they fill; `hold_whole_hosts` made them request all cores."""
    wants = wants_whole_hosts(workload, cluster)[job]
    if not wants.any():
        return hosts, allowed
    keys = np.column_stack((hosts, np.where(wants, workload.demand[job, 0], -1.0)))
    rows, which = np.unique(keys, axis=0, return_inverse=True)
    filled = [np.ones(cluster.hosts, bool) if cores < 0 else cluster.capacity[:, 0] == cores for cores in rows[:, 1]]
    return which.reshape(-1).astype(np.int32), allowed[rows[:, 0].astype(int)] & np.array(filled)


def mask(hosts: int, chosen: HostSet) -> Bools:
    """bool[H]: the hosts of a set."""
    found = np.full(hosts, chosen is None)
    found[list(chosen or ())] = True
    return found


def _holds(
    workload: Workload, cluster: Cluster, allowed: Bools, job: Longs, hosts: Ints, least: Ints | None, most: Ints | None
) -> Bools:
    """bool[E]: whether the empty hosts of an entry hold all tasks of its job, on as many hosts as it requests."""
    if len(allowed) == 1 and allowed.all() and least is None and most is None:
        return np.ones(len(job), bool)  # a job that fits no host was left out before
    none = np.zeros(len(job), np.int32)
    numbers = (workload.task_count[job], none if least is None else least, none if most is None else most)
    keys = np.column_stack((hosts, workload.demand[job], *numbers))
    rows, which = np.unique(keys, axis=0, return_inverse=True)
    fits = np.empty(len(rows), dtype=np.bool_)
    for number, row in enumerate(rows):
        demand, room = row[1:-3], cluster.capacity[allowed[int(row[0])]]
        asked = demand > 0
        held = np.floor(room[:, asked] / demand[asked]).min(axis=1) if asked.any() else np.full(len(room), np.inf)
        fits[number] = HostsAsked(int(row[-3]), int(row[-2]), int(row[-1])).fit(held)
    return np.asarray(fits[which.reshape(-1)])


def _closed(
    workload: Workload, cluster: Cluster, rules: SiteRules, bound: Constraints, job: Longs, partition: Ints, mark: Mark
) -> Bools:
    """bool[E]: entries that their partition does not admit or does not start."""
    closed = np.zeros(len(job), bool)
    limit_s = limits_s(workload, bound)
    accounts = account_names(workload, bound)
    for number, each in enumerate(rules.partitions):
        here = partition == number
        wrong = np.zeros(len(job), bool)
        if each.max_time_s is not None:
            wrong |= here & (limit_s[job] > each.max_time_s)
        if each.max_hosts is not None:
            wrong |= here & (_hosts_needed(workload, cluster, bound)[job] > each.max_hosts)
        if each.min_hosts is not None and bound.max_hosts is not None:
            wrong |= here & (bound.max_hosts[job] > 0) & (bound.max_hosts[job] < each.min_hosts)
        wrong |= here & ~_admitted(each, accounts[job], np.array(qos_names(workload, rules, bound))[job])
        if each.state in ("down", "inactive"):
            wrong |= here
        closed |= wrong
    first = np.searchsorted(job, np.arange(workload.jobs + 1))
    mark(_none_of(first, ~closed), "its partition does not admit it, or starts none")
    return closed


def _hosts_needed(workload: Workload, cluster: Cluster, bound: Constraints) -> Floats:
    """float64[J]: the fewest hosts that can hold all tasks of each job, as many as it requests at least."""
    rows, which = np.unique(workload.demand, axis=0, return_inverse=True)
    held = np.ones(len(rows))
    for number, demand in enumerate(rows):
        asked = demand > 0
        each = np.floor(cluster.capacity[:, asked] / demand[asked]).min(axis=1) if asked.any() else np.array([np.inf])
        held[number] = max(float(each.max()), 1.0)
    fewest = np.ceil(workload.task_count / held[which.reshape(-1)])
    return np.asarray(fewest if bound.min_hosts is None else np.maximum(fewest, bound.min_hosts))


def _admitted(partition: Partition, accounts: np.ndarray, qos: np.ndarray) -> Bools:
    yes: Bools = np.ones(len(accounts), dtype=bool)
    for names, allowed, denied in (
        (accounts, partition.allow_accounts, partition.deny_accounts),
        (qos, partition.allow_qos, partition.deny_qos),
    ):
        yes = yes & (np.isin(names, list(allowed)) if allowed is not None else ~np.isin(names, list(denied)))
    return np.asarray(yes)


def _none_of(first: Longs, good: Bools) -> Bools:
    """bool[J]: jobs without a good entry."""
    return np.asarray(np.add.reduceat(good.astype(np.int64), first[:-1]) == 0) if len(good) else np.zeros(0, bool)


def limits_s(workload: Workload, bound: Constraints) -> Floats:
    """float64[J]: the limit of every job's runtime: its own, else its estimate."""
    if bound.limit_s is not None:
        return bound.limit_s
    return np.full(workload.jobs, np.inf) if workload.estimate_s is None else workload.estimate_s


def account_names(workload: Workload, bound: Constraints) -> np.ndarray:
    """The name of the account that pays for each job."""
    return _names(workload.project, bound.account_names, workload.jobs)


def user_names(workload: Workload, bound: Constraints) -> np.ndarray:
    """The name of the user of each job."""
    return _names(workload.user, bound.user_names, workload.jobs)


def qos_names(workload: Workload, rules: SiteRules, bound: Constraints) -> np.ndarray:
    """The name of the QOS of each job; a job without one has the site's default."""
    if bound.qos is None:
        return np.array([rules.default_qos] * workload.jobs, dtype=object)
    return np.array([*bound.qos.names, rules.default_qos], dtype=object)[bound.qos.code]


def _names(codes: Ints | None, names: tuple[str, ...], jobs: int) -> np.ndarray:
    """The name behind each code; the number if no names are known, "" if only this one is unknown."""
    if codes is None:
        return np.array([""] * jobs, dtype=object)
    known = {
        code: names[code] if 0 <= code < len(names) else "" if names or code < 0 else str(code)
        for code in set(codes.tolist())
    }
    return np.array([known[code] for code in codes.tolist()], dtype=object)
