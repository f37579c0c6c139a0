"""Whether promises are kept that a discipline makes: worked out anew for every pass, with no plan's help.

For estimates that nobody outlives, without limits, dependencies and failures. Of conservative backfilling whose
promises stand it is held that in every pass (rules Q7, Q16)

- who was promised something has it still, or something sooner, if it fits beside what runs and what was promised for
  earlier moments. It no longer fits only where a start was late, which happens in cycles: then nothing is promised
  later than the first moment at which the job fits beside these;
- who is promised something for the first time fits at no earlier moment beside all that others are promised;
- who starts does so in the first cycle at or after the promised moment.

Of EASY that a head with no other in front, started or promised, that could use one of its hosts is promised the first
moment at which it fits beside what runs, and never a later one than in the pass before (rules Q5, Q6).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from loadmaster.backfilling import SchedulingPass
from loadmaster.model.snapshot import Decision, Promise, Snapshot
from loadmaster.model.time_grid import at_or_after
from loadmaster.place import Policy
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.meta_rule import is_meta, members_of

NEVER = float("inf")
A_BIT_S = 1e-9


class Pass(NamedTuple):
    """What one pass saw, promised each job at the soonest, and started."""

    snapshot: Snapshot
    promised: dict[int, Promise]
    started: dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class Listening(Scheduler):
    """Decides as a scheduler does, and writes every pass down that is carried out, not those of members passed over."""

    passes: list[Pass] = field(default_factory=list)
    open_passes: dict[tuple[int, str], SchedulingPass] = field(default_factory=dict)

    def decide_plainly(self, snapshot: Snapshot) -> Decision:
        """As a scheduler does."""
        self.open_passes.clear()
        decision = super().decide_plainly(snapshot)
        policy = members_of(self.policy)[decision.chosen] if is_meta(self.policy) else self.policy
        this_pass = self.open_passes[id(snapshot), policy.name]
        promised: dict[int, Promise] = {}
        for row, promise in this_pass.promised.items():
            job = this_pass.job(row)
            promised[job] = min(promise, promised.get(job, promise), key=lambda each: each.start_s)
        self.passes.append(Pass(snapshot, promised, {place.job: place.hosts for place in decision.place}))
        return decision

    def _plainly(self, snapshot: Snapshot, policy: Policy) -> Decision:
        this_pass = self.open_passes[id(snapshot), policy.name] = SchedulingPass(snapshot, policy)
        self.discipline.backfilling.serve(this_pass)
        return this_pass.decision()


class Times:
    """Who holds what on which host from when to when; where promises count hosts, one host that holds as many tasks."""

    def __init__(self, seen: Snapshot, *, counted: bool) -> None:
        assert seen.cluster.speed is not None
        self.seen, self.counted, self.speed = seen, counted, seen.cluster.speed
        self.capacity = np.full((1, 1), float(len(seen.free))) if counted else seen.cluster.capacity
        self.held: list[tuple[int, float, float, np.ndarray]] = []
        for host, end_s, demand in zip(
            seen.running.host.tolist(), seen.running.expected_end_s, seen.running.demand, strict=True
        ):
            self._take(host, seen.now_s, float(end_s), demand)

    def hold(self, row: int, start_s: float, hosts: tuple[int, ...]) -> None:
        """The row's job holds hosts from then on, for as long as it is expected to."""
        for host in hosts or (0,) * int(self.seen.queue.tasks[row]):
            self._take(host, start_s, self.end_s(row, start_s, hosts), self.seen.queue.demand[row])

    def fits_on(self, row: int, start_s: float, hosts: tuple[int, ...]) -> bool:
        """Whether the row's job can hold these from then on beside all that is held."""
        held = self._holds(row, start_s, self.end_s(row, start_s, hosts))
        if self.counted:
            return bool(held[0] >= self.seen.queue.tasks[row])
        return bool((held >= np.bincount(hosts, minlength=len(held))).all())

    def first_s(self, row: int) -> float:
        """The first moment at which the row's job fits beside all that is held."""
        moments = {self.seen.now_s, *(time_s for _, start_s, end_s, _ in self.held for time_s in (start_s, end_s))}
        return next((each for each in sorted(moments) if each >= self.seen.now_s and self._fits(row, each)), NEVER)

    def end_s(self, row: int, start_s: float, hosts: tuple[int, ...]) -> float:
        """When the row's job is expected to end if it starts on these then."""
        slowest = float(self.speed[list(hosts)].min(initial=self.speed.max()))
        return start_s + float(self.seen.queue.expected_s[row]) / slowest

    def _fits(self, row: int, start_s: float) -> bool:
        may, asked = may_use(self.seen, row), self.seen.queue.asked(row)
        for slowest_speed in np.unique(self.speed[may])[::-1]:
            held = self._holds(row, start_s, start_s + float(self.seen.queue.expected_s[row]) / float(slowest_speed))
            if self.counted:
                return bool(held[0] >= asked.tasks)
            if asked.fit(np.where(may & (self.speed >= slowest_speed), np.minimum(held, asked.tasks), 0.0)):
                return True
        return False

    def _holds(self, row: int, start_s: float, end_s: float) -> np.ndarray:
        """float64[H]: how many tasks of the row's job each host holds through that time."""
        demand = np.ones(1) if self.counted else self.seen.queue.demand[row]
        times = [start_s, *(from_s for _, from_s, _, _ in self.held if start_s < from_s < end_s)]
        most = np.full(len(self.capacity), np.inf)
        for time_s in times:
            free = self.capacity.copy()
            for host, from_s, until_s, amount in self.held:
                if from_s <= time_s < until_s:
                    free[host] -= amount
            with np.errstate(divide="ignore", invalid="ignore"):
                room = np.where(demand > 0, np.floor(free / demand), np.inf).min(axis=1)
            most = np.minimum(most, room)
        return np.maximum(most, 0.0)

    def _take(self, host: int, start_s: float, end_s: float, demand: np.ndarray) -> None:
        self.held.append((0, start_s, end_s, np.ones(1)) if self.counted else (host, start_s, end_s, demand))


