"""What would happen if nobody came any more, in plain Python: what defines it, and serves every backfilling."""

import math
from collections.abc import Callable
from dataclasses import fields, replace
from heapq import heappop, heappush
from typing import Any

import numpy as np

from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.snapshot import Decision, Place, Queue, Running, Snapshot

Ranks = Callable[[Bools, float], Floats | None]
"""float64[Q'] of the rows that wait, bool[Q], at a moment; None: by arrival."""
Decide = Callable[[Snapshot], Decision]


def work_off(snapshot: Snapshot, decide: Decide, ranks: Ranks, lasts_s: Floats) -> Floats:
    """When every row's job starts if nobody comes any more (rule Q19).

    What runs ends when it is expected to, or right away if that is over; limits do not bind. Decisions are made when a
    job ends and when hosts close or open.

    Args:
        snapshot: where things stand.
        decide: on what is seen at each of those moments.
        ranks: of those that wait.
        lasts_s: float64[Q], how long each row's job really runs, at speed 1.

    Returns:
        float64[Q], seconds; NaN for those that never start.
    """
    return _Onward(snapshot, ranks, lasts_s).run(decide)


class _Onward:
    """All that changes as the queue is worked off."""

    def __init__(self, snapshot: Snapshot, ranks: Ranks, lasts_s: Floats) -> None:
        self.now = replace(snapshot, left=None, queue=replace(snapshot.queue, uses=None))
        self.queue, self.ranks, self.lasts_s = self.now.queue, ranks, lasts_s
        self.waits: Bools = np.ones(len(self.queue), np.bool_)
        self.start_s = np.full(len(self.queue), np.nan)
        running, soonest_s = snapshot.running, math.nextafter(snapshot.now_s, math.inf)
        ends_s = dict(zip(running.job.tolist(), running.expected_end_s.tolist(), strict=True))
        self.ends = sorted((max(end_s, soonest_s), job) for job, end_s in ends_s.items())

    def run(self, decide: Decide) -> Floats:
        """Until nobody waits, or nothing happens any more."""
        while self.waits.any() and math.isfinite(self.now.now_s):
            decision = decide(replace(self.now, queue=self._waiting()))
            for place in decision.place:
                self._start(place)
            self.now = replace(
                self.now, last_host=decision.last_host, promises=decision.promises, clock=decision.clock,
                arrived=False, ended=True, early_end=False,
            )  # fmt: skip
            self._go_on(decision.wake_s)
        return self.start_s

    def _waiting(self) -> Queue:
        queue, rows = self.queue, self.waits
        given = {each.name: getattr(queue, each.name) for each in fields(Queue)}
        columns: dict[str, Any] = {
            name: column[rows] for name, column in given.items() if isinstance(column, np.ndarray)
        }
        return replace(queue, **{**columns, "rank": self.ranks(rows, self.now.now_s)}, columns=None)

    def _start(self, place: Place) -> None:
        now, queue = self.now, self.queue
        rows = np.flatnonzero(queue.job == place.job)
        row, hosts = int(rows[0]), list(place.hosts)
        assert now.cluster.speed is not None
        slowest = float(now.cluster.speed[hosts].min())
        self.waits[rows], self.start_s[rows] = False, now.now_s
        free = now.free.copy()
        for host in hosts:
            free[host] -= queue.demand[row]
        many, running = len(hosts), now.running
        started = Running(
            np.append(running.job, np.full(many, place.job)), np.append(running.host, np.array(hosts, np.int32)),
            np.concatenate((running.demand, np.tile(queue.demand[row], (many, 1)))),
            np.append(running.expected_end_s, np.full(many, now.now_s + queue.expected_s[row] / slowest)),
            np.append(running.project, np.full(many, queue.project[row])),
            None if running.start_s is None else np.append(running.start_s, np.full(many, now.now_s)),
        )  # fmt: skip
        self.now = replace(now, free=free, running=started)
        end_s = max(now.now_s + self.lasts_s[row] / slowest, math.nextafter(now.now_s, math.inf))
        heappush(self.ends, (end_s, place.job))

    def _go_on(self, wake_s: float) -> None:
        """On to the next moment, at which something happens."""
        now_s, closures = self.now.now_s, self.now.closures
        moments = [time for each in closures for time in (each.from_s, each.to_s) if time > now_s]
        next_s = min([*moments, *(end_s for end_s, _ in self.ends[:1])], default=math.inf)
        if now_s < wake_s:
            next_s = min(next_s, wake_s)
        while self.ends and self.ends[0][0] <= next_s < math.inf:
            self._end(heappop(self.ends)[1])
        left = tuple(each for each in closures if each.to_s > next_s)
        self.now = replace(self.now, now_s=next_s, closures=left)

    def _end(self, job: int) -> None:
        running, free = self.now.running, self.now.free.copy()
        over = running.job == job
        for host, demand in zip(running.host[over].tolist(), running.demand[over], strict=True):
            free[host] += demand
        start_s = None if running.start_s is None else running.start_s[~over]
        stay = Running(
            running.job[~over], running.host[~over], running.demand[~over], running.expected_end_s[~over],
            running.project[~over], start_s,
        )  # fmt: skip
        self.now = replace(self.now, free=free, running=stay)
