"""The machines of a log, by what it shows of them: the hosts on which jobs ran, and the most that ran there at once."""

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.model.errors import InputError
from loadmaster.model.host_names import host_names
from loadmaster.model.units import GB, MEMORY
from loadmaster.model.workload import Workload

_DIGITS = re.compile(r"[0-9]+")


@dataclass(frozen=True, eq=False)
class ObservedHosts:
    """The H hosts that a log names; H is 0 if it only shows how much was in use at once.

    Attributes:
        resources: names of the R resources.
        names: of the hosts.
        at_least: float64[H, R], the most that jobs asked of each host at once: each has this for sure.
        guess: float64[H, R], the most on any host of the same kind: what each may have.
        kind: int64[H], hosts of one kind have the same name but for its numbers, and ran jobs of the same partitions.
        partitions: of each host, those of the jobs that ran there.
        jobs: how many jobs name their hosts.
        peak: float64[R], the most that all jobs held at once; zeros where no start is known.
    """

    resources: tuple[str, ...]
    names: tuple[str, ...]
    at_least: Floats
    guess: Floats
    kind: Longs
    partitions: tuple[tuple[str, ...], ...]
    jobs: int
    peak: Floats

    @property
    def hosts(self) -> int:
        """How many hosts the log names."""
        return len(self.names)


def observed_hosts(workload: Workload) -> ObservedHosts | None:
    """The hosts of a log; None where it names none and tells no start.

    The share of a job on each of its hosts is what its tasks request there, if they lie evenly; of tasks that do not,
    the smaller number counts. Jobs whose start is not known count one by one.

    Example:
        >>> from loadmaster.model import Named
        >>> ran_on = Named.of(["n1", "n1", "n2"])
        >>> log = Workload.of(
        ...     submit_s=[0, 1, 2], runtime_s=[9, 9, 9], cores=[2, 4, 3], recorded_hosts=ran_on,
        ...     recorded_wait_s=[0, 0, 0],
        ... )
        >>> seen = observed_hosts(log)
        >>> seen.names, seen.at_least[:, 0].tolist(), seen.guess[:, 0].tolist(), seen.peak.tolist()
        (('n1', 'n2'), [6.0, 3.0], [6.0, 6.0], [9.0])
    """
    peak = _peak(workload)
    lists, names = _host_lists(workload)
    if not names:
        no_hosts = np.zeros((0, len(workload.resources)))
        none = ObservedHosts(workload.resources, (), no_hosts, no_hosts, np.zeros(0, np.int64), (), 0, peak)
        return none if peak.any() else None
    assert workload.recorded_hosts is not None
    code = workload.recorded_hosts.code
    known = np.array([each in lists for each in range(len(workload.recorded_hosts.names))] + [False])[code]
    row = np.flatnonzero(known)
    many = np.array([len(lists[each]) for each in code[row].tolist()], np.int64)
    job = np.repeat(row, many)
    host = np.concatenate([lists[each] for each in code[row].tolist()])
    tasks = np.maximum(workload.task_count[job] // np.repeat(many, many), 1)
    share = workload.demand[job] * tasks[:, None]
    at_least = _most_at_once(workload, job, host, share, len(names))
    partitions = _partitions(workload, job, host, len(names))
    kind = _kinds(names, partitions)
    guess = np.zeros((int(kind.max()) + 1, at_least.shape[1]))
    np.maximum.at(guess, kind, at_least)
    return ObservedHosts(
        workload.resources,
        names,
        at_least,
        _round_up(guess, workload.resources)[kind],
        kind,
        partitions,
        row.size,
        peak,
    )


def _host_lists(workload: Workload) -> tuple[dict[int, Longs], tuple[str, ...]]:
    """The numbers of the hosts behind every list of names that can be read, and the names in their natural order."""
    ran_on = workload.recorded_hosts
    by_code: dict[int, tuple[str, ...]] = {}
    for code, text in enumerate(() if ran_on is None else ran_on.names):
        try:
            by_code[code] = tuple(dict.fromkeys(host_names(text)))
        except InputError:  # a cell that is no list of hosts
            continue
    names = tuple(sorted({name for each in by_code.values() for name in each}, key=_natural))
    number = {name: k for k, name in enumerate(names)}
    return {code: np.array([number[name] for name in each], np.int64) for code, each in by_code.items() if each}, names


def _natural(name: str) -> tuple[str, list[int], str]:
    return _DIGITS.sub("#", name), [int(each) for each in _DIGITS.findall(name)], name


def _started(workload: Workload, job: Longs) -> Bools:
    if workload.recorded_wait_s is None:
        return np.zeros(job.size, dtype=bool)
    return np.asarray(~np.isnan(workload.recorded_wait_s[job]))


def _most_at_once(workload: Workload, job: Longs, host: Longs, share: Floats, hosts: int) -> Floats:
    """float64[H, R]: the most in use on each host at any moment, and no less than its largest job."""
    most = np.zeros((hosts, share.shape[1]))
    np.maximum.at(most, host, share)
    on = _started(workload, job)
    job, host, share = job[on], host[on], share[on]
    if not job.size:
        return most
    assert workload.recorded_wait_s is not None
    start_s = workload.submit_s[job] + workload.recorded_wait_s[job]
    at_s = np.concatenate((start_s, start_s + workload.runtime_s[job]))
    where = np.concatenate((host, host))
    begins = np.arange(where.size) < job.size
    order = np.lexsort((begins, at_s, where))  # what ends at a moment is free for what starts then
    used = np.cumsum(np.concatenate((share, -share))[order], axis=0)  # each host gives back all that it lent
    np.maximum.at(most, where[order], used)
    return most


def _peak(workload: Workload) -> Floats:
    """float64[R]: the most that all jobs held at once."""
    every = np.arange(workload.jobs)
    one = np.zeros(workload.jobs, np.int64)
    here = _started(workload, every)
    share = workload.demand * workload.task_count[:, None]
    if not here.any():
        return np.zeros(len(workload.resources))
    return np.asarray(_most_at_once(workload, every[here], one[here], share[here], 1)[0])


def _partitions(workload: Workload, job: Longs, host: Longs, hosts: int) -> tuple[tuple[str, ...], ...]:
    bound = workload.constraints
    column = None if bound is None else bound.partition
    if column is None:
        return ((),) * hosts
    code = column.code[job].astype(np.int64)
    pairs = np.unique(host[code >= 0] * len(column.names) + code[code >= 0])
    of_host: list[list[str]] = [[] for _ in range(hosts)]
    for pair in pairs.tolist():
        of_host[pair // len(column.names)].append(column.names[pair % len(column.names)])
    return tuple(tuple(each) for each in of_host)


def _kinds(names: tuple[str, ...], partitions: tuple[tuple[str, ...], ...]) -> Longs:
    keys = [(_DIGITS.sub("#", name), each) for name, each in zip(names, partitions, strict=True)]
    number = {key: k for k, (key, _) in enumerate(Counter(keys).most_common())}
    return np.array([number[key] for key in keys], np.int64)


def _round_up(amounts: Floats, resources: tuple[str, ...]) -> Floats:
    """Whole units, and whole GiB of memory: up to the next."""
    units = np.array([GB if name == MEMORY else 1.0 for name in resources])
    return np.asarray(np.ceil(np.maximum(amounts / units - 1e-9, 0.0)) * units)
