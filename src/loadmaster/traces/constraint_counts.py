"""Counts the constraints of a log and of a cluster."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from loadmaster.model import Cluster, Dependencies, Named, Workload
from loadmaster.model.arrays import Bools
from loadmaster.model.constraints import STATUSES
from loadmaster.model.licences import parse_licences


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


class LicenceCount(NamedTuple):
    """The jobs that request a licence, and the most that one of them requests."""

    jobs: int
    most: float


def licences_of_jobs(workload: Workload) -> dict[str, LicenceCount]:
    """By licence and burst buffer, the one of most jobs first.

    Example:
        >>> from loadmaster.model import Constraints
        >>> bound = Constraints(licences=Named.of(["m:2", None, "m:3,x"]))
        >>> licences_of_jobs(Workload.of(submit_s=[0] * 3, runtime_s=[1] * 3, cores=[1] * 3, constraints=bound))
        {'m': LicenceCount(jobs=2, most=3.0), 'x': LicenceCount(jobs=1, most=1.0)}
    """
    column = None if workload.constraints is None else workload.constraints.licences
    counts: dict[str, LicenceCount] = {}
    for code, text in enumerate(() if column is None else column.names):
        jobs = int((column.code == code).sum())  # type: ignore[union-attr]
        for name, amount in parse_licences(text) if jobs else ():
            before = counts.get(name, LicenceCount(0, 0.0))
            counts[name] = LicenceCount(before.jobs + jobs, max(before.most, amount))
    return dict(sorted(counts.items(), key=lambda item: -item[1].jobs))


def constraints_of_cluster(cluster: Cluster) -> dict[str, int]:
    """How many partitions, qualities of service, accounts, hosts with features, calendar rows and licences it has."""
    rules = cluster.rules
    if rules is None:
        return {}
    counts = {
        "partitions": len(rules.partitions),
        "qos": len(rules.qos),
        "accounts": len(rules.accounts),
        "hosts_with_features": sum(map(bool, rules.features)),
        "calendar": len(rules.calendar),
        "licences": len(rules.licences),
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
