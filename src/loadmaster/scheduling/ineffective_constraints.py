"""Whether the constraints of a log have an effect on these hosts: many logs have columns that change nothing."""

import numpy as np

from loadmaster.model import Cluster, Constraints, SiteRules, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.constraints import COLUMNS, EXCLUSIVE
from loadmaster.model.features import host_terms, hosts_that_serve, parse_choices
from loadmaster.model.licences import parse_licences
from loadmaster.model.whole_hosts import wants_whole_hosts


def delay_or_limit(workload: Workload, bound: Constraints) -> bool:
    """Whether a column of constraints, read without the hosts, makes some job wait or count hosts."""
    entries = ((values, COLUMNS[name].delays) for name, values in bound.columns())
    return any(np.any(delays(values, workload.submit_s)) for values, delays in entries if delays is not None)


def counts_cluster_wide(cluster: Cluster, bound: Constraints) -> bool:
    """Whether amounts of the whole cluster bind jobs: licences (rule C13), a power cap (rule C14)."""
    return counts_licences(cluster, bound) or bool((cluster.rules or SiteRules()).power_cap)


def counts_licences(cluster: Cluster, bound: Constraints) -> bool:
    """Whether some job requests a licence of which the cluster says how many there are (rule C13)."""
    totals = dict((cluster.rules or SiteRules()).licences)
    if bound.licences is None or not totals:
        return False
    asked = {
        name
        for code in np.unique(bound.licences.code).tolist()
        if code >= 0
        for name, _ in parse_licences(bound.licences.names[code])
    }
    return not asked.isdisjoint(totals)


def shut_by_features(cluster: Cluster, bound: Constraints) -> bool:
    """Whether some job requests features that a host lacks, or names some hosts.

    A job with a choice such as `[a|b]` is free only if all hosts serve one part of it, as its hosts must be alike.
    """
    if bound.features is None:
        return False
    asked = [bound.features.names[code] for code in np.unique(bound.features.code).tolist() if code >= 0]
    has, names = (cluster.rules or SiteRules()).features, [cluster.name(host) for host in range(cluster.hosts)]
    if not any(map(host_terms, asked)):  # only the kinds of hosts count, and these are few
        has = tuple(dict.fromkeys(has))
        names = [""] * len(has)
    return not all(any(all(hosts_that_serve(part, names, has)) for part in parse_choices(each)) for each in asked)


def shut_by_whole_hosts(workload: Workload, cluster: Cluster, bound: Constraints) -> bool:
    """Whether a job that wants hosts to itself would fit on one that it does not fill (rule C5), or never fits.

    No engine serves hosts that are shared only among one user's jobs: such a constraint counts, so that it is refused.
    """
    if bound.exclusive is None:
        return False
    if (bound.exclusive == EXCLUSIVE.index("user")).any():
        return True
    wants = wants_whole_hosts(workload, cluster)
    rows = np.unique(np.column_stack((workload.demand[wants], workload.task_count[wants])), axis=0)
    return not all(_fill_all_that_hold(row[:-1], int(row[-1]), cluster) for row in rows)


def _fill_all_that_hold(demand: Floats, tasks: int, cluster: Cluster) -> bool:
    """Whether such tasks fill each host that holds one, and there are as many of these as tasks."""
    able = (cluster.capacity >= demand).all(axis=1)
    return int(able.sum()) >= tasks and bool((cluster.capacity[able, 0] == demand[0]).all())
