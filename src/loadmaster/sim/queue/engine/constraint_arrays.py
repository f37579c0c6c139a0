"""Lays out the constraints of jobs for the compiled engine: rows of the queue, and the arrays of `constraint_state`."""

from typing import Any

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Ints, Longs, frozen_bools, frozen_floats, frozen_ints, frozen_longs
from loadmaster.model.constraints import STATUSES
from loadmaster.model.dependencies import KINDS
from loadmaster.scheduling.array_limits import ThrottledArrays
from loadmaster.scheduling.dependencies import Waits as Dependents
from loadmaster.scheduling.dependencies import ended_well
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints
from loadmaster.scheduling.running_limits import Counters
from loadmaster.sim.queue.engine.constraint_state import (
    AFTER,
    ANY,
    CLOSURE,
    CUT,
    DEPENDENCY,
    GROUP,
    ILL,
    JOB,
    NEWS,
    NOBODY,
    ROW,
    THROTTLED,
    WELL,
    Closures,
    ConstraintState,
    Cut,
    WaitState,
)
from loadmaster.sim.queue.engine.sleeping_hosts_kernel import sleeping_hosts
from loadmaster.sim.queue.engine.state import Jobs

_KIND = {"after": AFTER, "afterany": ANY, "afterok": WELL, "afternotok": ILL, "aftercorr": WELL}


def open_rows(binding: ResolvedConstraints) -> Longs:
    """int64[E]: the entries in which a job may start; a job that can never run does not join the queue."""
    return np.flatnonzero(~binding.entries.closed)


def rows_of(jobs: Jobs, binding: ResolvedConstraints) -> Jobs:
    """The columns of `jobs`, repeated for the rows of the queue."""
    entries, rows = binding.entries, open_rows(binding)
    owner = entries.job[rows]
    project = jobs.project[owner]
    at = np.lexsort((np.arange(len(rows)), jobs.position[owner], entries.tier[rows], project)).astype(np.int32)
    position = np.empty_like(at)
    position[at] = np.arange(len(rows), dtype=np.int32)
    uses, limit, amount = _uses(binding.counters, rows)
    return jobs._replace(
        submit_s=frozen_floats(jobs.submit_s[owner]),
        runtime_s=frozen_floats(jobs.runtime_s[owner]),
        expected_s=frozen_floats(jobs.expected_s[owner]),
        kind=frozen_ints(jobs.kind[owner]),
        tasks=frozen_ints(jobs.tasks[owner]),
        first_task=frozen_longs(np.append(jobs.first_task[owner], jobs.first_task[-1])),
        project=frozen_ints(project),
        position=frozen_ints(position),
        at=frozen_ints(at),
        span=frozen_longs(np.concatenate(([0], np.cumsum(np.bincount(project, minlength=len(jobs.span) - 1))))),
        hosts=frozen_ints(entries.hosts[rows]),
        allowed=frozen_bools(entries.allowed),
        whole=frozen_bools(entries.allowed.all(axis=1)),
        uses=uses,
        use_limit=limit,
        use_amount=amount,
    )


