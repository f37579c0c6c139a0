"""Lays out what binds jobs for the compiled engine: rows of the queue, and the arrays of `bound_state`."""

from typing import Any

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, Longs, frozen_floats, frozen_ints, frozen_longs
from loadmaster.model.dependencies import KINDS
from loadmaster.schedule.binding import Binding
from loadmaster.schedule.binding_limits import Counters
from loadmaster.schedule.binding_waits import Waits as Dependents
from loadmaster.schedule.binding_waits import ended_well
from loadmaster.sim.queue.bound_state import AFTER, ANY, ILL, NOBODY, WELL, Bound, Closures, Cut, Waits
from loadmaster.sim.queue.queue_state import Jobs

_KIND = {"after": AFTER, "afterany": ANY, "afterok": WELL, "afternotok": ILL, "aftercorr": WELL}


def open_rows(binding: Binding) -> Longs:
    """int64[E]: the entries of jobs that can run, in which they may start."""
    entries = binding.entries
    return np.flatnonzero(~entries.closed & (binding.never[entries.job] == 0))


def rows_of(jobs: Jobs, binding: Binding) -> Jobs:
    """What `jobs` says of jobs, said of the rows of the queue."""
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
        allowed=_read_only(entries.allowed),
        whole=_read_only(entries.allowed.all(axis=1)),
        uses=uses,
        use_limit=limit,
        use_amount=amount,
    )


def bound_of(workload: Workload, cluster: Cluster, binding: Binding, jobs: Jobs, *, asks: bool = False) -> Bound:
    """All that binds the rows `jobs`, and nothing has happened yet; `asks`: somebody outside decides."""
    entries, rows = binding.entries, open_rows(binding)
    owner = entries.job[rows]
    tiers, tier = np.unique(entries.tier[rows], return_inverse=True)
    arrays, numbered = np.unique(binding.array, return_inverse=True)
    array = frozen_ints(np.where(binding.array < 0, NOBODY, numbered.reshape(-1)))
    submits, limit, _ = _uses(binding.submits, entries.first[:-1])
    with_latest = np.flatnonzero(np.isfinite(binding.latest_s))
    number = workload.jobs
    news = number if asks else 0
    stops = binding.rules.limits_stop and len(binding.counters.most) > 0
    return Bound(
        owner=frozen_ints(owner.astype(np.int32)),
        rows=frozen_longs(np.searchsorted(owner, np.arange(number + 1))),
        partition=frozen_ints(entries.partition[rows]),
        tier=frozen_ints(tier.reshape(-1).astype(np.int32)),
        array=array,
        submit_s=frozen_floats(workload.submit_s),
        eligible_s=frozen_floats(binding.eligible_s),
        latest_s=frozen_floats(binding.latest_s),
        by_latest=frozen_ints(with_latest[np.argsort(binding.latest_s[with_latest], kind="stable")].astype(np.int32)),
        never=_read_only(binding.never != 0),
        requeue=_read_only(binding.requeue),
        well=_read_only([ended_well(int(status)) for status in binding.waits.status]),
        submits=submits,
        limit=limit,
        most=binding.submits.most.copy(),
        waits=np.zeros(number, np.bool_),
        queued=np.zeros(number, np.bool_),
        ready_s=np.full(number, np.inf),
        timer_s=np.zeros(2 * number + 2),
        timer=np.zeros(2 * number + 2, np.int32),
        begun=np.zeros(number, np.bool_),
        serial=np.zeros(len(rows), np.int64),
        end_s=np.full(number, np.nan),
        stopped=np.zeros(number, np.bool_),
        entered=np.full(number, -1, np.int64),
        started=np.zeros(number, np.int64),
        passed=np.zeros(len(arrays), np.int64),
        shunned=np.zeros(1 + int(entries.partition.max(initial=0)), np.int64),
        saved=np.zeros(len(jobs.use_limit)),
        saved_limit=np.zeros(len(jobs.use_limit), np.int32),
        clock=np.array([-np.inf, np.inf]),
        news_job=np.zeros(news, np.int32),
        news_s=np.zeros(news),
        news_how=np.zeros(news, np.int8),
        tiers=max(1, len(tiers)),
        limits_stop=stops,
        looks_at_all=stops or not _tasks_are_alike(jobs, array[owner]),
        tally=np.zeros(20, np.int64),
        on=_waits(binding.waits, number),
        closures=_closures(binding, cluster),
        cut=_cut(number, len(rows), int(jobs.first_task[-1]), fails=bool(binding.calendar.failures)),
    )


