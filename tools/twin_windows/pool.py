"""A twin over orders with EASY on one pool of equal processors, written a second time and apart from the product.

Rules Q5, Q19 and Q20 and nothing else: six weeks of a log take tenths of a second. What it says is worth something
only because it is compared with the product: `python tools/twin_windows --check`, and a test on logs at random.
"""

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

FCFS, WFP3, LXF = range(3)
Floats = NDArray[np.float64]


class Member(NamedTuple):
    """An order with EASY: which one, and whether holes are filled shortest first."""

    order: int
    shortest: bool


MEMBERS = {
    "fcfs+easy": Member(FCFS, False),
    "wfp3+easy": Member(WFP3, False),
    "lxf+easy": Member(LXF, False),
    "fcfs+easy(fill=shortest)": Member(FCFS, True),
    "lxf+easy(fill=shortest)": Member(LXF, True),
}
"""The usual members of a twin, in their order."""


class Jobs(NamedTuple):
    """J jobs in the order of arrival.

    Attributes:
        submit_s, runtime_s, expected_s: float64[J].
        cores: float64[J].
    """

    submit_s: Floats
    runtime_s: Floats
    expected_s: Floats
    cores: Floats


class Looks(NamedTuple):
    """Seconds from look to look, the handicap of members whose order does not look at runtimes, and an echo.

    The echo is seconds of arrivals that a look takes to come once more; the product has none.
    """

    every_s: float = 600.0
    handicap: float = 0.2
    echo_s: float = 0.0


def replay(jobs: Jobs, cores: float, members: tuple[Member, ...], looks: Looks = Looks()) -> Floats:
    """float64[J]: when every job starts under a twin of these, or under the one."""
    jobs = Jobs(*(np.array(column, np.float64) for column in jobs))
    start_s: Floats = _replay(jobs, float(cores), np.array(members, np.int64), looks)
    return start_s


@njit(cache=True)
def _replay(jobs, cores, members, looks):
    start_s, ends_s = np.full(jobs.submit_s.size, np.nan), np.full(jobs.submit_s.size, np.nan)
    waiting, running, ends = [0][:0], [0][:0], [(0.0, 0)][:0]
    come, free, member, look_s = 0, cores, -1, -np.inf
    while come < jobs.submit_s.size or len(waiting) > 0:
        now_s = np.inf
        if come < jobs.submit_s.size:
            now_s = jobs.submit_s[come]
        if len(ends) > 0:
            now_s = min(now_s, ends[0][0])
        if now_s == np.inf:
            break
        free += _end(jobs, ends, running, now_s)
        while come < jobs.submit_s.size and jobs.submit_s[come] <= now_s:
            waiting.append(come)
            come += 1
        if len(waiting) == 0:
            continue
        if len(members) == 1:
            member = 0
        elif look_s <= now_s:
            member = _look(jobs, come, waiting, running, ends_s, free, now_s, members, member, looks)
            look_s = (np.floor(now_s / looks.every_s) + 1) * looks.every_s
        for job in _serve(jobs, waiting, running, ends_s, free, now_s, members[member]):
            start_s[job], ends_s[job] = now_s, now_s + jobs.expected_s[job]
            free -= jobs.cores[job]
            running.append(job)
            waiting.remove(job)
            heappush(ends, (now_s + jobs.runtime_s[job], job))
    return start_s


@njit(cache=True)
def _end(jobs, ends, running, now_s):
    """Take those off that end up to now; the cores that they give back."""
    back = 0.0
    while len(ends) > 0 and ends[0][0] <= now_s:
        job = heappop(ends)[1]
        running.remove(job)
        back += jobs.cores[job]
    return back


@njit(cache=True)
def _look(jobs, come, waiting, running, ends_s, free, now_s, members, before, looks):
    """The member of the lowest mean wait; of equal ones the one that was followed `before`, else the first (Q20).

    With an echo, those count too who came in the last `echo_s`, as if the like of them came once more.
    """
    known, echo_s = jobs.submit_s.size, looks.echo_s
    jobs = _echoed(jobs, np.searchsorted(jobs.submit_s[:come], now_s - echo_s, side="right"), come, echo_s)
    ends_s = np.append(ends_s, np.full(jobs.submit_s.size - known, np.nan))
    counted = np.append(np.array(waiting), np.arange(known, jobs.submit_s.size))
    mean_s = np.empty(len(members))
    for m in range(len(members)):
        start_s = _work_off(jobs, known, waiting, running, ends_s, free, now_s, members[m])
        mean_s[m] = np.mean(start_s[counted] - jobs.submit_s[counted])
        if members[m][0] == FCFS:
            mean_s[m] *= 1.0 + looks.handicap
    if before >= 0 and mean_s[before] == mean_s.min():
        return before
    return int(mean_s.argmin())


