"""The state of a recorded run at any moment, rebuilt from its starts and hosts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.measure.cards_held import CardsHeld, cards_held
from loadmaster.model import Queue, Running, Snapshot, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.cards import cards_wanted, host_cards
from loadmaster.model.time_grid import at_or_after
from loadmaster.order import Ranking
from loadmaster.runs.record import Record
from loadmaster.runs.replay import replayed_until
from loadmaster.runs.setting import discipline_of
from loadmaster.scheduling.predictions import corrections_of
from loadmaster.scheduling.resolved_constraints import binds


@dataclass(frozen=True, eq=False)
class RanTasks:
    """N tasks that ran at some moment of a span of time, in the order of their starts.

    Attributes:
        job: int64[N].
        host: int32[N].
        start_s: float64[N].
        end_s: float64[N].
        demand: float64[N, R].
        cards: where GPUs are cards (rule Q22), what the tasks hold of them; None elsewhere.
    """

    job: Longs
    host: Ints
    start_s: Floats
    end_s: Floats
    demand: Floats
    cards: CardsHeld | None = None

    def jobs_at(self, now_s: float) -> list[int]:
        """The jobs that run as the cycle at `now_s` begins."""
        on = (self.start_s < now_s) & (self.end_s > now_s)
        return list(dict.fromkeys(self.job[on].tolist()))

    def free(self, capacity: Floats, now_s: float) -> Floats:
        """float64[H, R]: what is free as the cycle at `now_s` begins: what ended is gone, nothing has started."""
        on = (self.start_s < now_s) & (self.end_s > now_s)
        used = np.empty(capacity.shape)
        for r in range(capacity.shape[1]):
            used[:, r] = np.bincount(self.host[on], weights=self.demand[on, r], minlength=len(capacity))
        return np.asarray(capacity - used)

    def enough(self, capacity: Floats, demand: Floats, now_s: float) -> Bools:
        """bool[H, R]: the hosts with enough free for a task of `demand`, as the cycle at `now_s` begins."""
        enough = np.asarray(self.free(capacity, now_s) >= demand)
        if self.cards is None:
            return enough
        on = (self.start_s < now_s) & (self.end_s > now_s)
        wanted, share = cards_wanted(float(demand[self.cards.column]))
        fitting = (self.cards.free(self.host, on) >= share).sum(axis=1)
        enough[:, self.cards.column] = fitting >= wanted
        return enough


def tasks_between(record: Record, begin_s: float, until_s: float) -> RanTasks:
    """The tasks that started before `until_s` and ended after `begin_s`, in each run of a job that was stopped."""
    workload, schedule = record.workload, record.schedule
    job: Longs = np.arange(workload.jobs)
    start, end = schedule.start_s, schedule.ends_s(workload)
    first, hosts = workload.first_task[:-1], schedule.host
    if (cut := schedule.segments) is not None:
        job = np.append(job, cut.job)
        start, end = np.append(start, cut.start_s), np.append(end, cut.end_s)
        first, hosts = np.append(first, cut.first[:-1] + len(hosts)), np.append(hosts, cut.host)
    runs = np.flatnonzero((start < until_s) & (end > begin_s))
    runs = runs[np.argsort(start[runs], kind="stable")]
    count = workload.task_count[job[runs]]
    run = np.repeat(runs, count)
    within = np.arange(run.size) - np.repeat(np.cumsum(count) - count, count)
    task = np.repeat(first[runs], count) + within
    cards = cards_held(workload, record.case.cluster, schedule, job[run], task)
    return RanTasks(job[run], hosts[task], start[run], end[run], workload.demand[job[run]], cards)


def snapshot_at(record: Record, now_s: float) -> Snapshot:
    """What the scheduler saw in the cycle at `now_s`.

    The record does not say in which order jobs were started within one cycle; the order of their arrival is taken.
    Only the last host used depends on that, and only where a discipline serves the queue in another order.
    """
    workload, schedule = record.workload, record.schedule
    if binds(workload, record.case.cluster) or workload.starting is not None:
        return replayed_until(record, now_s)
    workload = workload.expecting(schedule.expects_s(workload))
    ranking = _ranking_at(record, workload, now_s)
    waiting = np.flatnonzero((workload.submit_s <= now_s) & ~(schedule.start_s < now_s))
    cards = host_cards(workload, record.case.cluster)
    project = np.zeros(workload.jobs, np.int32) if workload.project is None else workload.project
    queue = Queue(
        waiting,
        workload.demand[waiting],
        workload.task_count[waiting],
        workload.expected_s[waiting],
        project[waiting],
        workload.first_task[waiting],
        rank=ranking.ranks(waiting, now_s),
        user=None if workload.user is None else workload.user[waiting],
        eligible_s=workload.submit_s[waiting],
        cards=None if cards is None else cards.layout,
    )
    on = tasks_between(record, now_s, now_s)
    cluster = record.case.cluster
    ends_s = _expected_ends_s(record, workload, on, now_s)
    held = None if on.cards is None else on.cards.held
    running = Running(on.job, on.host, on.demand, ends_s, project[on.job], on.start_s, held)
    works = (on.start_s < now_s) & (on.end_s > now_s)
    free = on.free(cluster.capacity, now_s)
    return Snapshot(
        now_s,
        cluster,
        free,
        queue,
        running,
        _last_host(record, now_s),
        record.setting.seed,
        need=ranking.need(waiting),
        as_pool=hosts_are_one_pool(workload.demand, cluster),
        free_cards=None if on.cards is None else on.cards.free(on.host, works),
    )


def _expected_ends_s(record: Record, workload: Workload, on: RanTasks, now_s: float) -> Floats:
    """float64[N]: when each running task was expected to end at `now_s`; `workload` has what was expected at first."""
    slowest = _slowest(record)
    ends_s = np.asarray(on.start_s + workload.expected_s[on.job] / slowest[on.job])
    corrections = corrections_of(record.estimate_model, record.workload, workload.expected_s)
    if corrections is not None:
        for task in np.flatnonzero(ends_s <= now_s).tolist():
            job = int(on.job[task])
            ends_s[task] = corrections.end_s(job, float(on.start_s[task]), float(slowest[job]), now_s)
    return ends_s


def _ranking_at(record: Record, workload: Workload, now_s: float) -> Ranking:
    """The order as it stood when the cycle at `now_s` began, having been told all that happened before."""
    start_s = record.schedule.start_s
    ends_s = record.schedule.ends_s(workload)
    order = discipline_of(record.setting, record.sources).order
    ranking = order.begin(workload, record.case.cluster)
    # What happens at one moment is told in the order in which the engine deals with it.
    events = [
        *((end_s, 0, int(job)) for job, end_s in enumerate(ends_s) if end_s <= now_s),
        *((submit_s, 2, job) for job, submit_s in enumerate(workload.submit_s.tolist()) if submit_s <= now_s),
        *((begin_s, 3, job) for job, begin_s in enumerate(start_s.tolist()) if begin_s < now_s),
    ]
    if np.isfinite(ranking.period_s):
        events += [(tick_s, 1, -1) for tick_s in np.arange(1, now_s // ranking.period_s + 1) * ranking.period_s]
    calls = (ranking.ended, None, ranking.submitted, ranking.started)
    for time_s, what, job in sorted(events):
        call = calls[what]
        if call is None:
            ranking.tick(time_s)
        else:
            call(job, time_s if what == 0 else at_or_after(time_s, record.setting.interval_s))
    return ranking


def _slowest(record: Record) -> Floats:
    """float64[J]: the speed of the slowest host of every job; 1 where it never started."""
    assert record.case.cluster.speed is not None
    placed = record.schedule.host >= 0
    owner = np.repeat(np.arange(record.workload.jobs), record.workload.task_count)[placed]
    speed = np.full(record.workload.jobs, np.inf)
    np.minimum.at(speed, owner, record.case.cluster.speed[record.schedule.host[placed]])
    return np.where(np.isfinite(speed), speed, 1.0)


def _last_host(record: Record, now_s: float) -> int:
    before = np.where(record.schedule.start_s < now_s, record.schedule.start_s, -np.inf)
    latest = before.max(initial=-np.inf)
    if latest == -np.inf:
        return -1
    job = int(np.flatnonzero(before == latest)[-1])
    return int(record.schedule.host[record.workload.first_task[job + 1] - 1])


def job_named(record: Record, name: int | str) -> int | None:
    """The number of the job that its user, or the log, calls `name`; None if there is none.

    Of several jobs with the number 7 the first is meant, and `7@2` is the second.
    A live engine may mark names that it gives twice, as `12@1700000000`: without the mark the last of them is meant. Of
    `default/web-1@6f1c` the name `web-1` will do, where no other namespace has such a job.
    """
    word = str(name)
    numbered = re.fullmatch(r"([0-9]{1,18})@([0-9]{1,9})", word)
    if numbered is not None and not record.called:
        same = jobs_numbered(record, int(numbered[1]))
        which = int(numbered[2])
        return same[which - 1] if 0 < which <= len(same) else None
    if record.called or not word.isdecimal():
        names = [str(record.name_of(job)) for job in range(record.workload.jobs)]
        rows = meant(names, word)
        if rows or not word.isdecimal():
            return rows[-1] if rows else None
    return next(iter(jobs_numbered(record, int(word))), None)


def meant(names: Sequence[str], word: str) -> list[int]:
    """Which of some names a word means: in full, without the mark, or else without the namespace if only one has it.

    Example:
        >>> meant(["a/web@1", "b/web@2", "a/db@3"], "a/web"), meant(["a/web@1", "b/web@2", "a/db@3"], "db")
        ([0], [2])
        >>> meant(["a/web@1", "b/web@2", "a/db@3"], "web")
        []
    """
    bare = [name.partition("@")[0] for name in names]
    if rows := [row for row, name in enumerate(names) if word in (name, bare[row])]:
        return rows
    short = [row for row, name in enumerate(bare) if word == name.rpartition("/")[2]]
    return short if len({bare[row] for row in short}) == 1 else []


def jobs_numbered(record: Record, identifier: int) -> list[int]:
    """The jobs that the log numbers so, in the order of their arrival: a log may give a number twice."""
    ids = record.workload.job_id
    if ids is None:
        return [identifier] if 0 <= identifier < record.workload.jobs else []
    return np.flatnonzero(ids == identifier).tolist()
