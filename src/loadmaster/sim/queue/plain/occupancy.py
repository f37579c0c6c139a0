"""The running jobs and their hosts while a log is replayed, their ends, and runs that were cut short."""

import heapq
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from loadmaster.model.amounts import Amounts, minus, plus
from loadmaster.model.cards import HostCards
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Segments
from loadmaster.model.snapshot import ExpectedEnd
from loadmaster.model.workload import Workload
from loadmaster.sim.queue.plain.sleeping_hosts import SleepingHosts


class RunningJob(NamedTuple):
    """A job that runs.

    Attributes:
        start_s: of this run.
        expected_end_s: as a scheduler counts on it.
        end_s: when it will end.
        status: how, a code of `constraints.STATUSES`.
        partition: in which it was started.
        began_s: when its work began, later by as long as it was suspended: estimates count from here.
        speed: of its slowest host.
        hosts: one for each of its tasks.
        ends: what it gives back to each of its hosts at its expected end.
        cards: for each of its tasks, as bits; () where GPUs are no cards (rule Q22).
    """

    start_s: float
    expected_end_s: float
    end_s: float
    status: int
    partition: int
    began_s: float
    speed: float
    hosts: tuple[int, ...]
    ends: tuple[ExpectedEnd, ...]
    cards: tuple[int, ...] = ()

    def shifted(self, by_s: float) -> "RunningJob":
        """The same with every moment that much later."""
        later = self._replace(start_s=self.start_s + by_s, end_s=self.end_s + by_s, began_s=self.began_s + by_s)
        return later.expecting(self.expected_end_s + by_s)

    def expecting(self, end_s: float) -> "RunningJob":
        """The same with this expected end."""
        return self._replace(expected_end_s=end_s, ends=tuple(end._replace(end_s=end_s) for end in self.ends))


