"""Tries a policy once in plain Python, for what compiled code does without a word: read or write where it must not."""

import numpy as np

from loadmaster.model.cluster import Cluster
from loadmaster.model.errors import InputError
from loadmaster.model.workload import Workload
from loadmaster.place.policy import Context, Policy


def try_out(policy: Policy, workload: Workload, cluster: Cluster) -> None:
    """Let `policy` rate the first empty host that can hold a task of the first job; its score is not looked at.

    Compiled code checks no index and copies no argument, so that `free[7]` on a cluster of two resources would
    rate by whatever lies behind the array, and `demand[0] = 0` would change the job.

    Raises:
        InputError: the policy reads a resource that the cluster does not have, or changes its arguments.
    """
    if workload.jobs == 0:
        return
    demand = _read_only(workload.demand[0])
    fits = np.flatnonzero((cluster.capacity >= demand).all(axis=1))
    if fits.size == 0:
        return
    host = int(fits[0])
    capacity = _read_only(cluster.capacity[host])
    try:
        with np.errstate(all="ignore"):
            policy.rate(demand, capacity, capacity, Context(host, cluster.hosts, -1, 0, 0))
    except IndexError as error:
        names = ", ".join(f"{r} {name}" for r, name in enumerate(cluster.resources))
        raise InputError(
            policy.name, f"this policy reads a resource that the hosts do not have: {error}", fix=f"they have {names}"
        ) from error
    except ValueError as error:
        if "read-only" in str(error):
            raise InputError(policy.name, "a policy must not change its arguments", fix="work on a copy") from error
    except (ArithmeticError, TypeError):  # compiled code goes on with infinity or NaN, which is caught there
        return


def _read_only(row: np.ndarray) -> np.ndarray:
    copy = np.array(row, np.float64)
    copy.setflags(write=False)
    return copy
