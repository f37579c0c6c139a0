"""Hosts that sleep while they are idle: how long a job that takes them waits for their start (rule C17)."""

import math
from collections.abc import Iterable

from loadmaster.model.cluster import Cluster


class SleepingHosts:
    """Which hosts sleep, and when those that were started are up.

    Attributes:
        some: whether there are such hosts.
    """

    def __init__(self, cluster: Cluster) -> None:
        start_ups = () if cluster.rules is None else cluster.rules.start_up
        self._start_up_of = {host: each for each in start_ups for host in each.hosts}
        self.some = bool(self._start_up_of)
        self._idle_since_s = dict.fromkeys(self._start_up_of, -math.inf)
        self._up_s = dict.fromkeys(self._start_up_of, -math.inf)
        self._tasks = dict.fromkeys(self._start_up_of, 0)

    def take(self, hosts: Iterable[int]) -> None:
        """Tasks take these hosts."""
        for host in hosts if self.some else ():
            if host in self._tasks:
                self._tasks[host] += 1

    def leave(self, hosts: Iterable[int], time_s: float) -> None:
        """Tasks leave these hosts."""
        for host in hosts if self.some else ():
            if host in self._tasks:
                self._tasks[host] -= 1
                self._idle_since_s[host] = time_s

    def start_up_s(self, hosts: Iterable[int], now_s: float) -> float:
        """How long a job that gets these hosts now waits until all of them are up. Those that sleep start now."""
        if not self.some:
            return 0.0
        sleeping = [host for host in hosts if host in self._tasks]
        for host in sleeping:
            if self._sleeps(host, now_s):
                self._up_s[host] = now_s + self._start_up_of[host].lasts_s
        return max((0.0, *(self._up_s[host] - now_s for host in sleeping)))

    def _sleeps(self, host: int, now_s: float) -> bool:
        if self._tasks[host] > 0:
            return False
        since_s, idle_s = self._idle_since_s[host], self._start_up_of[host].idle_s
        return since_s == -math.inf if idle_s is None else now_s - since_s > idle_s