def bound_of(
    workload: Workload, cluster: Cluster, binding: ResolvedConstraints, jobs: Jobs, *, news: bool = False
) -> ConstraintState:
    """The constraints of the rows `jobs` at the beginning of a run; `news`: ends of jobs are noted."""
    entries, rows = binding.entries, open_rows(binding)
    tiers, tier = np.unique(entries.tier[rows], return_inverse=True)
    row = _empty(ROW, len(rows))
    row.owner, row.queue, row.tier = entries.job[rows], entries.partition[rows], tier.reshape(-1)
    submits, limit, _ = _uses(binding.submits, entries.first[:-1])
    job = _jobs_of(workload, binding, row.owner, submits)
    on = _waits(binding.waits, binding.throttled, job)
    with_latest = np.flatnonzero(np.isfinite(binding.latest_s))
    number, keeps_back = workload.jobs, binding.rules.limits_stop and len(binding.counters.most) > 0
    preemption = bool(binding.calendar.failures) or binding.rules.preemption.by != "none"
    queues = 1 + int(entries.partition.max(initial=0))
    # A full heap of timers is rebuilt from the waiting jobs, each once. A job leaves its hosts once in a step: it
    # cannot start again before the next pass.
    return ConstraintState(
        job=job,
        row=row,
        by_latest=frozen_ints(with_latest[np.argsort(binding.latest_s[with_latest], kind="stable")]),
        limit=limit,
        most=binding.submits.most.copy(),
        timer_s=np.zeros(2 * number + 2),
        timer=np.zeros(2 * number + 2, np.int32),
        passed=np.zeros((1 + int(job.array.max())) * queues, np.int64),
        shunned=np.zeros(queues, np.int64),
        clock=np.array([-np.inf, np.inf]),
        news=_empty(NEWS, number if news else 0),
        tiers=max(1, len(tiers)),
        limits_stop=keeps_back,
        looks_at_all=keeps_back or not _tasks_are_alike(jobs, job.array[row.owner], binding.cluster_wide),
        tally=np.zeros(20, np.int64),
        on=on,
        closures=_closures(binding, cluster),
        cut=_records_of_cut_runs(number, len(rows), int(jobs.first_task[-1]), preemption=preemption),
        sleeping=sleeping_hosts(cluster),
    )


def _jobs_of(workload: Workload, binding: ResolvedConstraints, owner: Ints, submits: Longs) -> Any:
    """Records of all jobs, without their dependencies; `owner` int32[E] is the job of each row."""
    jobs, one = _empty(JOB, workload.jobs + 1), slice(0, workload.jobs)
    jobs.submit_s[one], jobs.eligible_s[one], jobs.latest_s[one] = (
        workload.submit_s,
        binding.eligible_s,
        binding.latest_s,
    )
    jobs.ready_s, jobs.end_s, jobs.entered = np.inf, np.nan, -1
    jobs.rows, jobs.submits = np.searchsorted(owner, np.arange(workload.jobs + 1)), submits
    numbered = np.unique(binding.array, return_inverse=True)[1].reshape(-1)
    jobs.array[one] = np.where(binding.array < 0, NOBODY, numbered)
    jobs.never[one], jobs.requeue[one] = binding.never != 0, binding.requeue
    jobs.well[one] = np.array([ended_well(code) for code in range(len(STATUSES))])[binding.waits.status]
    return jobs


def _empty(kind: Any, many: int) -> Any:
    """That many empty records."""
    return np.zeros(many, kind).view(np.recarray)


def _tasks_are_alike(jobs: Jobs, array: Ints, amounts: int) -> bool:
    """Whether all tasks of each array request the same hosts and `amounts`: if one cannot fit, no other can."""
    rows, cluster_wide = np.flatnonzero(array >= 0), np.zeros((len(array), amounts))
    of, counted = np.repeat(np.arange(len(array)), np.diff(jobs.uses)), jobs.use_limit < amounts
    cluster_wide[of[counted], jobs.use_limit[counted]] = jobs.use_amount[counted]
    columns = array, jobs.kind, jobs.tasks, jobs.expected_s, cluster_wide
    asked = np.column_stack([column[rows] for column in columns])
    return len(np.unique(asked, axis=0)) == len(np.unique(array[rows]))


def _uses(counters: Counters, rows: Longs) -> tuple[Longs, Ints, Floats]:
    """The limits that the entries `rows` count against, as in `Jobs.uses`."""
    begin, many = counters.first[rows], counters.first[rows + 1] - counters.first[rows]
    first = np.concatenate(([0], np.cumsum(many))).astype(np.int64)
    at = np.arange(first[-1]) - np.repeat(first[:-1], many) + np.repeat(begin, many)
    return frozen_longs(first), frozen_ints(counters.counter[at]), frozen_floats(counters.amount[at])