def may_use(seen: Snapshot, row: int) -> np.ndarray:
    """bool[H]: the hosts that the row's job may use."""
    if seen.allowed is None or seen.queue.hosts is None:
        return np.ones(len(seen.free), bool)
    return np.asarray(seen.allowed[seen.queue.hosts[row]])


def rows_of(seen: Snapshot, job: int) -> list[int]:
    """The job's rows of the queue."""
    return np.flatnonzero(seen.queue.job == job).tolist()


def broken_by_conservative(passes: list[Pass], interval_s: float) -> Iterator[str]:
    """What is not kept of promises that stand."""
    for each in passes:
        yield from _started_late(each, each.snapshot.promises, interval_s)
        counted = any(
            not p.hosts and p.start_s < NEVER for p in (*each.promised.values(), *each.snapshot.promises.values())
        )
        yield from _moved_later(each, counted)
        yield from _not_the_first(each, counted)
    if passes:
        last = passes[-1]
        yield from (
            f"promised {promise.start_s:g} s to job {job}, which never starts"
            for job, promise in last.promised.items()
            if promise.start_s < NEVER
        )


def _started_late(each: Pass, standing: Mapping[int, Promise], interval_s: float) -> Iterator[str]:
    now_s = each.snapshot.now_s
    for job in each.started.keys() & standing.keys():
        if now_s > at_or_after(standing[job].start_s, interval_s) + A_BIT_S:
            yield f"job {job} starts at {now_s:g} s after its promise of {standing[job].start_s:g} s"


def _moved_later(each: Pass, counted: bool) -> Iterator[str]:
    seen, times = each.snapshot, Times(each.snapshot, counted=counted)
    for job, promise in sorted(seen.promises.items(), key=lambda item: (item[1].start_s, item[0])):
        rows = [row for row in rows_of(seen, job) if may_use(seen, row)[list(promise.hosts)].all()]
        start_s = max(seen.now_s, promise.start_s)
        if not rows:
            yield f"job {job} was promised {promise.start_s:g} s, and waits no longer"
            return
        row, held = rows[0], (start_s, promise.hosts)
        if not times.fits_on(row, start_s, promise.hosts):
            start_s = times.first_s(row)
            held = (start_s, each.started.get(job, each.promised.get(job, promise).hosts))
        now_s = seen.now_s if job in each.started else each.promised.get(job, Promise(NEVER, ())).start_s
        if now_s > start_s + A_BIT_S or (start_s <= seen.now_s and job not in each.started):
            yield f"{_moved(job, promise, now_s, seen.now_s)}, not {start_s:g} s"
            return
        if not times.fits_on(row, *held):
            return  # it has moved twice, and nothing says where the others found it
        times.hold(row, *held)


