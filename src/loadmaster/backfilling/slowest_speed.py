"""The speed of a job: that of its slowest host, which decides how long it needs all of its hosts."""

from collections.abc import Callable

from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.cluster import Cluster

Place = Callable[[float, Bools | None], tuple[int, ...] | None]
"""Hosts for a job among these, bool[H] or None for all, if it runs at that speed; None if there are none."""


def hosts_of_one_speed(
    cluster: Cluster, may: Callable[[], Bools], place: Place
) -> tuple[tuple[int, ...], float] | None:
    """As `hosts_and_speed` for the hosts `may()`; where all hosts have one speed, only that speed is tried."""
    if cluster.common_speed is None:
        assert cluster.speed is not None
        return hosts_and_speed(cluster.speed, may(), place)
    hosts = place(cluster.common_speed, None)
    return None if hosts is None else (hosts, cluster.common_speed)


def hosts_and_speed(speed: Floats, may: Bools, place: Place) -> tuple[tuple[int, ...], float] | None:
    """Hosts for a job, and the speed for which they were found, none of them slower; None if there are none (rule Q16).

    It is tried at the speed of the fastest, then at that of the slowest that was picked. Where nothing is free for so
    long, only hosts that are quicker are left, and it is tried at the speed of the fastest again.

    Args:
        speed: float64[H].
        may: bool[H], the hosts that the job may use.
        place: picks them.

    Example:
        >>> import numpy as np
        >>> def place(speed, hosts):  # the first one; all are closed in 9 s, and it runs for 8 s at speed 1
        ...     return next(((host,) for host in (0, 1) if hosts[host] and 8.0 / speed <= 9.0), None)
        >>> hosts_and_speed(np.array([0.5, 1.0]), np.array([True, True]), place)
        ((1,), 1.0)
    """
    fastest = float(speed[may].max(initial=0.0)) or 1.0
    slowest_speed, left = fastest, may
    while True:
        hosts = place(slowest_speed, left)
        slowest = slowest_speed if hosts is None else float(speed[list(hosts)].min())
        if hosts is not None and slowest >= slowest_speed:
            return hosts, slowest_speed
        if hosts is None and slowest_speed == fastest:
            return None
        if hosts is None:
            slowest_speed, left = fastest, left & (speed > slowest_speed)
        else:
            slowest_speed = slowest
