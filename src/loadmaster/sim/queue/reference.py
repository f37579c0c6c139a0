"""The engine in plain Python, one event after another: slow, obvious, and what every kernel must agree with."""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from loadmaster.model.amounts import Amounts
from loadmaster.model.cards import host_cards
from loadmaster.model.cluster import Cluster
from loadmaster.model.constraints import STATUSES, Constraints
from loadmaster.model.cycles import CycleLog
from loadmaster.model.schedule import Schedule
from loadmaster.model.snapshot import (
    Closure,
    Decision,
    ExpectedEnd,
    NextLoops,
    Place,
    Promise,
    Snapshot,
    ends_of,
    ends_of_each,
)
from loadmaster.model.time_grid import at_or_after
from loadmaster.model.workload import Workload
from loadmaster.order.order import tick_until
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.estimate_model import USERS, EstimateModel
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints, binds, is_one_pool, resolve_constraints
from loadmaster.sim.queue.plain.arrivals import Arrivals, ByArrival
from loadmaster.sim.queue.plain.estimates import PlainEstimates
from loadmaster.sim.queue.plain.limits import LimitsLeft
from loadmaster.sim.queue.plain.occupancy import Occupancy, RunningJob
from loadmaster.sim.queue.plain.preemption import PreemptionOfRuns
from loadmaster.sim.queue.plain.running_at_start import TIMEOUT, begin_running
from loadmaster.sim.queue.plain.scheduler_like import PlainDecisions, SchedulerLike
from loadmaster.sim.queue.plain.snapshot import columns_seen, requests_seen, same_for_all, snapshot_of
from loadmaster.sim.queue.plain.waiting_jobs import WaitingJobs


def replay(
    workload: Workload,
    cluster: Cluster,
    scheduler: Scheduler,
    *,
    interval_s: float = 0.0,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    estimate_model: EstimateModel = USERS,
) -> Schedule:
    """Replay `workload` on `cluster`; `scheduler` looks at the queue every `interval_s` seconds, or at every event.

    Decisions happen at whole multiples of `interval_s`, and only at those before which something happened that could
    change them; with 0 they happen at every such event itself. A moment is dealt with in this order (rule Q1): ended
    tasks free their hosts, hosts go down, the order's clock ticks, arrivals join the queue, the scheduler decides; it
    decides again as long as a start lets another job start.

    Args:
        workload: jobs; one goes at the speed of its slowest host.
        cluster: the hosts.
        scheduler: the policy and the discipline.
        interval_s: seconds between decisions; 0 decides at every event.
        seed: for policies that draw.
        progress: is called with the jobs started and the jobs in all.
        estimate_model: what the scheduler may count on, and whether limits kill.

    Returns:
        The schedule. Jobs that are never started keep NaN and -1.
    """
    return Replay(workload, cluster, PlainDecisions(scheduler), interval_s, seed, estimate_model).run(progress)


def replay_deciding(
    workload: Workload,
    cluster: Cluster,
    scheduler: Scheduler,
    *,
    interval_s: float,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    estimate_model: EstimateModel = USERS,
) -> Schedule:
    """As `replay`, to the bit, but `scheduler` decides compiled where it can."""
    return Replay(workload, cluster, scheduler, interval_s, seed, estimate_model).run(progress)


_NODE_FAIL = STATUSES.index("node_fail")


