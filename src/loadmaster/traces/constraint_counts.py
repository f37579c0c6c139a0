"""Counts the constraints of a log and of a cluster."""

from collections.abc import Callable
from typing import Any

import numpy as np

from loadmaster.model import Cluster, Dependencies, Named, Workload
from loadmaster.model.arrays import Bools
from loadmaster.model.constraints import STATUSES


def constraints_of_jobs(workload: Workload) -> dict[str, dict[str, int]]:
    """For each column of constraints that says something: of how many jobs, and how many different things.

    Example:
        >>> from loadmaster.model import Constraints
        >>> bound = Constraints(partition=Named.of(["long", None, "long"]), hold=np.zeros(3))
        >>> constraints_of_jobs(Workload.of(submit_s=[0] * 3, runtime_s=[1] * 3, cores=[1] * 3, constraints=bound))
        {'partition': {'jobs': 2, 'kinds': 1}}
    """
    counts = {}
    for name, column in () if workload.constraints is None else workload.constraints.columns():
        says = _says(name, column, workload)
        if says.any():
            counts[name] = {"jobs": int(says.sum())}
            if isinstance(column, Named):
                counts[name]["kinds"] = len(column.names)
    return counts


def constraints_of_cluster(cluster: Cluster) -> dict[str, int]:
    """How many partitions, qualities of service, accounts, hosts with features and calendar rows there are."""
    rules = cluster.rules
    if rules is None:
        return {}
    counts = {
        "partitions": len(rules.partitions),
        "qos": len(rules.qos),
        "accounts": len(rules.accounts),
        "hosts_with_features": sum(map(bool, rules.features)),
        "calendar": len(rules.calendar),
        "qos_with_limits": sum(bool(each.limits.given) for each in rules.qos),
        "accounts_with_limits": sum(bool(each.limits.given) for each in rules.accounts),
        "preemption": int(rules.preemption.by != "none"),
    }
    return {name: count for name, count in counts.items() if count}


def _says(name: str, column: Any, workload: Workload) -> Bools:
    """bool[J]: the jobs of which the column says something."""
    if isinstance(column, Named):
        return np.asarray(column.code >= 0)
    if isinstance(column, Dependencies):
        return np.asarray(np.diff(column.first) > 0)
    if name == "eligible_s":
        return np.asarray(column > workload.submit_s)
    return np.asarray(_SAYS.get(name, lambda values: values != 0)(column))


_SAYS: dict[str, Callable[[Any], Any]] = {
    "array": lambda values: values >= 0,
    "follows": lambda values: values >= 0,
    "array_task": lambda values: values >= 0,
    "requeue": lambda values: values,
    "status": lambda values: values != STATUSES.index("ok"),
    "limit_s": np.isfinite,
}
