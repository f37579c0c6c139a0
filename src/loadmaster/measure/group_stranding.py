"""GPUs that were stranded on the hosts of each partition, and on those of each GPU model (rule R16)."""

import numpy as np

from loadmaster.measure.job_groups import NO_GPU, NO_MODEL, JobGroup
from loadmaster.measure.stranding import stranded_gpus
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.model.cluster import Cluster
from loadmaster.model.gres import GPU
from loadmaster.model.schedule import Schedule
from loadmaster.model.site_rules import SiteRules
from loadmaster.model.units import GPUS
from loadmaster.model.workload import Workload


class GroupStranding:
    """The part of a group's GPUs that was stranded on average; `stranding.stranded_gpus` has the arguments.

    Attributes:
        part: of the GPUs of all hosts; NaN without any.
    """

    def __init__(
        self, workload: Workload, cluster: Cluster, schedule: Schedule, between: tuple[float, float] | None = None
    ) -> None:
        self._rules, self._hosts = cluster.rules or SiteRules(), cluster.hosts
        there = GPUS in cluster.resources
        self._gpus = cluster.capacity[:, cluster.resources.index(GPUS)] if there else np.zeros(cluster.hosts)
        self._stranded = stranded_gpus(workload, cluster, schedule, between) if self._gpus.any() else self._gpus
        self.part = float(self._stranded.sum() / self._gpus.sum()) if self._gpus.any() else np.nan

    def of(self, group: JobGroup, codes: Longs) -> Floats:
        """float64[G]: of each group by its code; NaN where its hosts are not known, or have no GPU."""
        names = [group.name(code) for code in codes.tolist()]
        if group.by == "gpu":
            hosts = self._of_models(names)
        elif group.by == "partition":
            hosts = [self._of_partitions(name) for name in names]
        else:
            return np.full(len(names), np.nan)
        sums = [(float(self._stranded[those].sum()), float(self._gpus[those].sum())) for those in hosts]
        return np.array([stranded / gpus if gpus else np.nan for stranded, gpus in sums], np.float64)

    def _of_partitions(self, names: str) -> Bools:
        """bool[H]: the hosts of any partition of a list; none where the site lacks one of them."""
        by_name = {part.name: part.hosts for part in self._rules.partitions}
        on = np.zeros(self._hosts, bool)
        for name in names.split(","):
            if name not in by_name:
                return np.zeros(self._hosts, bool)
            hosts = by_name[name]
            on[slice(None) if hosts is None else list(hosts)] = True
        return on

    def _of_models(self, names: list[str]) -> list[Bools]:
        """bool[H] each: the hosts that have a model among their features; all hosts where the log names no model."""
        if {*names} <= {NO_GPU, NO_MODEL}:
            return [np.full(self._hosts, name == NO_MODEL) for name in names]
        models = [
            {each.lower().removeprefix(f"{GPU}:") for each in features}
            for features in self._rules.features or [()] * self._hosts
        ]
        return [np.array([not here.isdisjoint(name.lower().split(",")) for here in models]) for name in names]
