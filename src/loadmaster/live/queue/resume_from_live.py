"""The simulator's plain engine, resumed from a live run: its jobs, their hosts, and the state of the order."""

import math
from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from loadmaster.live.queue.allocations import Allocation
from loadmaster.live.queue.eligibility import free_beside, hosts_down, partition_among
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listed_rules import rules_in
from loadmaster.live.queue.listing import workload_in
from loadmaster.live.queue.order_state import OrderState
from loadmaster.live.queue.rows import alike
from loadmaster.model import Cluster, Workload
from loadmaster.model.amounts import Amounts
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.snapshot import Need, Running, Snapshot, ends_of
from loadmaster.order import AnyOrder, JobColumns
from loadmaster.order.order import IgnoresEvents
from loadmaster.sim.queue.plain.occupancy import Occupancy, RunningJob
from loadmaster.sim.queue.plain.scheduler_like import SchedulerLike
from loadmaster.sim.queue.reference import Replay

_CHANGED = "hosts have come, gone or changed: simulated with those of the beginning"


class ResumedEngine(Replay):
    """A replay of jobs by name, whose runs have no end before it is set.

    Args:
        rows: every job that it will ever be told of, as a listing has it.
        ledger: its hosts.
        decider: decides.
        interval_s: seconds between cycles.
        seed: for policies that draw.
    """

    def __init__(
        self, rows: Mapping[str, Any], ledger: Ledger, decider: SchedulerLike, interval_s: float, seed: int
    ) -> None:
        assert ledger.cluster is not None
        self.ids = sorted(rows, key=lambda name: rows[name]["submit_s"])
        self.number = {name: job for job, name in enumerate(self.ids)}
        workload = workload_in(ledger.cluster, alike([rows[name] for name in self.ids]), ledger.listing["names"])
        super().__init__(workload, ledger.cluster, decider, interval_s, seed)
        self.occupancy = self._held = HeldByHost(workload, ledger.cluster)
        self.memory = OrderStateByNumber(decider.discipline.order, self.ids)
        self.ranking = self.memory
        self.notes: list[str] = []
        self._away: set[int] = set()
        self._here: set[str] = set()
        self._up = np.ones(self.cluster.hosts, bool)
        self._rules = rules_in(ledger.listing, rows, self.ids, self.cluster.names)
        self._names = {name: host for host, name in enumerate(self.cluster.names)}

    def adopt(self, ledger: Ledger) -> None:
        """Begin where the ledger stands: with the jobs that are there, and what they hold."""
        self._look(ledger, know=True)
        for name in sorted(ledger.rows, key=lambda name: ledger.rows[name]["submit_s"]):
            self._arrive(name)
        for name, run in ledger.runs.items():
            self._adopt_run(name, run)
        self._hold(ledger)
        self.memory.order_state = ledger.order_state.copied()
        carried = ledger.carried
        self.last_host = self._names.get(carried.last_host, -1)
        self.clock, self.wake_s = carried.clock, carried.wake_s
        self.early_end, self.arrived_now, self.ended_now = ledger.early_end, ledger.arrived, ledger.ended
        self.eligible_before = {self.number[name] for name in ledger.waiting.eligible_ids()}
        self.promises = {self.number[ledger.waiting.ids[job]]: each for job, each in ledger.promises().items()}

    def _look(self, ledger: Ledger, *, know: bool) -> None:
        assert ledger.cluster is not None
        up = dict(zip(ledger.cluster.names, ledger.listing["up"], strict=True))
        self._up = np.array([up.get(name, False) for name in self.cluster.names])  # a host that has gone is down
        self._here = set(ledger.rows)
        self._away = {self.number[name] for name in ledger.away()}
        if ledger.cluster is not self.cluster and _CHANGED not in self.notes:
            self.notes.append(_CHANGED)
        if know:
            self._rules = rules_in(ledger.listing, ledger.rows, self.ids, self.cluster.names)
            self.memory.order_state.know(ledger.rows, ledger.cluster, ledger.listing["names"])
        self.memory.order_state.tick(ledger.now_s)
        self.now_s = ledger.now_s

    def _arrive(self, name: str) -> None:
        job = self.number[name]
        self.ranking.submitted(job, self.now_s)
        self.pending.arrive(job)
        self.arrived_now = True

    def _adopt_run(self, name: str, run: Allocation) -> None:
        job = self.number[name]
        if job not in self.pending.waiting and job not in self.occupancy.running:  # others run what we never would
            insort(self.pending.waiting, job)
        if job in self.pending.waiting and not all(host in self._names for host in run.hosts):
            self.pending.waiting.remove(job)  # it runs on a host that came later
        if job in self.pending.waiting:
            hosts = tuple(self._names[host] for host in run.hosts)
            partition = self._partition(job, run.partition)
            slowest = self.cluster.slowest(hosts)
            ends = ends_of(job, run.expected_end_s, hosts, self.demand[job])
            held = RunningJob(
                run.start_s, run.expected_end_s, math.inf, 0, partition, run.start_s, slowest, hosts, ends
            )
            self.occupancy.start(job, hosts, held)
            self.pending.start(job, run.start_s)
            self.ranking.started(job, self.now_s)
            self.ended_now = True
            if self.allowance is not None:
                self.allowance.start(job, partition, run.start_s)

    def _hold(self, ledger: Ledger) -> None:
        """Running jobs have what the engine says, which may be more or less than they requested, host by host."""
        for name, run in ledger.runs.items():
            job = self.number[name]
            if job in self.occupancy.running:
                amounts = ledger.held_by(name)
                there = [task for task, host in enumerate(run.hosts) if host in self._names]
                hosts = [self._names[run.hosts[task]] for task in there]
                self._held.hold(job, hosts, None if amounts is None else amounts[there])
                self._runs_in(job, self._partition(job, run.partition))

    def _runs_in(self, job: int, partition: int) -> None:
        run = self.occupancy.running[job]
        if partition != run.partition:
            self.occupancy.running[job] = run._replace(partition=partition)
            if self.allowance is not None:
                self.allowance.stop(job, run.start_s)
                self.allowance.start(job, partition, run.start_s)

    def _partition(self, job: int, partition: int) -> int:
        return max(partition, 0) if self.binding is None else partition_among(self.binding, job, partition)

    def _eligible(self) -> list[int]:
        return [job for job in super()._eligible() if job not in self._away and self.ids[job] in self._here]

    def _snapshot(self, eligible: list[int]) -> Snapshot:
        snapshot = super()._snapshot(eligible)
        running, closures = self._busy(), (*snapshot.closures, *hosts_down(self._up))
        free = free_beside(self.cluster, running)
        return replace(snapshot, free=free, running=running, closures=closures, rules=self._rules)

    def _busy(self) -> Running:
        """What runs, and what it holds on each host."""
        runs, held = self.occupancy.running, self._held.held
        many = [len(held[job][0]) for job in runs]
        owner = np.repeat(np.fromiter(runs, np.int64, len(runs)), many)
        parts = [held[job] for job in runs]
        return Running(
            owner,
            np.array([host for hosts, _ in parts for host in hosts], np.int32),
            np.concatenate([np.zeros((0, len(self.cluster.resources))), *(amounts for _, amounts in parts)]),
            np.repeat(np.array([run.expected_end_s for run in runs.values()], float), many),
            self.workload.projects[owner],
            np.repeat(np.array([run.start_s for run in runs.values()], float), many),
        )


