"""The size factor of a priority, in its three forms, and how many hosts a job requests (rule O10)."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.distinct_rows import distinct_rows

MINUTE_S = 60.0


def size_factor(hosts: Floats, cores: Floats, all_hosts: float, all_cores: float, *, favor_small: bool) -> Floats:
    """The share of the cluster that a job requests, as the mean of hosts and cores; or what it leaves of it.

    Args:
        hosts: float64[J], that each job requests at least.
        cores: float64[J], of the whole job; 0 where unknown: then hosts count alone, in full.
        all_hosts: of the cluster.
        all_cores: of the cluster.
        favor_small: the smaller the job, the larger the factor.

    Example:
        >>> size_factor(np.array([1.0, 4.0]), np.array([4.0, 32.0]), 4, 32, favor_small=False).tolist()
        [0.1875, 1.0]
    """
    of_hosts, of_cores = hosts / all_hosts, cores / all_cores
    if favor_small:
        of_hosts, of_cores = (all_hosts - hosts) / all_hosts, (all_cores - cores) / all_cores
    factor = np.where(cores > 0.0, (of_hosts + of_cores) / 2.0, of_hosts)
    return np.clip(factor, 0.0, 1.0)


def size_for_time_factor(
    hosts: Floats, cores: Floats, limit_s: Floats, all_hosts: float, all_cores: float, *, favor_small: bool
) -> Floats:
    """The cores that a job requests by minute of its limit, as a share of the cluster's cores.

    Args:
        hosts: float64[J], as for `size_factor`.
        cores: float64[J], likewise.
        limit_s: float64[J]; less than a minute counts as one.
        all_hosts: of the cluster.
        all_cores: of the cluster.
        favor_small: the smaller, the larger the factor.
    """
    wide = np.maximum(hosts * all_cores / all_hosts, cores)
    factor = np.clip(wide / np.maximum(limit_s / MINUTE_S, 1.0) / all_cores, 0.0, 1.0)
    return 1.0 - factor if favor_small else factor


def fewest_hosts(demand: Floats, tasks: Ints, kinds: Floats, kind: Ints) -> Floats:
    """float64[J]: the fewest empty hosts that hold all tasks of a job; all hosts, where they cannot.

    Args:
        demand: float64[J, R], of one task.
        tasks: int32[J].
        kinds: float64[K, R], the distinct capacities.
        kind: int32[H], that of each host.
    """
    rows, row = distinct_rows(np.column_stack((demand, tasks)))
    fewest = np.array([_fewest(each[:-1], each[-1], kinds, kind) for each in rows], float)
    return np.asarray(fewest[row])


def _fewest(demand: Floats, tasks: float, kinds: Floats, kind: Ints) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        holds = np.where(demand > 0.0, np.floor(kinds / demand), np.inf).min(axis=1)[kind]
    together = np.cumsum(np.sort(holds)[::-1])
    return float(min(int(np.searchsorted(together, tasks)) + 1, len(kind)))