def _waits(waits: Dependents, arrays: ThrottledArrays, jobs: Any) -> WaitState:
    """The dependencies between jobs; fills in their fields of the records `jobs`."""
    number, many = len(jobs) - 1, np.diff(waits.first_on)
    one, by_named = slice(0, number), np.argsort(waits.on, kind="stable")
    dependency = _empty(DEPENDENCY, len(waits.kind))
    dependency.kind = np.array([_KIND[name] for name in KINDS if name in _KIND])[waits.kind]
    dependency.delay_s = np.where(dependency.kind == AFTER, waits.delay_s, 0.0)
    dependency.owner, dependency.todo = np.repeat(np.arange(number), np.diff(waits.first)), many
    dependency.met_s = -np.inf
    grouped = np.flatnonzero(waits.group >= 0)
    groups, number_of = np.unique(waits.group[grouped], return_inverse=True)
    member = grouped[np.argsort(number_of.reshape(-1), kind="stable")]
    group = _empty(GROUP, len(groups) + 1)
    group.members = np.searchsorted(np.sort(number_of.reshape(-1)), np.arange(len(groups) + 1))
    group.lead, group.turn = group.members, NOBODY
    jobs.depends, jobs.named_by = waits.first, np.searchsorted(waits.on[by_named], np.arange(number + 1))
    jobs.group = NOBODY
    jobs.group[grouped] = number_of.reshape(-1)
    jobs.place[member] = np.arange(len(member))
    jobs.single[one], jobs.one_is_enough[one] = waits.single, waits.one_is_enough
    telling = np.repeat(np.arange(len(dependency), dtype=np.int32), many)[by_named]
    throttled = _empty(THROTTLED, len(arrays.most))
    throttled.most, throttled.last, throttled.end = arrays.most, arrays.first[:-1] - 1, arrays.first[:-1]
    jobs.throttled, jobs.throttled[one], jobs.seat[one] = NOBODY, arrays.array, arrays.seat
    return WaitState(
        dependency, group, frozen_ints(telling), frozen_ints(member), throttled, frozen_ints(arrays.member)
    )


def _closures(binding: ResolvedConstraints, cluster: Cluster) -> Closures:
    calendar = binding.calendar
    rows = (*calendar.foreseen, *calendar.failures)
    number = len(binding.eligible_s)
    kinds: dict[tuple[Any, Any], int] = {}
    who = [kinds.setdefault((row.jobs, row.against), len(kinds)) for row in rows]
    shuts = np.zeros((max(1, len(kinds)), number), np.bool_)
    for (jobs, against), line in kinds.items():
        shuts[line] = against is None
        shuts[line, list(jobs if against is None else against)] = against is not None
    closure, foreseen = _empty(CLOSURE, len(rows)), len(calendar.foreseen)
    closure.from_s, closure.to_s = [row.from_s for row in rows], [row.to_s for row in rows]
    closure.who, closure.unforeseen = who, np.arange(len(rows)) >= foreseen
    return Closures(
        closure=closure,
        hosts=np.array([row.hosts for row in rows], np.bool_).reshape(-1, cluster.hosts),
        shuts=shuts,
        failing=np.arange(foreseen, len(rows), dtype=np.int32),
        moments_s=np.array(calendar.moments, np.float64),
        shut=np.zeros(cluster.hosts, np.bool_),
    )


def _records_of_cut_runs(jobs: int, rows: int, tasks: int, *, preemption: bool) -> Cut:
    """Room to record all runs that may be cut short in one step, each job once; none if no run can be.

    The engine returns to the shell after the step in which some runs were cut short.
    """
    if not preemption:
        jobs = rows = tasks = 0
    return Cut(_empty(CUT, jobs), np.zeros(tasks, np.int32), np.zeros(rows), np.zeros(rows, np.int32))