class HeldByHost(Occupancy):
    """What runs where, and what it holds on each of its hosts, which need be neither as many nor as much as it asked.

    Attributes:
        held: by job, its hosts and float64[T, R], what it holds there.
    """

    def __init__(self, workload: Workload, cluster: Cluster) -> None:
        super().__init__(workload, cluster)
        self._asked = workload.demand
        self.held: dict[int, tuple[Sequence[int], Floats]] = {}

    def start(self, job: int, hosts: tuple[int, ...], run: RunningJob) -> None:
        """A job takes its hosts."""
        self.held[job] = (hosts, np.tile(self._asked[job], (len(hosts), 1)))
        tasks = int(self.first_task[job + 1] - self.first_task[job])
        super().start(job, tuple(np.resize(np.array(hosts), tasks).tolist()), run)

    def hold(self, job: int, hosts: Sequence[int], amounts: Floats | None) -> None:
        """A running job has these hosts, and holds that on each; None: what it has requested."""
        amounts = np.tile(self._asked[job], (len(hosts), 1)) if amounts is None else amounts
        self._give_back(self._held(job))
        self.held[job] = (tuple(hosts), amounts)
        self._take(self._held(job))

    def _held(self, job: int) -> Iterable[tuple[int, Amounts]]:
        """The hosts of a running job, and what it holds on each."""
        hosts, amounts = self.held[job]
        return zip(hosts, map(tuple, amounts.tolist()), strict=True)


class OrderStateByNumber(IgnoresEvents):
    """A memory of jobs by name, as a ranking of jobs by number; its clock is its own."""

    def __init__(self, order: AnyOrder, ids: Sequence[str]) -> None:
        self.order_state, self._ids, self.silent = OrderState(order), ids, False

    def submitted(self, job: int, now_s: float) -> None:
        """A job has come."""
        self.order_state.submitted(self._ids[job], now_s)

    def started(self, job: int, now_s: float) -> None:
        """It has its hosts."""
        self.order_state.started(self._ids[job], now_s)

    def ended(self, job: int, now_s: float) -> None:
        """It has given them back."""
        self.order_state.ended(self._ids[job], now_s)

    def ranks(self, jobs: Longs, now_s: float) -> Floats | None:
        """float64[Q] of waiting jobs; None: by arrival."""
        return None if self.silent else self.order_state.ranks([self._ids[job] for job in jobs.tolist()], now_s)

    def need(self, jobs: Longs) -> Need | None:
        """Groups that are served by need; None: by rank alone."""
        return None if self.silent else self.order_state.need([self._ids[job] for job in jobs.tolist()])

    def columns(self, jobs: Longs) -> JobColumns | None:
        """What orders may know of waiting jobs, for a discipline that tries several; None for others."""
        return None if self.silent else self.order_state.columns([self._ids[job] for job in jobs.tolist()])
