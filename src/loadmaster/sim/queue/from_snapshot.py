"""A snapshot as the beginning of a run: what waits and what runs becomes a workload, and what binds it a binding."""

from typing import NamedTuple

import numpy as np

from loadmaster.backfilling.cluster_wide import amounts_of
from loadmaster.model import CalendarRow, Cluster, Constraints, Partition, SiteRules, StartingState, Workload
from loadmaster.model.arrays import Ints, Longs
from loadmaster.model.snapshot import NEVER_S, Closure, Snapshot
from loadmaster.order import JobColumns
from loadmaster.scheduling.array_limits import throttled_arrays
from loadmaster.scheduling.dependencies import waits_of
from loadmaster.scheduling.host_calendar import Calendar
from loadmaster.scheduling.host_eligibility import Entries
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints
from loadmaster.scheduling.running_limits import LICENCES, Counters, Limit, no_counters

LEAST_S = float(np.nextafter(0.0, 1.0))
"""The runtime of a job that is expected to last for no time."""
_BINDING = ("tier", "partition", "hosts", "array", "min_hosts", "max_hosts")


class Beginning(NamedTuple):
    """A run that begins with a snapshot.

    Attributes:
        workload: J jobs; all have arrived, and some run.
        cluster: its hosts have what is free in the snapshot and what its running tasks hold.
        binding: what binds the jobs; None where nothing does.
        job: int64[Q], the number in the workload of the job of each row of the snapshot's queue.
    """

    workload: Workload
    cluster: Cluster
    binding: ResolvedConstraints | None
    job: Longs


class _Numbers(NamedTuple):
    """How the J jobs of the workload are numbered, in the order of their numbers in the snapshot.

    A running job whose tasks hold different amounts is several jobs, one for each amount.

    Attributes:
        of_row: int64[Q], the job of each row of the queue; of_run: int64[M], of each running job.
        row: int64[J], the first row of each job that waits, 0 for one that runs.
        task: int64[M], the first task of each running job; tasks: int64[N], all, those of each job beside each other.
        many: int32[M], how many tasks it has.
    """

    of_row: Longs
    of_run: Longs
    row: Longs
    task: Longs
    tasks: Longs
    many: Ints


def beginning(snapshot: Snapshot, columns: JobColumns) -> Beginning:
    """The run that goes on from `snapshot` if no job arrives any more and jobs last as long as is expected (rule Q19).

    Limits of users and accounts do not bind, since a snapshot does not say what running jobs count against them.

    Args:
        snapshot: where things stand; some job waits.
        columns: what orders know of the rows of its queue.
    """
    queue, running, numbers = snapshot.queue, snapshot.running, _numbers(snapshot)
    row, runs = numbers.row, numbers.of_run
    demand, tasks, project = queue.demand[row], queue.tasks[row], queue.project[row]
    expected_s = queue.expected_s[row]
    demand[runs], tasks[runs], project[runs] = running.demand[numbers.task], numbers.many, running.project[numbers.task]
    expected_s[runs] = 1.0
    begins_s = np.nan_to_num(_begins_s(snapshot)[numbers.task], nan=snapshot.now_s)
    expected_end_s = running.expected_end_s[numbers.task]
    starting = StartingState(
        snapshot.now_s,
        runs,
        np.minimum(begins_s, snapshot.now_s),
        running.host[numbers.tasks],
        expected_end_s,
        np.maximum(expected_end_s, np.nextafter(snapshot.now_s, np.inf)),
        snapshot.last_host,
        queue.first_task[row],
        JobColumns._make(np.asarray(column)[row] for column in columns),
    )
    workload = Workload(
        snapshot.cluster.resources,
        np.zeros(len(row)),
        np.clip(expected_s, LEAST_S, NEVER_S),
        demand,
        tasks,
        expected_s,
        project,
        None if queue.user is None else queue.user[row],
        starting=starting,
    )
    binding = _binding(snapshot, numbers) if _is_bound(snapshot) else None
    return Beginning(workload, _cluster(snapshot, workload), binding, numbers.of_row)


