"""The part of each job's priority that does not change while it waits, and what a second of it is charged (rule O8)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.limits import Amounts
from loadmaster.model.units import MB, MEMORY
from loadmaster.order.multifactor.job_size import fewest_hosts, size_factor, size_for_time_factor
from loadmaster.order.multifactor.site_view import SiteView

if TYPE_CHECKING:
    from loadmaster.order.multifactor.parameters import Multifactor


def fixed_part(rule: "Multifactor", workload: Workload, cluster: Cluster, view: SiteView) -> Floats:
    """float64[J]: the priority without age and fair share."""
    nice = workload.constraints.nice if workload.constraints is not None else None
    part = np.full(workload.jobs, rule.site) + rule.assoc * _of_association(rule, view)
    part += rule.size * _of_size(rule, workload, cluster)
    job_factor = np.array([float(each.job_factor) for each in view.partitions])
    part += rule.partition * _normal(job_factor, 1.0, rule.is_raw("part"))[view.partition]
    priority = np.array([float(each.priority) for each in view.qos])
    part += rule.qos * _normal(priority, 0.0, rule.is_raw("qos"))[view.quality]
    part += _of_resources(rule, workload, cluster, view)
    return part if nice is None else part - nice


def charges(rule: "Multifactor", workload: Workload, cluster: Cluster, view: SiteView) -> Floats:
    """float64[J]: what a second of each job is charged: its cores, or as its partition says, times its QOS's factor."""
    asked = workload.demand * workload.task_count[:, None]
    charge = asked[:, 0].copy()
    for row, partition in enumerate(view.partitions):
        if partition.billing:
            here = view.partition == row
            parts = asked[here] * _weights(partition.billing, cluster.resources)
            charge[here] = parts.max(axis=1) if rule.max_tres else parts.sum(axis=1)
    return np.asarray(charge * np.array([each.usage_factor for each in view.qos])[view.quality])


def _of_association(rule: "Multifactor", view: SiteView) -> Floats:
    return _normal(view.priority, 0.0, rule.is_raw("assoc"))[view.leaf]


def _of_size(rule: "Multifactor", workload: Workload, cluster: Cluster) -> Floats:
    hosts = fewest_hosts(workload.demand, workload.task_count, *cluster.kinds)
    least = workload.constraints.min_hosts if workload.constraints is not None else None
    hosts = hosts if least is None else np.maximum(hosts, least)
    cores = workload.demand[:, 0] * workload.task_count
    there = float(cluster.hosts), float(cluster.total[0])
    if not rule.small_relative_to_time:
        return size_factor(hosts, cores, *there, favor_small=rule.favor_small)
    limit_s = workload.constraints.limit_s if workload.constraints is not None else None
    limit_s = workload.expected_s if limit_s is None else limit_s
    return size_for_time_factor(hosts, cores, limit_s, *there, favor_small=rule.favor_small)


def _of_resources(rule: "Multifactor", workload: Workload, cluster: Cluster, view: SiteView) -> Floats:
    """The sum of weight times asked / there, of all hosts of the job's partition; raw, memory counts in MiB."""
    for name, _ in rule.tres:
        if name not in cluster.resources:
            fix = f"they have {', '.join(cluster.resources)}"
            raise InputError(name, "a weight for a resource that the hosts do not have", fix=fix)
    weights = _weights(rule.tres, cluster.resources)
    asked = workload.demand * workload.task_count[:, None]
    if rule.is_raw("tres"):
        unit = np.array([float(MB) if name == MEMORY else 1.0 for name in cluster.resources])
        return np.asarray((asked / unit * weights).sum(axis=1))
    total = np.stack([_total(cluster, each.hosts) for each in view.partitions])[view.partition]
    return np.asarray((np.divide(asked, total, out=np.zeros_like(asked), where=total > 0.0) * weights).sum(axis=1))


def _total(cluster: Cluster, hosts: Iterable[int] | None) -> Floats:
    return cluster.total if hosts is None else np.asarray(cluster.capacity[list(hosts)].sum(axis=0))


def _weights(weights: Amounts, resources: tuple[str, ...]) -> Floats:
    given = dict(weights)
    return np.array([given.get(name, 0.0) for name in resources])


def _normal(values: Floats, least: float, raw: bool) -> Floats:
    """Each over the highest of all, which is at least `least`; as they are if `raw`."""
    highest = max(float(values.max(initial=0.0)), least)
    return values if raw else values / highest if highest > 0.0 else np.zeros_like(values)
