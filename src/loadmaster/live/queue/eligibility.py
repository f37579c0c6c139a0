"""Which jobs of an observation may start now, and the snapshot that a scheduler decides on."""

from bisect import insort
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from loadmaster.live.queue.allocations import Allocation, Carryover
from loadmaster.live.queue.listed_rules import rules_in
from loadmaster.live.queue.listing import Listing, workload_in
from loadmaster.live.queue.order_state import OrderView
from loadmaster.live.queue.rows import alike
from loadmaster.live.session.engine import NOWHERE
from loadmaster.model import Cluster, Queue, Running, Snapshot
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.model.awaited_jobs import Awaits
from loadmaster.model.constraints import HOLDS
from loadmaster.model.snapshot import Closure, Promise
from loadmaster.packing.constrained.job_rules import ConstrainedJobs
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints, binds, is_one_pool, resolve_constraints
from loadmaster.sim.queue.plain.limits import LimitsLeft
from loadmaster.sim.queue.plain.waiting_jobs import WaitingJobs
from loadmaster.traces.fit import held_by

TOO_LARGE = "no host has what it requests"
HELD_BY = {"user": "its user holds it", "admin": "an administrator holds it"}
AWAITS = "its dependencies are not met yet"
IN_VAIN = "its dependencies can never be met"


