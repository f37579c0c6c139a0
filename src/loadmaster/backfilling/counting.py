"""Whether a count of hosts is exact: then a reservation need not name its hosts (rule Q11)."""

from typing import Literal

from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import Cluster
from loadmaster.model.errors import InputError
from loadmaster.model.snapshot import Snapshot

PromiseOn = Literal["auto", "pool", "hosts"]
"""On what reservations are made: a count of hosts, the hosts, or a count wherever that is exact (rule Q11)."""


def counts_exactly(snapshot: Snapshot) -> bool:
    """Whether a count of hosts is exact on this snapshot: each job may use each host, now and later."""
    return snapshot.as_pool and not snapshot.closures and (snapshot.allowed is None or bool(snapshot.allowed.all()))


def counts_hosts(snapshot: Snapshot, promise_on: PromiseOn) -> bool:
    """Whether reservations count hosts.

    Raises:
        InputError: a count is requested where it is not exact.
    """
    exact = counts_exactly(snapshot)
    if promise_on == "pool" and not exact:
        rule, fix = "these hosts differ for some of the jobs, so a count promises too much", "promise=auto counts hosts"
        raise InputError("promise=pool", rule, fix=f"{fix} where that is exact")
    return exact and promise_on != "hosts"


def hosts_are_one_pool(demand: Floats, cluster: Cluster) -> bool:
    """Whether each task takes a whole host and all hosts serve it equally well.

    This is so if all hosts are equal, each can hold every task, and no two tasks fit on one host.

    Args:
        demand: float64[J, R], what one task of each job requests.
        cluster: the hosts.

    Example:
        >>> import numpy as np
        >>> one_core = Cluster.uniform(4, cores=1)
        >>> hosts_are_one_pool(np.ones((3, 1)), one_core), hosts_are_one_pool(np.zeros((1, 1)), one_core)
        (True, False)
    """
    assert cluster.speed is not None
    capacity = cluster.capacity[0]
    if len(demand) == 0 or (cluster.capacity != capacity).any() or (cluster.speed != cluster.speed[0]).any():
        return False
    fits_one = bool((demand <= capacity).all())
    return fits_one and bool((2 * demand.min(axis=0) > capacity).any())