def _not_the_first(each: Pass, counted: bool) -> Iterator[str]:
    seen = each.snapshot
    for job in each.promised.keys() - seen.promises.keys():
        times = Times(seen, counted=counted)
        for other, hosts in each.started.items():
            times.hold(rows_of(seen, other)[0], seen.now_s, () if counted else hosts)
        for other, promise in each.promised.items():
            if other != job and promise.start_s < NEVER:
                times.hold(rows_of(seen, other)[0], promise.start_s, promise.hosts)
        first_s = min(times.first_s(row) for row in rows_of(seen, job))
        if first_s < each.promised[job].start_s - A_BIT_S:
            yield _too_late(job, each.promised[job].start_s, seen.now_s, first_s)


def broken_by_easy(passes: list[Pass], interval_s: float) -> Iterator[str]:
    """What is not kept of promises to heads."""
    before: dict[int, Promise] = {}
    for each in passes:
        seen = each.snapshot
        free = {job: promise for job, promise in before.items() if not in_front(each, job)}
        yield from _started_late(each, free, interval_s)
        for job, promise in each.promised.items():
            if in_front(each, job):
                continue
            if promise.start_s > before.get(job, promise).start_s + A_BIT_S:
                yield _moved(job, before[job], promise.start_s, seen.now_s)
            times = Times(seen, counted=False)
            for other, hosts in each.started.items():
                times.hold(rows_of(seen, other)[0], seen.now_s, hosts)
            first_s = min(times.first_s(row) for row in rows_of(seen, job))
            if first_s < promise.start_s - A_BIT_S:
                yield _too_late(job, promise.start_s, seen.now_s, first_s)
        before = each.promised


def in_front(each: Pass, job: int) -> bool:
    """Whether a job in front of this one, that could use a host of it, has started or is promised something."""
    seen = each.snapshot
    line, rows = line_of(each), rows_of(seen, job)
    if not rows:
        return False
    hosts = np.logical_or.reduce([may_use(seen, row) for row in rows])
    for row in line[: max(line.index(row) for row in rows)]:
        other = int(seen.queue.job[row])
        if other != job and (other in each.started or other in each.promised) and (hosts & may_use(seen, row)).any():
            return True
    return False


def line_of(each: Pass) -> list[int]:
    """The rows in the order in which they are served; by need, a start counts as use at once."""
    seen = each.snapshot
    keys = [column for column in (seen.queue.job, seen.queue.rank, seen.queue.tier) if column is not None]
    ranked = np.lexsort(keys).tolist()
    if seen.need is None:
        return ranked
    used, share, group = seen.need.used.copy(), seen.need.share, seen.need.group.tolist()
    line: list[int] = []
    counted: set[int] = set()
    while len(line) < len(ranked):
        left = [row for row in ranked if row not in line]
        neediest_project = min({group[row] for row in left}, key=lambda each: (used[each] / share[each], each))
        line.append(next(row for row in left if group[row] == neediest_project))
        job = int(seen.queue.job[line[-1]])
        if job in each.started and job not in counted:
            counted.add(job)
            used[neediest_project] += seen.queue.demand[line[-1], 0] * seen.queue.tasks[line[-1]]
    return line


def _moved(job: int, before: Promise, start_s: float, now_s: float) -> str:
    return f"job {job} was promised {before.start_s:g} s, at {now_s:g} s it is {start_s:g} s"


def _too_late(job: int, start_s: float, now_s: float, first_s: float) -> str:
    return f"job {job} is promised {start_s:g} s at {now_s:g} s, but fits at {first_s:g} s"