class EligibleJobs:
    """The jobs of an observation, in the order of arrival: job number j is `ids[j]`.

    Attributes:
        ids: the engine's names.
        never: (job, why) of those that can never run here, as far as is known now: some are held, or wait for others.
        awaits: by job, what it waits for in others, where the engine tells it.
        rows: numbers of the jobs that may start now.
        binding: what binds them; None where nothing does.
        rules: that look at where other jobs are; None without any.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.never: list[tuple[str, str]] = []
        self.awaits: dict[str, Awaits] = {}
        self.rows: list[int] = []
        self.binding: ResolvedConstraints | None = None
        self.rules: ConstrainedJobs | None = None

    def know(self, cluster: Cluster, rows: Mapping[str, Mapping[str, Any]], listing: Listing) -> None:
        """These jobs and these hosts are there now; the names of users and the rules between jobs are those listed."""
        self._cluster = cluster
        self.ids = sorted(rows, key=lambda name: rows[name]["submit_s"])
        self._number = {name: job for job, name in enumerate(self.ids)}
        self._host = {name: host for host, name in enumerate(cluster.names)}
        self.awaits = {name: Awaits.of(name, row["awaits"]) for name, row in rows.items() if "awaits" in row}
        self._work = workload_in(cluster, alike([rows[name] for name in self.ids]), listing["names"])
        self.rules = rules_in(listing, rows, self.ids, cluster.names)
        self.binding = resolve_constraints(self._work, cluster) if self.ids and binds(self._work, cluster) else None
        too_large = ~held_by(self._work, cluster, "asked")
        self.never = [(self.ids[job], TOO_LARGE) for job in np.flatnonzero(too_large)]
        self._barred = set(np.flatnonzero(too_large).tolist())
        if self.binding is not None:
            why = zip(self.ids, self.binding.never.tolist(), strict=True)
            reasons = [(name, self.binding.reasons[code]) for name, code in why if code and self.binding.reasons[code]]
            for name, reason in reasons:
                if self._number[name] not in self._barred:
                    self.never.append((name, self._for_now(rows[name], name) or reason))
        self._as_pool = is_one_pool(self._work, cluster, self.binding)

    def _for_now(self, row: Mapping[str, Any], name: str) -> str:
        """What keeps a job from running that may pass: an observation cannot say when; empty if nothing does."""
        if row.get("hold"):
            return HELD_BY[HOLDS[row["hold"]]]
        if float(row.get("eligible_s", 0.0)) < np.inf:
            return ""
        return IN_VAIN if name in self.awaits and self.awaits[name].never else AWAITS

    def why_never(self, name: str) -> str:
        """Why a job can not start, with the jobs that it waits for; empty if it may."""
        why = dict(self.never).get(name, "")
        return self.awaits[name].words if why in (AWAITS, IN_VAIN) and name in self.awaits else why

    def look(self, runs: Mapping[str, Allocation], away: Set[str], up: Sequence[bool], now_s: float) -> None:
        """What holds hosts now, and which jobs are not decided on."""
        self._runs = {self._number[name]: run for name, run in runs.items() if name in self._number}
        self._now_s, self._up = now_s, np.array(up, bool)
        out = {self._number[name] for name in away if name in self._number} | self._barred
        self._pending = WaitingJobs(self._work.jobs, self.binding)
        self._allowance = None if self.binding is None else LimitsLeft(self.binding)
        for job in range(self._work.jobs):
            if job in self._runs or job not in out:
                self._pending.arrive(job)
        for job, run in self._runs.items():
            if job not in self._pending.waiting:  # the site runs what we never would
                insort(self._pending.waiting, job)
            self._pending.start(job, run.start_s)
            if self._allowance is not None:
                self._allowance.start(job, self._partition(job, run), run.start_s)
        self.rows = list(self._pending.eligible(now_s))

    def eligible_ids(self) -> list[str]:
        """The names of those that may start now."""
        return [self.ids[job] for job in self.rows]

    def ready_s(self, name: str) -> float:
        """From when on a job may start."""
        job = self._number[name]
        return float(self._work.submit_s[job]) if self.binding is None else self._pending.ready_s(job)

    def moments_between(self, from_s: float, until_s: float) -> bool:
        """Whether the calendar changes in that time."""
        moments = () if self.binding is None else self.binding.calendar.moments
        return any(from_s < moment <= until_s for moment in moments)

    def queued(self) -> list[str]:
        """The name behind each row of the queue: a job that may run in several partitions has several."""
        return [self.ids[job] for job in self._entries()[0]]

    def snapshot(
        self, demands: Mapping[str, Floats], first_task: Longs, order: OrderView, carried: Carryover, **given: Any
    ) -> Snapshot:
        """What the scheduler sees.

        Args:
            demands: by job, float64[T, R] of running tasks that hold another amount than their job requests.
            first_task: int64[Q], a number for the first task of each row.
            order: what the order says of the queue.
            carried: by earlier passes.
            given: `seed`, `early_end`, `arrived` and `ended` of the snapshot.
        """
        jobs, rows = self._entries()
        work, bound = self._work, self._constraint_columns(rows)
        queue = Queue(
            jobs,
            work.demand[jobs],
            work.task_count[jobs],
            work.expected_s[jobs],
            work.projects[jobs],
            first_task,
            rank=order.ranks,
            user=None if work.user is None else work.user[jobs],
            eligible_s=self._since_s(jobs),
            columns=order.columns,
            **bound.pop("columns"),
        )
        running = self._busy(demands)
        return Snapshot(
            self._now_s,
            self._cluster,
            free_beside(self._cluster, running),
            queue,
            running,
            self._host.get(carried.last_host, NOWHERE),
            need=order.need,
            promises=self.earlier_promises(carried.promises),
            clock=carried.clock,
            as_pool=self._as_pool,
            rules=self.rules,
            **given,
            **bound,
        )

    def _entries(self) -> tuple[Longs, Longs]:
        """Rows of the queue: their jobs, and their entries in the binding."""
        jobs = np.array(self.rows, np.int64)
        if self.binding is None:
            return jobs, jobs
        rows = self.binding.entries.open_to(jobs)
        return self.binding.entries.job[rows], rows

    def _constraint_columns(self, rows: Longs) -> dict[str, Any]:
        down = hosts_down(self._up)
        if self.binding is None or self._allowance is None:
            return {"columns": {}, "closures": down}
        return {
            "columns": self.binding.queue_columns(rows),
            "allowed": self.binding.entries.allowed,
            "left": self._allowance.left_at(self._now_s),
            "closures": (*self.binding.calendar.at(self._now_s), *down),
            "partitions": self.binding.partition_hosts,
            "limits_stop": self.binding.rules.limits_stop,
            "cluster_wide": self.binding.cluster_wide,
            "cluster_wide_ends": self._allowance.cluster_wide_ends(
                {job: run.expected_end_s for job, run in self._runs.items()}
            ),
            "cluster_wide_changes": self._allowance.cluster_wide_changes(self._now_s),
        }

    def _since_s(self, jobs: Longs) -> Floats:
        return (self._work.submit_s if self.binding is None else self.binding.eligible_s)[jobs]

    def _busy(self, demands: Mapping[str, Floats]) -> Running:
        jobs = [(job, run, t) for job, run in self._runs.items() for t in range(len(run.hosts))]
        owner = np.array([job for job, _, _ in jobs], np.int64)
        demand = self._work.demand[owner]
        for row, (job, _, t) in enumerate(jobs):
            if self.ids[job] in demands:
                demand[row] = demands[self.ids[job]][t]
        return Running(
            owner,
            np.array([self._host[run.hosts[t]] for _, run, t in jobs], np.int32),
            demand,
            np.array([run.expected_end_s for _, run, _ in jobs], float),
            self._work.projects[owner],
            np.array([run.start_s for _, run, _ in jobs], float),
        )

    def earlier_promises(self, promises: Mapping[str, tuple[float, tuple[str, ...]]]) -> dict[int, Promise]:
        """Those that stand: of jobs that may start still, on hosts that are there."""
        positions = {}
        for job in self.rows:
            start_s, hosts = promises.get(self.ids[job], (0.0, None))
            if hosts is not None and all(host in self._host for host in hosts):
                positions[job] = Promise(start_s, tuple(self._host[host] for host in hosts))
        return positions

    def _partition(self, job: int, run: Allocation) -> int:
        assert self.binding is not None
        return partition_among(self.binding, job, run.partition)


def hosts_down(up: Bools) -> tuple[Closure, ...]:
    """Hosts that are not `up` bool[H] are closed until the next observation."""
    return () if up.all() else (Closure(~up, -np.inf, np.inf),)


def free_beside(cluster: Cluster, running: Running) -> Floats:
    """float64[H, R]: what running tasks leave; others may have put more on a host than was free."""
    free = np.array(cluster.capacity)
    np.subtract.at(free, running.host, running.demand)
    return np.maximum(free, 0.0)


def partition_among(binding: ResolvedConstraints, job: int, partition: int) -> int:
    """A partition, if it is one of those that a job names; else the first of those."""
    entries = binding.entries
    partitions = entries.partition[int(entries.first[job]) : int(entries.first[job + 1])].tolist()
    return partition if partition in partitions else int(partitions[0])