class Occupancy:
    """Hosts, and the jobs on them.

    Attributes:
        amounts: R amounts of each of H hosts, what is free there; where GPUs are cards, those of its cards behind them.
        together: of all hosts.
        running: by job number, in the order of starts.
        start_s, end_s: of the last run of each of J jobs; NaN where there is none.
        host: of each of T tasks; -1 where there is none.
        cards: of each of T tasks, as bits; None where GPUs are no cards.
        sleeping: the hosts that sleep while they are idle.
    """

    def __init__(self, workload: Workload, cluster: Cluster, cards: HostCards | None = None) -> None:
        empty = cluster.capacity if cards is None else np.hstack((cluster.capacity, cards.free()))
        self.amounts: list[Amounts] = list(map(tuple, empty.tolist()))
        self.together: Amounts = tuple(cluster.total.tolist())
        self.running: dict[int, RunningJob] = {}
        self.start_s = [math.nan] * workload.jobs
        self.end_s = [math.nan] * workload.jobs
        self.first_task: list[int] = workload.first_task.tolist()
        self.host = [-1] * self.first_task[-1]
        self.cards: list[int] | None = None if cards is None else [0] * self.first_task[-1]
        self.sleeping = SleepingHosts(cluster)
        self._ends: list[tuple[float, int]] = []
        self._cut: list[tuple[int, float, float, bool, list[int]]] = []

    def start(self, job: int, hosts: tuple[int, ...], run: RunningJob) -> None:
        """A job takes its hosts."""
        self.start_s[job], self.end_s[job] = run.start_s, run.end_s
        self._write_hosts(job, hosts, run.cards)
        self.running[job] = run
        self.sleeping.take(hosts)
        self._take(self._held(job))
        heapq.heappush(self._ends, (run.end_s, job))

    def next_end_s(self) -> float:
        """When the next job ends, infinite if none runs."""
        while self._ends:
            end_s, job = self._ends[0]
            run = self.running.get(job)
            if run is not None and run.end_s == end_s:
                return end_s
            heapq.heappop(self._ends)
        return math.inf

    def pop(self) -> tuple[int, RunningJob]:
        """The job that ends next gives its hosts back; of several, the lowest number. Call `next_end_s` before."""
        end_s, job = heapq.heappop(self._ends)
        self._give_back(self._held(job))
        self.sleeping.leave(self.running[job].hosts, end_s)
        return job, self.running.pop(job)

    def stop(self, job: int, now_s: float, *, for_good: bool) -> None:
        """A job is taken off its hosts; unless `for_good` its work is lost, and it has no start until it runs again."""
        self._give_back(self._held(job))
        run = self.running.pop(job)
        self.sleeping.leave(run.hosts, now_s)
        self.end_s[job] = now_s
        if not for_good:
            self._cut = [(*row[:3], True, row[4]) if row[0] == job else row for row in self._cut]
            self._cut.append((job, run.start_s, now_s, True, self.hosts_of(job)))
            self.start_s[job] = self.end_s[job] = math.nan
            tasks = self.first_task[job + 1] - self.first_task[job]
            self._write_hosts(job, [-1] * tasks, [0] * tasks)

    def end_sooner(self, job: int, end_s: float, status: int) -> bool:
        """A job that runs is to end at `end_s`; False if it would have before."""
        run = self.running[job]
        run = self.running[job] = run.expecting(min(end_s, run.expected_end_s))
        if end_s >= run.end_s:
            return False
        self.running[job] = run._replace(end_s=end_s, status=status)
        self.end_s[job] = end_s
        heapq.heappush(self._ends, (end_s, job))
        return True

    def end_at(self, job: int, end_s: float, status: int) -> None:
        """It turns out that a job that runs ends at `end_s`; when it was expected to does not change."""
        self.running[job] = self.running[job]._replace(end_s=end_s, status=status)
        self.end_s[job] = end_s
        heapq.heappush(self._ends, (end_s, job))

    def suspend(self, job: int, now_s: float) -> RunningJob:
        """A job gives its cores back and keeps the rest; its run so far is kept."""
        run = self.running.pop(job)
        self._give_back(_cores_of(run))
        if now_s > run.start_s:
            self._cut.append((job, run.start_s, now_s, False, self.hosts_of(job)))
        return run

    def resume(self, job: int, run: RunningJob) -> bool:
        """It goes on as `run` if its cores are free on the hosts that it has kept; whether they were."""
        if any(self.amounts[end.host][0] < end.demand[0] for end in run.ends):
            return False
        self._take(_cores_of(run))
        self.start_s[job], self.end_s[job] = run.start_s, run.end_s
        self.running[job] = run
        heapq.heappush(self._ends, (run.end_s, job))
        return True

    def segments(self) -> Segments | None:
        """The runs that were cut short before the last of their job, None if there was none."""
        return Segments.of(self._cut) if self._cut else None

    def hosts_of(self, job: int) -> list[int]:
        """The host of each of its tasks."""
        return self.host[self.first_task[job] : self.first_task[job + 1]]

    def _write_hosts(self, job: int, hosts: Sequence[int], cards: Sequence[int]) -> None:
        tasks = slice(self.first_task[job], self.first_task[job + 1])
        self.host[tasks] = hosts
        if self.cards is not None:
            self.cards[tasks] = cards

    def _held(self, job: int) -> Iterable[tuple[int, Amounts]]:
        """The hosts of a running job, and what it holds on each."""
        return [(host, amounts) for _, _, host, amounts in self.running[job].ends]

    def _take(self, held: Iterable[tuple[int, Amounts]]) -> None:
        for host, amounts in held:
            self.amounts[host] = minus(self.amounts[host], amounts)
            self.together = minus(self.together, amounts)

    def _give_back(self, held: Iterable[tuple[int, Amounts]]) -> None:
        for host, amounts in held:
            self.amounts[host] = plus(self.amounts[host], amounts)
            self.together = plus(self.together, amounts)


def _cores_of(run: RunningJob) -> list[tuple[int, Amounts]]:
    """What a job gives back to each of its hosts while it is suspended."""
    return [(end.host, (end.demand[0], *(0.0 for _ in end.demand[1:]))) for end in run.ends]