def _numbers(snapshot: Snapshot) -> _Numbers:
    running = snapshot.running
    waiting, row, of_row = np.unique(snapshot.queue.job, return_index=True, return_inverse=True)
    held = np.column_stack((running.job, running.demand))
    run, task, of_task, many = np.unique(held, axis=0, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(np.concatenate((waiting, run[:, 0])), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    rows = np.zeros(len(order), np.int64)
    rows[place[: len(waiting)]] = row
    return _Numbers(
        place[of_row.reshape(-1)],
        place[len(waiting) :],
        rows,
        task,
        np.argsort(of_task.reshape(-1), kind="stable"),
        many.astype(np.int32),
    )


def _begins_s(snapshot: Snapshot) -> np.ndarray:
    """float64[N]: when each running task started, NaN where unknown."""
    running = snapshot.running
    return np.full(len(running.job), np.nan) if running.start_s is None else running.start_s


def _cluster(snapshot: Snapshot, workload: Workload) -> Cluster:
    """The hosts with their free capacity and that of running tasks; the sum may differ from the real capacity."""
    state = workload.starting
    assert state is not None
    capacity = snapshot.free.copy()
    np.add.at(capacity, state.host, np.repeat(workload.demand[state.job], workload.task_count[state.job], axis=0))
    return Cluster(snapshot.cluster.resources, capacity, speed=snapshot.cluster.speed)


def _is_bound(snapshot: Snapshot) -> bool:
    closed_or_counted = bool(snapshot.closures) or snapshot.cluster_wide > 0
    return closed_or_counted or any(getattr(snapshot.queue, name) is not None for name in _BINDING)


def _binding(snapshot: Snapshot, numbers: _Numbers) -> ResolvedConstraints:
    """What binds the jobs of a snapshot: partitions, hosts, hosts requested, closures, amounts of the whole cluster."""
    queue, jobs = snapshot.queue, len(numbers.row)
    entries = _entries(snapshot, numbers)
    none, many = Constraints(), len(entries.job)
    eligible_s = np.full(jobs, snapshot.now_s) if queue.eligible_s is None else queue.eligible_s[numbers.row]
    eligible_s = np.fmin(eligible_s, snapshot.now_s)
    eligible_s[numbers.of_run] = 0.0
    workload = Workload((), np.zeros(jobs), np.ones(jobs), np.zeros((jobs, 0)))
    array = np.full(jobs, -1, np.int64) if queue.array is None else queue.array[numbers.row]
    return ResolvedConstraints(
        eligible_s,
        np.full(jobs, np.inf),
        np.zeros(jobs, np.int32),
        ("",),
        entries,
        _amounts(snapshot, numbers),
        no_counters(many),
        {},
        waits_of(workload, none),
        array,
        throttled_arrays(jobs, none),
        _calendar(snapshot, numbers),
        np.zeros(jobs, bool),
        np.full(jobs, -1, np.int32) if queue.user is None else queue.user[numbers.row],
        _rules(snapshot),
        snapshot.cluster_wide_changes,
    )


def _amounts(snapshot: Snapshot, numbers: _Numbers) -> Counters:
    """What waiting and running jobs hold of the amounts of the whole cluster, by entry as `_entries` has them."""
    queue, many = snapshot.queue, snapshot.cluster_wide
    if many == 0:
        return no_counters(len(queue) + len(numbers.of_run))
    assert snapshot.left is not None
    uses = queue.uses or ((),) * len(queue)
    waiting = np.array([amounts_of(each, many) for each in uses]).reshape(-1, many)
    held = {end.job: end.demand for end in snapshot.cluster_wide_ends}
    nothing = (0.0,) * many
    # of the parts of one running job the first holds its amounts
    running = np.array([held.pop(job, nothing) for job in snapshot.running.job[numbers.task].tolist()])
    amounts = np.vstack((waiting, running.reshape(-1, many)))
    amounts = amounts[np.argsort(np.concatenate((numbers.of_row, numbers.of_run)), kind="stable")]
    entry, counter = np.nonzero(amounts)
    return Counters(
        snapshot.left[:many] + running.reshape(-1, many).sum(axis=0),
        np.searchsorted(entry, np.arange(len(amounts) + 1)),
        counter.astype(np.int32),
        amounts[entry, counter],
        tuple(Limit(LICENCES, str(number), "", "") for number in range(many)),
    )


def _entries(snapshot: Snapshot, numbers: _Numbers) -> Entries:
    """One for each row of the queue, and one for each running job."""
    queue, runs = snapshot.queue, len(numbers.of_run)
    owner = np.concatenate((numbers.of_row, numbers.of_run))
    order = np.argsort(owner, kind="stable")
    allowed = np.ones((1, len(snapshot.free)), bool)
    hosts = None
    if snapshot.allowed is not None and queue.hosts is not None:
        allowed, hosts = snapshot.allowed, queue.hosts

    def column(values: np.ndarray | None, kind: type = np.int32) -> np.ndarray:
        values = np.zeros(len(queue), kind) if values is None else values
        return np.concatenate((values, np.zeros(runs, values.dtype)))[order]

    return Entries(
        np.searchsorted(owner[order], np.arange(len(numbers.row) + 1)),
        owner[order],
        column(queue.partition),
        column(queue.tier, float),
        column(hosts),
        np.zeros(len(owner), bool),
        allowed,
        None if queue.min_hosts is None else column(queue.min_hosts),
        None if queue.max_hosts is None else column(queue.max_hosts),
    )


def _calendar(snapshot: Snapshot, numbers: _Numbers) -> Calendar:
    """The closures that are known, for jobs as they are numbered here."""
    number = dict(zip(snapshot.queue.job.tolist(), numbers.of_row.tolist(), strict=True))

    def among(jobs: frozenset[int]) -> frozenset[int]:
        return frozenset(number[job] for job in jobs if job in number)

    return Calendar(
        tuple(
            Closure(
                each.hosts,
                each.from_s,
                each.to_s,
                among(each.jobs),
                None if each.against is None else among(each.against),
            )
            for each in snapshot.closures
        ),
        changes_s=tuple(change.end_s for change in snapshot.cluster_wide_changes),
    )


def _rules(snapshot: Snapshot) -> SiteRules:
    """Which hosts each partition has, and whether a calendar closes some: then a count of hosts does not say all."""
    partitions = () if snapshot.partitions is None else snapshot.partitions
    return SiteRules(
        partitions=tuple(
            Partition(str(number), tuple(np.flatnonzero(hosts).tolist())) for number, hosts in enumerate(partitions)
        ),
        calendar=(CalendarRow(0.0, None, "drained", ()),) if snapshot.closures else (),
        limits_stop=snapshot.limits_stop,
    )