def _tasks_are_alike(jobs: Jobs, array: Ints) -> bool:
    """Whether the tasks of each array ask for the same: where one cannot fit, none of the others can."""
    rows = np.flatnonzero(array >= 0)
    asked = np.column_stack((array[rows], jobs.kind[rows], jobs.expected_s[rows]))
    return len(np.unique(asked, axis=0)) == len(np.unique(array[rows]))


def _uses(counters: Counters, rows: Longs) -> tuple[Longs, Ints, Floats]:
    """What the entries `rows` count, as `Jobs.uses` has it."""
    begin, many = counters.first[rows], counters.first[rows + 1] - counters.first[rows]
    first = np.concatenate(([0], np.cumsum(many))).astype(np.int64)
    at = np.arange(first[-1]) - np.repeat(first[:-1], many) + np.repeat(begin, many)
    return frozen_longs(first), frozen_ints(counters.counter[at]), frozen_floats(counters.amount[at])


def _waits(waits: Dependents, jobs: int) -> Waits:
    kind = np.array([_KIND[KINDS[code]] for code in waits.kind], np.int8)
    many = np.diff(waits.first_on)
    by_named = np.argsort(waits.on, kind="stable")
    grouped = np.flatnonzero(waits.group >= 0)
    groups, group = np.unique(waits.group[grouped], return_inverse=True)
    of_job = np.full(jobs, NOBODY, np.int32)
    of_job[grouped] = group.reshape(-1)
    member = grouped[np.argsort(group.reshape(-1), kind="stable")]
    members = np.searchsorted(np.sort(group.reshape(-1)), np.arange(len(groups) + 1)).astype(np.int64)
    place = np.zeros(jobs, np.int64)
    place[member] = np.arange(len(member))
    return Waits(
        first=frozen_longs(waits.first),
        kind=kind,
        delay_s=np.where(kind == AFTER, waits.delay_s, 0.0),
        owner=np.repeat(np.arange(jobs, dtype=np.int32), np.diff(waits.first)),
        one_is_enough=_read_only(waits.one_is_enough),
        told=frozen_longs(np.searchsorted(waits.on[by_named], np.arange(jobs + 1))),
        telling=frozen_ints(np.repeat(np.arange(len(kind), dtype=np.int32), many)[by_named]),
        todo=many.astype(np.int64),
        met_s=np.full(len(kind), -np.inf),
        group=frozen_ints(of_job),
        single=_read_only(waits.single),
        members=members,
        member=member.astype(np.int32),
        place=place,
        lead=members[:-1].copy(),
        busy=np.zeros(len(groups), np.int64),
        turn=np.full(len(groups), NOBODY, np.int32),
    )


def _closures(binding: Binding, cluster: Cluster) -> Closures:
    calendar = binding.calendar
    rows = (*calendar.foreseen, *calendar.failures)
    number = len(binding.eligible_s)
    kinds: dict[tuple[Any, Any], int] = {}
    who = [kinds.setdefault((row.jobs, row.against), len(kinds)) for row in rows]
    shuts = np.zeros((max(1, len(kinds)), number), np.bool_)
    for (jobs, against), line in kinds.items():
        shuts[line] = against is None
        shuts[line, list(jobs if against is None else against)] = against is not None
    foreseen = len(calendar.foreseen)
    return Closures(
        hosts=np.array([row.hosts for row in rows], np.bool_).reshape(-1, cluster.hosts),
        from_s=np.array([row.from_s for row in rows], np.float64),
        to_s=np.array([row.to_s for row in rows], np.float64),
        unforeseen=np.arange(len(rows)) >= foreseen,
        who=np.array(who, np.int32),
        shuts=shuts,
        failing=np.arange(foreseen, len(rows), dtype=np.int32),
        moments_s=np.array(calendar.moments, np.float64),
        shut=np.zeros(cluster.hosts, np.bool_),
    )


def _cut(jobs: int, rows: int, tasks: int, *, fails: bool) -> Cut:
    room = (jobs, rows, tasks) if fails else (0, 0, 0)
    return Cut(
        job=np.zeros(room[0], np.int32),
        start_s=np.zeros(room[0]),
        end_s=np.zeros(room[0]),
        host=np.zeros(room[2], np.int32),
        key=np.zeros(room[1]),
        row=np.zeros(room[1], np.int32),
    )


def _read_only(flags: Any) -> Bools:
    array: Bools = np.array(flags, dtype=np.bool_)
    array.flags.writeable = False
    return array
