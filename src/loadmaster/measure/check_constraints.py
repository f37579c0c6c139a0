"""Checks that a schedule breaks no constraint, from the columns of the jobs and the rules of the site themselves.

Written against the rules (C1 to C17) alone; it shares no code with the engines.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from loadmaster.measure.check_limits import TIMED_CHECKS, beyond_alone, beyond_power_cap, broken_limits, name_behind
from loadmaster.measure.check_start_ups import wrong_start_ups
from loadmaster.measure.task_intervals import TaskIntervals, task_intervals, task_jobs
from loadmaster.model import Cluster, Constraints, Partition, Schedule, SiteRules, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.constraints import STATUSES
from loadmaster.model.dependencies import KINDS
from loadmaster.model.features import hosts_that_serve, parse_choices
from loadmaster.system.counted import counted

_SLACK_S = 1e-6


def broken_constraints(workload: Workload, cluster: Cluster, schedule: Schedule) -> list[str]:
    """Every kind of constraint that is broken, one sentence each with the first case."""
    bound, rules = workload.constraints or Constraints(), cluster.rules or SiteRules()
    timed = [broken for check in TIMED_CHECKS.values() for broken in check(workload, cluster, schedule)]
    if not bound.given and rules == SiteRules():
        return timed
    times = task_intervals(workload, schedule)
    broken = [
        *_times(workload, bound, schedule),
        *_places(workload, cluster, bound, schedule),
        *_calendar(workload, cluster, schedule, bound, rules, times),
        *beyond_alone(workload, bound, rules, schedule),
        *broken_limits(workload, bound, rules, schedule),
        *timed,
        *beyond_power_cap(workload, cluster, schedule),
        *wrong_start_ups(workload, rules, schedule),
    ]
    if bound.depends is not None:
        broken += _dependencies(workload, bound, schedule)
    return broken


def _times(workload: Workload, bound: Constraints, schedule: Schedule) -> Iterator[str]:
    begins = _first_start_s(schedule)
    if bound.eligible_s is not None:
        yield from _first(workload, begins < bound.eligible_s, "starts before its begin time")
    if bound.hold is not None:
        yield from _first(workload, schedule.started & (bound.hold > 0), "starts although it is held")


def _places(workload: Workload, cluster: Cluster, bound: Constraints, schedule: Schedule) -> Iterator[str]:
    owner, rules = task_jobs(workload), cluster.rules or SiteRules()
    hosts: dict[int, set[int]] = {}
    for job, host in zip(owner.tolist(), schedule.host.tolist(), strict=True):
        if host >= 0:
            hosts.setdefault(job, set()).add(host)
    outside, barred, lacking, few, many = (np.zeros(workload.jobs, bool) for _ in range(5))
    for job, used in hosts.items():
        if rules.partitions:
            parts = [part for part in _partitions(job, bound, rules) if _takes(part, used)]
            outside[job] = not parts
            barred[job] = not any(_admits(part, job, workload, bound, rules) for part in parts)
        if bound.features is not None and bound.features[job]:
            names, has = [cluster.name(h) for h in used], [rules.features[h] for h in used] if rules.features else ()
            choices = parse_choices(bound.features[job])
            lacking[job] = not any(all(hosts_that_serve(each, names, has)) for each in choices)
        few[job] = bound.min_hosts is not None and len(used) < bound.min_hosts[job]
        many[job] = bound.max_hosts is not None and 0 < bound.max_hosts[job] < len(used)
    yield from _first(workload, few, "runs on fewer hosts than it requests")
    yield from _first(workload, many, "runs on more hosts than it requests")
    yield from _first(workload, outside, "runs on hosts of no partition that it names and that is up")
    yield from _first(workload, barred & ~outside, "runs where no partition that it names admits it")
    yield from _first(workload, lacking, "runs on a host without the features that it requests")


def _takes(partition: Partition, used: set[int]) -> bool:
    few = partition.min_hosts is not None and len(used) < partition.min_hosts
    many = partition.max_hosts is not None and len(used) > partition.max_hosts
    inside = partition.hosts is None or used <= set(partition.hosts)
    return partition.state in ("up", "drain") and inside and not (few or many)


def _admits(partition: Partition, job: int, workload: Workload, bound: Constraints, rules: SiteRules) -> bool:
    limit_s = bound.limit_s if bound.limit_s is not None else workload.estimate_s
    longest_s = np.inf if partition.max_time_s is None else partition.max_time_s
    account = name_behind(workload.project, bound.account_names, job)
    qos = ("" if bound.qos is None else bound.qos[job]) or rules.default_qos
    by_name = (
        (account, partition.allow_accounts, partition.deny_accounts),
        (qos, partition.allow_qos, partition.deny_qos),
    )
    names = all(name not in denied if allowed is None else name in allowed for name, allowed, denied in by_name)
    return names and (np.inf if limit_s is None else float(limit_s[job])) <= longest_s


def _partitions(job: int, bound: Constraints, rules: SiteRules) -> list[Partition]:
    named = "" if bound.partition is None else bound.partition[job]
    usual = rules.default_partition or rules.partitions[0].name
    names = [name.strip() for name in (named or usual).split(",")]
    return [part for part in rules.partitions if part.name in names]


def _calendar(
    workload: Workload, cluster: Cluster, schedule: Schedule, bound: Constraints, rules: SiteRules, times: TaskIntervals
) -> Iterator[str]:
    assert cluster.speed is not None
    _, run = np.unique(
        np.stack((times.job, times.start_s)), axis=1, return_inverse=True
    )  # a job may run again elsewhere
    slowest = np.full(len(times.job), np.inf)
    np.minimum.at(slowest, run, cluster.speed[times.host])
    expected_end_s = times.start_s + schedule.expects_s(workload)[times.job] / slowest[run]
    starts = ~_goes_on(schedule, times)
    for row in rules.calendar:
        here = np.isin(times.host, row.hosts) if row.hosts is not None else np.ones(len(times.job), bool)
        begins_inside = here & (times.start_s >= row.from_s) & (times.start_s < row.until_s)
        if row.kind == "down":
            wrong = begins_inside | (here & (times.start_s < row.from_s) & (times.end_s > row.from_s + _SLACK_S))
        else:
            foreseen = here & (times.start_s < row.from_s) & (expected_end_s > row.from_s + _SLACK_S)
            may = np.zeros(len(times.job), bool)
            if row.kind == "reserved" and bound.reservation is not None:
                may = np.array([bound.reservation[job] == row.name for job in times.job.tolist()], bool)
            wrong = (begins_inside | foreseen) & starts & ~may
        jobs = np.zeros(workload.jobs, bool)
        jobs[times.job[wrong]] = True
        yield from _first(workload, jobs, f"runs on hosts that are {row.kind} from {row.from_s:.6g} s on")


def _goes_on(schedule: Schedule, times: TaskIntervals) -> NDArray[np.bool_]:
    """bool[N]: in this time the job goes on with what it was stopped in; it starts nothing (rule C8)."""
    on, cut = np.zeros(len(times.job), bool), schedule.segments
    if cut is not None:
        for n in np.argsort(cut.end_s, kind="stable").tolist():
            on[(times.job == cut.job[n]) & (times.start_s >= cut.end_s[n])] = not cut.lost[n]
    return on


def _dependencies(workload: Workload, bound: Constraints, schedule: Schedule) -> Iterator[str]:
    depends = bound.depends
    assert depends is not None
    begins, ends = _first_start_s(schedule), schedule.ends_s(workload)
    ends = np.where(schedule.started, ends, np.inf)
    ends_as = np.zeros(workload.jobs, np.int64) if bound.status is None else bound.status.astype(np.int64)
    if schedule.status is not None:
        ends_as = np.where(schedule.status >= 0, schedule.status, ends_as)
    others = _numbers(workload, bound)
    broken = np.zeros(workload.jobs, bool)
    for job in np.flatnonzero(schedule.started & (np.diff(depends.first) > 0)).tolist():
        met = []
        for row in depends.rows_of(job):
            kind = KINDS[depends.kind[row]]
            if kind == "singleton":
                met.append(_was_alone(job, workload, bound, begins, ends))
                continue
            task = int(depends.task[row])
            if kind == "aftercorr" and task < 0 and bound.array_task is not None:
                task = int(bound.array_task[job])
            named = others(int(depends.on[row]), task)
            moment = begins[named] + depends.delay_s[row] if kind == "after" else ends[named]
            well = ends_as[named] == STATUSES.index("ok")
            right = {"afterok": well, "aftercorr": well, "afternotok": ~well}.get(kind, np.ones(len(named), bool))
            met.append(bool((right & (moment <= begins[job])).all()))
        broken[job] = not (any(met) if depends.one_is_enough[job] else all(met))
    yield from _first(workload, broken, "starts before what it depends on")


def _was_alone(job: int, workload: Workload, bound: Constraints, begins: Floats, ends: Floats) -> bool:
    """No other job of its user and name runs as it starts, nor did one with a smaller number start later."""
    same = np.ones(workload.jobs, bool) if workload.user is None else workload.user == workload.user[job]
    same &= True if bound.name is None else bound.name.code == bound.name.code[job]
    same[job] = False
    runs = same & (begins < begins[job]) & (ends > begins[job])
    return not runs.any() and not (same[:job] & (begins[:job] > begins[job])).any()


def _numbers(workload: Workload, bound: Constraints) -> Callable[[int, int], np.ndarray]:
    ids = np.arange(workload.jobs) if workload.job_id is None else workload.job_id
    array = np.full(workload.jobs, -1) if bound.array is None else bound.array
    tasks = np.full(workload.jobs, -1) if bound.array_task is None else bound.array_task

    def named(identifier: int, task: int) -> np.ndarray:
        of_array = array == identifier
        if of_array.any():
            return np.flatnonzero(of_array & ((tasks == task) | (task < 0)))
        return np.flatnonzero((ids == identifier) & (task < 0))

    return named


def _first_start_s(schedule: Schedule) -> Floats:
    """float64[J]: when each job started for the first time."""
    begins = schedule.start_s.copy()
    cut = schedule.segments
    if cut is not None:
        for job, start_s in zip(cut.job.tolist(), cut.start_s.tolist(), strict=True):
            begins[job] = np.fmin(begins[job], start_s)
    return begins


def _first(workload: Workload, wrong: np.ndarray, rule: str) -> Iterator[str]:
    if wrong.any():
        yield f"job {workload.id_of(int(np.argmax(wrong)))} {rule} ({counted(wrong.sum(), 'job')})"