@njit(cache=True)
def _echoed(jobs, first, come, echo_s):
    """The jobs, and behind them those from `first` to `come` once more, `echo_s` later and as long as estimated."""
    if echo_s == 0.0:
        return jobs
    expected_s = np.append(jobs.expected_s, jobs.expected_s[first:come])
    submit_s = np.append(jobs.submit_s, jobs.submit_s[first:come] + echo_s)
    return Jobs(submit_s, expected_s, expected_s, np.append(jobs.cores, jobs.cores[first:come]))


@njit(cache=True)
def _work_off(jobs, come, waiting, running, ends_s, free, now_s, member):
    """When all those start who wait, if nobody comes any more but those from `come` on (rule Q19)."""
    start_s, ends_s = np.full(jobs.submit_s.size, np.nan), ends_s.copy()
    waiting, running = list(waiting), list(running)
    ends = [(max(ends_s[job], np.nextafter(now_s, np.inf)), job) for job in running]
    heapify(ends)
    while len(waiting) > 0 or come < jobs.submit_s.size:
        if len(waiting) > 0:
            for job in _serve(jobs, waiting, running, ends_s, free, now_s, member):
                start_s[job], ends_s[job] = now_s, now_s + jobs.expected_s[job]
                free -= jobs.cores[job]
                running.append(job)
                waiting.remove(job)
                heappush(ends, (max(ends_s[job], np.nextafter(now_s, np.inf)), job))
        next_s = ends[0][0] if len(ends) > 0 else np.inf
        if come < jobs.submit_s.size:
            next_s = min(next_s, jobs.submit_s[come])
        if next_s == np.inf:
            break
        now_s = next_s
        free += _end(jobs, ends, running, now_s)
        while come < jobs.submit_s.size and jobs.submit_s[come] <= now_s:
            waiting.append(come)
            come += 1
    return start_s


@njit(cache=True)
def _serve(jobs, waiting, running, ends_s, free, now_s, member):
    """The jobs that one pass of EASY starts (rule Q5)."""
    line, starts = _ranked(jobs, waiting, now_s, member[0]), [0][:0]
    at = 0
    while at < line.size and jobs.cores[line[at]] <= free:
        free -= jobs.cores[line[at]]
        starts.append(line[at])
        at += 1
    if at == line.size:
        return starts
    shadow_s, spare = _shadow(jobs, running, starts, ends_s, free, now_s, jobs.cores[line[at]])
    behind = line[at + 1 :]
    if member[1]:
        behind = behind[np.argsort(jobs.expected_s[behind], kind="mergesort")]
    for job in behind:
        stays = now_s + jobs.expected_s[job] > shadow_s
        if jobs.cores[job] <= free and not (stays and jobs.cores[job] > spare):
            free -= jobs.cores[job]
            spare -= jobs.cores[job] if stays else 0.0
            starts.append(job)
    return starts


@njit(cache=True)
def _ranked(jobs, waiting, now_s, order):
    """int64[Q]: the jobs that wait, the lowest rank first, of equal ones the one that came first."""
    line = np.array(sorted(waiting))
    rank = jobs.submit_s[line]
    if order != FCFS:
        wait_s, expected_s = now_s - rank, np.maximum(jobs.expected_s[line], 1.0)
        if order == WFP3:
            rank = -((wait_s / expected_s) ** 3) * np.maximum(jobs.cores[line], 1.0)
        else:
            rank = -(wait_s + expected_s) / expected_s
    return line[np.argsort(rank, kind="mergesort")]


@njit(cache=True)
def _shadow(jobs, running, starts, ends_s, free, now_s, asked):
    """When so many cores are free if all end as expected, and how many more are free then."""
    soon_s = np.nextafter(now_s, np.inf)
    ends = [(max(ends_s[job], soon_s), jobs.cores[job]) for job in running]
    ends.extend([(max(now_s + jobs.expected_s[job], soon_s), jobs.cores[job]) for job in starts])
    ends.sort()
    for i in range(len(ends)):
        free += ends[i][1]
        if free >= asked and (i + 1 == len(ends) or ends[i + 1][0] > ends[i][0]):
            return ends[i][0], free - asked
    return np.inf, free - asked
