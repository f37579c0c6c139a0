"""Checks that jobs waited for hosts that sleep, and for as long as these needed to start (rule C17)."""

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from loadmaster.measure.task_intervals import task_intervals
from loadmaster.model import Schedule, SiteRules, Workload
from loadmaster.model.arrays import Floats
from loadmaster.system.counted import counted

_SLACK_S = 1e-6


def wrong_start_ups(workload: Workload, rules: SiteRules, schedule: Schedule) -> Iterator[str]:
    """The first job whose wait for its hosts differs from what their idle times give, as a sentence."""
    if not rules.start_up:
        return
    given_s = np.zeros(workload.jobs) if schedule.start_up_s is None else schedule.start_up_s
    wrong = schedule.started & (np.abs(given_s - _start_ups_s(workload, rules, schedule)) > _SLACK_S)
    if wrong.any():
        job = int(np.argmax(wrong))
        yield (
            f"job {workload.id_of(job)} waited {given_s[job]:.6g} s for its hosts to start, which is not as long as "
            f"they needed ({counted(wrong.sum(), 'job')})"
        )


def _start_ups_s(workload: Workload, rules: SiteRules, schedule: Schedule) -> Floats:
    """float64[J]: how long the last run that began anew waited, from the times in which jobs held each host."""
    before = workload.starting
    running = frozenset() if before is None else frozenset(before.job.tolist())
    lasts_s = {host: each.lasts_s for each in rules.start_up for host in each.hosts}
    idle_s = {host: math.inf if each.idle_s is None else each.idle_s for each in rules.start_up for host in each.hosts}
    begun: dict[tuple[int, float], float] = defaultdict(float)  # by job and start, the wait
    for host, held in _held(workload, schedule).items():
        until_s, up_s = -math.inf, -math.inf
        for start_s, end_s, job in sorted(held):
            asleep = host in lasts_s and (
                until_s == -math.inf if idle_s[host] == math.inf else start_s - until_s > idle_s[host]
            )
            if asleep and job not in running:
                up_s = start_s + lasts_s[host]
            begun[job, start_s] = max(begun[job, start_s], up_s - start_s)
            until_s = max(until_s, end_s)
    last: dict[int, float] = {}
    for job, start_s in begun:
        last[job] = max(last.get(job, -math.inf), start_s)
    waited_s = np.zeros(workload.jobs)
    for job, start_s in last.items():
        waited_s[job] = begun[job, start_s]
    return waited_s


def _held(workload: Workload, schedule: Schedule) -> dict[int, set[tuple[float, float, int]]]:
    """For each host: from when until when which job held it; a suspended job holds on to its hosts."""
    kept_from = _first_of_suspended(schedule)
    held: dict[int, set[tuple[float, float, int]]] = defaultdict(set)
    times = task_intervals(workload, schedule)
    for job, host, start_s, end_s in zip(*(column.tolist() for column in times), strict=True):
        held[host].add((kept_from.get((job, start_s), start_s), end_s, job))
    return held


def _first_of_suspended(schedule: Schedule) -> dict[tuple[int, float], float]:
    """By job and start of a run that goes on with work that was suspended: when that work began."""
    cut = schedule.segments
    if cut is None:
        return {}
    runs: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for job, start_s, lost in zip(cut.job.tolist(), cut.start_s.tolist(), cut.lost.tolist(), strict=True):
        runs[job].append((start_s, lost))
    first = {}
    for job, earlier in runs.items():
        goes_on_from = None
        for start_s, lost in [*sorted(earlier), (float(schedule.start_s[job]), False)]:
            if goes_on_from is not None:
                first[job, start_s] = goes_on_from
            goes_on_from = None if lost else goes_on_from if goes_on_from is not None else start_s
    return first
