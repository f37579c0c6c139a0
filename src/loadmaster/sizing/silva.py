"""The provisioning heuristic of Silva, Veiga and Ferreira (2008), Figure 3, with every reading of it as a switch."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.sizing.snapshot import Actions, BagSnapshot, Rental, RentedHost

_SLACK = 1e-9


@dataclass(frozen=True)
class SilvaRule:
    """Silva et al. 2008, Figure 3a (after each task) and 3b (now and then).

    Attributes:
        creation_ratio: part c of the machines found necessary that is rented, 0 to 1, as it stands at the start.
        increase_ratio: how fast c goes to 1, 0 to 1.
        host_time_s: `hostProcessingTime` P, how long a machine is to be used; None: its charging unit, the least cost.
        first_hosts: machines at the start; more than 1 is the use of a guess that the paper's conclusion names.
        overrun: a task that passes P may `finish`, is not begun if it likely will (`nostart`), or is stopped and run
            again (`kill`).
        possible: tasks a machine can still do, rounded down (`floor`) or not (`real`).
        count_running: the task being run counts among them, since `rem` counts it too.
        condition: rent if n is at least 0 (`ge`, as printed) or above it (`gt`).
        c_update: c grows when machines were rented (`in_if`, as printed) or after `every` result.
        tick_s: seconds between runs of Figure 3b; the paper gives none. Infinite: never.

    A machine always does one task, even if it needs longer than P to boot.

    Differs from the paper: Figure 3b divides a sum of two averages by a count; here the sums themselves are divided.
    """

    creation_ratio: float = 0.5
    increase_ratio: float = 0.5
    host_time_s: float | None = None
    first_hosts: int = 1
    overrun: Literal["finish", "nostart", "kill"] = "finish"
    possible: Literal["floor", "real"] = "floor"
    count_running: bool = True
    condition: Literal["ge", "gt"] = "ge"
    c_update: Literal["in_if", "every"] = "in_if"
    tick_s: float = 60.0
    name: str = "silva"

    def decide(self, snapshot: BagSnapshot) -> Actions:
        """Figure 3. The snapshot's memory is how far c has come from its start to 1, in [0, 1]."""
        if snapshot.occasion == "start":
            return Actions(rent=(Rental(0, min(self.first_hosts, snapshot.unstarted)),), memory=0.0)
        release = self._release(snapshot)
        stopped = sum(1 for host in snapshot.running if host.host in release)
        staying = tuple(host for host in snapshot.hosts if host.host not in release)
        waiting = max(0, snapshot.unstarted + stopped - sum(1 for host in staying if host.task < 0))
        grown = snapshot.memory
        average = self._average(snapshot, staying)
        rent = 0
        if average > 0:
            c = self.creation_ratio + (1 - self.creation_ratio) * grown
            necessary = self.necessary(snapshot, staying, average)
            fires = necessary >= 0 if self.condition == "ge" else necessary > 0
            if fires:
                wanted = necessary if c >= 1 - _SLACK else math.floor(necessary * c) + 1
                rent = min(wanted, waiting)
            if snapshot.occasion == "completion" and (fires or self.c_update == "every"):
                grown = grown + (1 - grown) * self.increase_ratio
        rents = (Rental(0, rent),) if rent else ()
        return Actions(rents, release, memory=grown, wake_s=self._next_stop(snapshot, staying))

    def necessary(self, snapshot: BagSnapshot, hosts: tuple[RentedHost, ...], average: float) -> int:
        """Lines 6 to 9: machines wanting, negative if there are too many."""
        remaining = snapshot.tasks - len(snapshot.finished_s)
        possible = 0.0
        for host in hosts:
            busy = host.elapsed_s if self.count_running else 0.0
            count = (self._host_time(snapshot, host) - host.age_s + busy) / average
            possible += max(0.0, math.floor(count + _SLACK) if self.possible == "floor" else count)
        return half_away((remaining - possible) * average / self._host_time(snapshot, None))

    def _average(self, snapshot: BagSnapshot, hosts: tuple[RentedHost, ...]) -> float:
        """The mean of Figure 3a, or of 3b if the running tasks are older; 0: no decision."""
        finished = len(snapshot.finished_s)
        total = running_sum(snapshot.finished_s)
        if snapshot.occasion == "completion":
            return total / finished if finished else 0.0
        if snapshot.occasion != "tick":
            return 0.0
        elapsed = [host.elapsed_s for host in hosts if host.task >= 0]
        return periodic_average(total, finished, sum(elapsed), len(elapsed))

    def _release(self, snapshot: BagSnapshot) -> tuple[int, ...]:
        """Free machines that have had their time or have nothing left to take, and tasks to be stopped."""
        finished = len(snapshot.finished_s)
        average = running_sum(snapshot.finished_s) / finished if finished else 0.0
        waiting = snapshot.unstarted
        release = []
        for host in snapshot.hosts:
            left = self._host_time(snapshot, host) - host.age_s
            if host.task >= 0:
                if self.overrun == "kill" and left <= _SLACK and not host.first_task:
                    release.append(host.host)
                continue
            late = left <= _SLACK or (self.overrun == "nostart" and left < average)
            if (late and not host.first_task) or waiting == 0:
                release.append(host.host)
            else:
                waiting -= 1
        return tuple(release)

    def _next_stop(self, snapshot: BagSnapshot, hosts: tuple[RentedHost, ...]) -> float:
        """When the next running task has to be stopped."""
        if self.overrun != "kill":
            return math.inf
        left = (self._host_time(snapshot, host) - host.age_s for host in hosts)
        return snapshot.now_s + min((seconds for seconds in left if seconds > _SLACK), default=math.inf)

    def _host_time(self, snapshot: BagSnapshot, host: RentedHost | None) -> float:
        if self.host_time_s is not None:
            return self.host_time_s
        return snapshot.types[host.type if host else 0].unit_s


def running_sum(values: Floats) -> float:
    """The sum of `values` from first to last, rounded after each as a running total is."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def half_away(value: float) -> int:
    """The nearest whole number, halves away from zero.

    Example:
        >>> half_away(2.5), half_away(-2.5), half_away(2.4)
        (3, -3, 2)
    """
    return math.floor(value + 0.5) if value >= 0 else math.ceil(value - 0.5)


def periodic_average(finished_total_s: float, finished: int, running_total_s: float, running: int) -> float:
    """Figure 3b, corrected: the mean over finished and running tasks, if the running ones are older; else 0.

    Example:
        >>> round(periodic_average(1000.0, 10, 1000.0, 5), 3)
        133.333
    """
    if running == 0:
        return 0.0
    mean_finished = finished_total_s / finished if finished else 0.0
    if running_total_s / running <= mean_finished:
        return 0.0
    return (running_total_s + finished_total_s) / (running + finished)


def periodic_average_as_printed(finished_total_s: float, finished: int, running_total_s: float, running: int) -> float:
    """Figure 3b, lines 8 and 9 as printed: two averages added and divided by counts; kept to show the error.

    Example:
        >>> periodic_average_as_printed(1000.0, 10, 1000.0, 5)
        20.0
    """
    return (running_total_s / running + finished_total_s / finished) / (finished + running)
