"""Jobs on unrelated hosts, one by one, by load alone: the theory behind the opportunity cost (rules P5 and P6).

p[i, j] is the load that job j puts on host i. The aim is the least largest load over hosts, against an adversary.
"""

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.place.assign_u import BASE


def greedily(added: Floats) -> list[int]:
    """The host of every job by least load after placing: 2 - 1/n for equal hosts, O(log n) for related ones.

    Args:
        added: float64[H, J].
    """
    load = np.zeros(added.shape[0])
    chosen = []
    for j in range(added.shape[1]):
        host = int(np.argmin(load + added[:, j]))
        load[host] += added[host, j]
        chosen.append(host)
    return chosen


def by_assign_u(added: Floats, base: float = BASE) -> list[int]:
    """The host of every job by least growth of base^load; O(log n) for unrelated hosts and jobs that stay.

    The theory doubles its guess L of the best possible largest load whenever a load passes the bound that the guess
    implies, and starts afresh: loads count in units of L, from the last doubling on.

    Args:
        added: float64[H, J].
        base: the constant a.
    """
    hosts, jobs = added.shape
    guess = float(added[:, 0].min()) if jobs else 1.0
    load = np.zeros(hosts)
    chosen = []
    limit = 2.0 * np.log(2.0 * hosts) / np.log(base)
    for j in range(jobs):
        guess = max(guess, float(added[:, j].min()))
        more = added[:, j] / guess
        host = int(np.argmin(base ** (load + more) - base**load))
        if load[host] + more[host] > limit:
            guess *= 2.0
            load[:] = 0.0
            more = added[:, j] / guess
            host = int(np.argmin(base**more - 1.0))
        load[host] += more[host]
        chosen.append(host)
    return chosen


def largest_load(added: Floats, chosen: list[int]) -> float:
    """The largest load of a host when job j goes to chosen[j]."""
    load = np.zeros(added.shape[0])
    for j, host in enumerate(chosen):
        load[host] += added[host, j]
    return float(load.max())
