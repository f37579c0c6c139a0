"""Conservative backfilling: every waiting job has a place in a plan, nobody starts at the cost of one before it."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.snapshot import Decision, Place, Snapshot
from loadmaster.order.releases import releases, right_after
from loadmaster.place import Policy
from loadmaster.place.board import Board


class Planned(NamedTuple):
    """A waiting job's place in the plan: its row in the queue, when it starts and on which hosts."""

    row: int
    start_s: float
    hosts: tuple[int, ...]


@dataclass(frozen=True)
class Conservative:
    """Conservative backfilling (Mu'alem and Feitelson 2001, section 2).

    Every decision plans the waiting jobs anew, in the order of arrival. A job gets the first moment at which all its
    tasks fit for its whole expected runtime beside all that was planned before it, on the hosts that the placement
    policy picks among those that can hold it so long; the policy sees the least that a host has free in that time.
    Jobs whose moment is now start. Planning anew closes the holes that early ends leave ("compression").
    A task that has outlived its estimate is expected to end right after now.

    Differs from the paper: the paper keeps the plan and moves jobs forward in it when one ends early. Planned anew,
    a job may get another host than before, and where hosts differ somebody behind it may start later than was planned
    at its arrival. With first-fit, or a single host, and exact estimates, nobody does.

    Attributes:
        lookahead: at most so many waiting jobs are planned, the first in the queue (Slurm's
            `bf_max_job_test`); None for all.
    """

    lookahead: int | None = None

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Plan the queue, start whose time has come."""
        plan = planned(snapshot, policy, self.lookahead)
        due = [p for p in plan if p.start_s == snapshot.now_s]
        started = tuple(Place(int(snapshot.queue.job[p.row]), p.hosts) for p in due)
        kept = dict.fromkeys(host for p in plan if p.start_s > snapshot.now_s for host in p.hosts)
        return Decision(started, tuple(kept), due[-1].hosts[-1] if due else snapshot.last_host)


def planned(snapshot: Snapshot, policy: Policy, lookahead: int | None = None) -> list[Planned]:
    """The plan of `Conservative`; a job that would not fit an empty cluster is left out."""
    outlook = _Outlook(snapshot)
    board = Board(snapshot, policy)
    plan = []
    for index in range(len(snapshot.queue) if lookahead is None else min(lookahead, len(snapshot.queue))):
        found = _first_fit_in_time(snapshot, outlook, board, index)
        if found is not None:
            plan.append(found)
    return plan


def _first_fit_in_time(snapshot: Snapshot, outlook: "_Outlook", board: Board, index: int) -> Planned | None:
    queue = snapshot.queue
    last_host = board.last_host
    for start_s in outlook.moments():
        end_s = max(start_s + float(queue.expected_s[index]), right_after(start_s))
        board.free = outlook.least(start_s, end_s)
        hosts = board.place(index)
        if hosts is not None:
            if start_s > snapshot.now_s:
                board.last_host = last_host  # only tasks that start now count as placed
            for host in hosts:
                outlook.hold(host, start_s, end_s, queue.demand[index])
            return Planned(index, start_s, hosts)
    return None


class _Outlook:
    """What every host has free from now on: steps of (time, free float64[R]), the last one lasting for ever."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._time = [[snapshot.now_s] for _ in snapshot.free]
        self._free = [[row.copy()] for row in snapshot.free]
        for release in releases(snapshot):
            times, free = self._time[release.host], self._free[release.host]
            if times[-1] < release.end_s:
                times.append(release.end_s)
                free.append(free[-1].copy())
            free[-1] += release.demand

    def moments(self) -> list[float]:
        """Every moment at which a host's free amounts change, and now."""
        return sorted({time for times in self._time for time in times})

    def least(self, start_s: float, end_s: float) -> Floats:
        """float64[H, R]: the least that every host has free from `start_s` until `end_s`."""
        return np.array(
            [
                np.min(free[bisect_right(times, start_s) - 1 : bisect_left(times, end_s)], axis=0)
                for times, free in zip(self._time, self._free, strict=True)
            ]
        )

    def hold(self, host: int, start_s: float, end_s: float, demand: Floats) -> None:
        """Take `demand` on `host` from `start_s` until `end_s`."""
        first, last = self._step_at(host, start_s), self._step_at(host, end_s)
        for step in self._free[host][first:last]:
            step -= demand

    def _step_at(self, host: int, time_s: float) -> int:
        times, free = self._time[host], self._free[host]
        at = bisect_left(times, time_s)
        if at == len(times) or times[at] != time_s:
            times.insert(at, time_s)
            free.insert(at, free[at - 1].copy())
        return at