class Replay:
    """All that changes while a log is replayed."""

    def __init__(
        self,
        workload: Workload,
        cluster: Cluster,
        scheduler: SchedulerLike,
        interval_s: float,
        seed: int,
        estimate_model: EstimateModel = USERS,
        binding: ResolvedConstraints | None = None,
    ) -> None:
        self.expecting = PlainEstimates(workload, estimate_model)
        self.arrivals = Arrivals(self.expecting.workload)
        workload = self.arrivals.workload
        self.workload, self.cluster = workload, cluster
        self.scheduler = ByArrival(scheduler, self.arrivals) if self.arrivals.closed else scheduler
        self.interval_s, self.seed = interval_s, seed
        self.ranking = scheduler.discipline.order.begin(workload, cluster)
        self.binding = self._binding(self.expecting.workload) if binding is None else binding
        self.cards = cards = host_cards(workload, cluster)
        self.requests = requests_seen(workload, self.binding, cards)
        self.request_of = self.requests if self.binding is None else requests_seen(workload, None, cards)
        self.columns = columns_seen(workload, self.binding)
        self.demand: list[Amounts] = list(map(tuple, workload.demand.tolist()))
        self.as_pool = is_one_pool(workload, cluster, self.binding)
        self.same_for_all = same_for_all(self)
        self.pending = WaitingJobs(workload.jobs, self.binding, self.arrivals.place)
        self.allowance = None if self.binding is None else LimitsLeft(self.binding)
        self.moments = deque(() if self.binding is None else self.binding.calendar.moments)
        self.failures = deque(() if self.binding is None else self.binding.calendar.failures)
        self.occupancy = Occupancy(workload, cluster, cards)
        bound = workload.constraints or Constraints()
        self.status = np.zeros(workload.jobs, np.int32) if bound.status is None else bound.status
        self.ended_as = np.full(workload.jobs, -1, np.int32)
        self.start_up_s = np.zeros(workload.jobs)
        self.preempting: PreemptionOfRuns | None = None
        if self.binding is not None and self.binding.rules.preemption.by != "none":
            self.preempting = PreemptionOfRuns(self)
        self.suspended: dict[int, tuple[int, RunningJob]] = {}  # by job: its preemptor, and its run until then
        self.refused = 0
        self.eligible_before: set[int] = set()
        self.last_host = -1
        self.promises: dict[int, Promise] = {}
        self.early_end = self.arrived_now = self.ended_now = False
        self.clock = NextLoops()
        self.wake_s = math.inf
        self.now_s = -math.inf
        self.ticked_s = 0.0
        self.cycles = CycleLog()
        self.runs_at_start: frozenset[int] = frozenset()
        self.begins_s = -math.inf
        if workload.starting is not None:
            begin_running(self, workload.starting)

    def ends_of(
        self, job: int, end_s: float, hosts: tuple[int, ...], cards: tuple[int, ...]
    ) -> tuple[ExpectedEnd, ...]:
        """What the job gives back to its hosts."""
        if not cards:
            return ends_of(job, end_s, hosts, self.demand[job])
        return ends_of_each(job, end_s, hosts, self.request_of[job].each(cards))

    def _binding(self, workload: Workload) -> ResolvedConstraints | None:
        """The constraints of the jobs, from the log; no job may start before an arrival that is not known yet."""
        if not binds(workload, self.cluster):
            return None
        binding = resolve_constraints(workload, self.cluster)
        return replace(binding, eligible_s=self.workload.submit_s) if self.arrivals.closed else binding

    def run(self, progress: Callable[[int, int], None] | None = None) -> Schedule:
        """Step from event to event until there are no more events."""
        while self.step():
            if progress is not None:
                progress(self.arrivals.arrived - len(self.pending.waiting), self.workload.jobs)
        return self.schedule()

    def step(self) -> bool:
        """Deal with the next moment of decision; False when there is none."""
        now = at_or_after(max(self._next_event(), self.begins_s), self.interval_s)
        if not math.isfinite(now):
            return False
        self.now_s = now
        self.ended_now |= bool(self.moments) and self.moments[0] <= now
        self._end_and_fail()
        self.expecting.correct(self.occupancy, now)
        self.tick(self.now_s)
        self._resume()
        self._admit()
        self.wake_s = math.inf
        while self._pass():
            pass
        return True

    def schedule(self) -> Schedule:
        """What has happened."""
        runs = self.occupancy
        never = {} if self.binding is None else self.binding.count_never()
        assert self.cluster.speed is not None
        self.ended_as[self.expecting.killed] = TIMEOUT
        stopped, cut = bool((self.ended_as >= 0).any()), runs.segments()
        from_empty, sleep = self.workload.starting is None, self.occupancy.sleeping.some
        plain = from_empty and not sleep and not stopped and cut is None and bool((self.cluster.speed == 1.0).all())
        return Schedule(
            np.array(runs.start_s, float),
            np.array(runs.host, np.int32),
            self.cycles.cycles(),
            None if plain else np.array(runs.end_s, float),
            self.ended_as if stopped else None,
            cut,
            never,
            self.expecting.predicted_s,
            self.refused,
            None if runs.cards is None else np.array(runs.cards, np.int64),
            np.where(np.isnan(runs.start_s), 0.0, self.start_up_s) if sleep else None,
        )

    def _next_event(self) -> float:
        """The next event that could start a job; infinite if no job can start any more."""
        events = [self.arrivals.next_s]
        coming = events[0] < math.inf or self.arrivals.has_dependents(self.occupancy.running)
        waiting = bool(self.pending.waiting)
        if coming or waiting or self.failures or self.suspended:
            events.append(self.occupancy.next_end_s())
        if self.failures and (coming or waiting or self.occupancy.running):
            events.append(self.failures[0].from_s)
        if waiting:
            # A reservation that is due and cannot start, because of a limit, is tried again at the next event.
            events.append(self.wake_s if self.wake_s > self.now_s else math.inf)
            events.append(self.expecting.next_expiry_s(self.occupancy, self.now_s))
        if waiting and self.binding is not None:
            while self.moments and self.moments[0] <= self.now_s:
                self.moments.popleft()
            events += [self.pending.next_s(self.now_s), self._more_left_s(), *list(self.moments)[:1]]
        return min(events)

    def _more_left_s(self) -> float:
        """When to look again at jobs that timed limits keep back."""
        if self.allowance is None or not self.allowance.timed:
            return math.inf
        return self.allowance.again_s(self.now_s, np.array(list(self.pending.eligible(self.now_s)), np.int64))

    def _end_and_fail(self) -> None:
        """Ends of jobs and failures of hosts up to now in the order of time, ends first."""
        while True:
            end_s = self.occupancy.next_end_s()
            fail_s = self.failures[0].from_s if self.failures else math.inf
            if min(end_s, fail_s) > self.now_s:
                return
            if end_s <= fail_s:
                self._end()
            else:
                self._fail(self.failures.popleft())

    def _end(self) -> None:
        job, run = self.occupancy.pop()
        self.expecting.ended(job, run)
        self.early_end |= run.end_s < run.expected_end_s
        self._left(job, run.end_s, run.status)

    def _fail(self, failure: Closure) -> None:
        """Hosts go down: what runs there is stopped, and goes back to the queue if it may (rule C7)."""
        assert self.binding is not None
        for job in [job for job in self.occupancy.running if failure.hosts[self.occupancy.hosts_of(job)].any()]:
            self.stop(job, failure.from_s, _NODE_FAIL, again=bool(self.binding.requeue[job]))

    def stop(self, job: int, time_s: float, status: int, *, again: bool) -> None:
        """Take a job off its hosts; `again`: it goes back to the queue and starts from its beginning."""
        self.early_end |= time_s < self.occupancy.running[job].expected_end_s
        self.occupancy.stop(job, time_s, for_good=not again)
        self.expecting.stopped(job)
        self.ended_as[job] = -1
        if self.preempting is not None:
            self.preempting.forget(job)
        if not again:
            self.ended_as[job] = status
            self._left(job, time_s, status)
            return
        self.tick(math.nextafter(time_s, -math.inf))
        self.ranking.ended(job, time_s)
        if self.allowance is not None:
            self.allowance.stop(job, time_s)
        self.pending.requeue(job)
        self.arrived_now = self.ended_now = True
        self.ranking.submitted(job, self.now_s)

    def suspend(self, job: int, preemptor: int) -> None:
        """Take a job's cores for as long as `preemptor` runs."""
        run = self.occupancy.suspend(job, self.now_s)
        self.suspended[job] = (preemptor, run.shifted(-self.now_s))
        self.ranking.ended(job, self.now_s)

    def _resume(self) -> None:
        """Resume jobs whose preemptor no longer runs, if their cores are free."""
        for job, (preemptor, run) in list(self.suspended.items()):
            if preemptor in self.occupancy.running or preemptor in self.suspended:
                continue
            if self.occupancy.resume(job, run.shifted(self.now_s)._replace(start_s=self.now_s)):
                del self.suspended[job]
                self.ranking.started(job, self.now_s)

    def _left(self, job: int, end_s: float, status: int) -> None:
        """A job has ended for good."""
        self.ended_now = True
        if status != self.status[job]:
            self.ended_as[job] = status
        self.tick(math.nextafter(end_s, -math.inf))
        self.ranking.ended(job, end_s)
        self.pending.end(job, end_s, status)
        self.arrivals.ended(job, end_s)
        if self.allowance is not None:
            self.allowance.stop(job, end_s)
            self.allowance.leave(job)

    def tick(self, until_s: float) -> None:
        """Let the order's clock tick up to a moment."""
        self.ticked_s = tick_until(self.ranking, self.ticked_s, until_s)

    def _admit(self) -> None:
        for job in self.arrivals.until(self.now_s):
            self.expecting.arrived(job)
            self.ranking.submitted(job, float(self.workload.submit_s[job]))
            if job in self.runs_at_start:
                continue
            if self.allowance is not None and not self.allowance.submit(job):
                self.pending.refuse()
                self.refused += int(self.binding is not None and not self.binding.never[job])
            else:
                self.pending.arrive(job)
                self.arrived_now = True

    def _pass(self) -> bool:
        """Decide once; whether a start has made another job eligible, which calls for one more pass."""
        eligible, queued = self._eligible(), len(self.pending.waiting) + self.pending.stuck
        if not queued:
            return False
        if not eligible:
            decision = Decision(last_host=self.last_host, promises=self.promises, clock=self.clock)
        else:
            snapshot = self._snapshot(eligible)
            if self.preempting is not None:
                preempted = self.preempting.once(snapshot)
                if preempted is not None:
                    self._carry_out(preempted, queued)
                    return True
                snapshot = self._snapshot(eligible)  # some may have been stopped
            decision = self.scheduler.decide(snapshot)
            self.early_end = self.arrived_now = self.ended_now = False
        self._carry_out(decision, queued)
        self.promises = dict(decision.promises)
        self.wake_s, self.clock = decision.wake_s, decision.clock
        if self.binding is None or not decision.place:
            return False
        return not set(self.pending.eligible(self.now_s)) <= set(eligible)

    def _carry_out(self, decision: Decision, queued: int) -> None:
        self.cycles.add(self.now_s, queued, len(decision.place), decision.winners, decision.chosen, decision.options)
        for place in decision.place:
            self._start(place)
        self.last_host = decision.last_host

    def _eligible(self) -> list[int]:
        """The jobs that may start; the order gets a call for each that has waited for more than its arrival."""
        eligible = list(self.pending.eligible(self.now_s))
        if self.binding is not None:
            for job in eligible:
                if job not in self.eligible_before:
                    released_s = self._released_s(job, self.binding)
                    if released_s > self.workload.submit_s[job]:
                        self.ranking.submitted(job, released_s)
            self.arrived_now |= not self.eligible_before.issuperset(eligible)
            self.eligible_before.update(eligible)
        return eligible

    def _released_s(self, job: int, binding: ResolvedConstraints) -> float:
        """Since when time and other jobs let it start; of a singleton nothing says that before it is eligible."""
        return self.now_s if binding.waits.single[job] else self.pending.ready_s(job)

    def _start(self, place: Place) -> None:
        job = place.job
        slowest = self.cluster.slowest(place.hosts)
        self.start_up_s[job] = self.occupancy.sleeping.start_up_s(place.hosts, self.now_s)
        begin_s = self.now_s + float(self.start_up_s[job])
        end_s = begin_s + self.expecting.start(job, slowest)
        expected_end_s = begin_s + float(self.workload.expected_s[job]) / slowest
        ends = self.ends_of(job, expected_end_s, place.hosts, place.cards)
        status = TIMEOUT if self.expecting.killed[job] else int(self.status[job])
        run = RunningJob(
            self.now_s,
            expected_end_s,
            end_s,
            status,
            place.partition,
            begin_s,
            slowest,
            place.hosts,
            ends,
            place.cards,
        )
        self.occupancy.start(job, place.hosts, run)
        self.pending.start(job, self.now_s)
        self.ranking.started(job, self.now_s)
        if self.allowance is not None:
            self.allowance.start(job, place.partition, self.now_s)

    def _snapshot(self, eligible: list[int]) -> Snapshot:
        return snapshot_of(self, eligible)
