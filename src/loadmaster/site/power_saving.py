"""Hosts of a site that sleep while they are idle: power saving, and hosts of a cloud (rule C17)."""

import math
from dataclasses import dataclass

from loadmaster.model import HostStartUp
from loadmaster.model.host_names import host_names
from loadmaster.site.fields import Fields, whole, whole_or_unlimited, written_names
from loadmaster.site.node import Nodes, SiteNode
from loadmaster.site.partition import SitePartition
from loadmaster.system.counted import counted

_RESUME_S = 60
"""ResumeTimeout where it is missing."""


@dataclass(frozen=True)
class PowerSaving:
    """Which hosts sleep.

    Attributes:
        nodes: their names.
        resume_s: how long a host needs to start: ResumeTimeout, the longest that Slurm waits.
        idle_s: SuspendTime: a host that was idle for longer sleeps; infinite: it only sleeps before its first job.
    """

    nodes: frozenset[str] = frozenset()
    resume_s: float = _RESUME_S
    idle_s: float = math.inf

    def start_ups(self, nodes: list[SiteNode]) -> tuple[HostStartUp, ...]:
        """The same of hosts by number."""
        hosts = tuple(number for number, node in enumerate(nodes) if node.name in self.nodes)
        return (HostStartUp(hosts, self.resume_s, None if math.isinf(self.idle_s) else self.idle_s),) if hosts else ()

    @property
    def note(self) -> str:
        """What the model assumes, in two sentences; empty where no host sleeps."""
        if not self.nodes:
            return ""
        again = "" if math.isinf(self.idle_s) else f", and after {self.idle_s:,.0f} s without a job (SuspendTime)"
        return (
            f"{counted(len(self.nodes), 'host sleeps', 'hosts sleep')} before the first job there{again}. A job waits "
            f"{self.resume_s:,.0f} s for such a host to start (ResumeTimeout, the longest that Slurm waits)."
        )


def read_power_saving(fields: Fields, nodes: Nodes, partitions: tuple[SitePartition, ...]) -> PowerSaving:
    """The hosts in state CLOUD; where power saving is on, all hosts. Those that it excludes never sleep.

    It is on where SuspendProgram is set and SuspendTime is finite.

    Raises:
        InputError: a value breaks its rule.
    """
    idle = fields.pairs.get("suspendtime")
    idle_s = math.inf if idle is None else whole_or_unlimited(0)(idle)
    cloud = {name for name, node in nodes.by_name.items() if node.cloud}
    sleeping = {*nodes.by_name} if "suspendprogram" in fields.pairs and not math.isinf(idle_s) else cloud
    if not sleeping:
        return PowerSaving()
    fields.pair("SuspendTime", "SuspendProgram", "ResumeProgram")
    resume_s = fields.read("ResumeTimeout", whole(0, 2**31), _RESUME_S)
    return PowerSaving(frozenset(sleeping - _excluded(fields, partitions)), resume_s, idle_s)


def _excluded(fields: Fields, partitions: tuple[SitePartition, ...]) -> set[str]:
    """The hosts that are never put to sleep; a number of them, `n[1-9]:2`, is left to what is not modelled."""
    excluded: set[str] = set()
    listed = fields.pairs.get("suspendexcnodes")
    if listed is not None and ":" not in listed.value:
        fields.pair("SuspendExcNodes")
        excluded |= {*host_names(listed.value, listed.where)}
    named = fields.read("SuspendExcParts", written_names, ())
    return excluded | {node for part in partitions if part.name in named for node in part.nodes}
