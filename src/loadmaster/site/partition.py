"""The partitions of a site: lines `PartitionName=` (rule L3)."""

import math
from dataclasses import dataclass

from loadmaster.model import InputError
from loadmaster.site.fields import Fields, allowed, names, one_of, weights, whole, whole_or_unlimited, yes_no
from loadmaster.site.lines import Pair
from loadmaster.site.node import Nodes
from loadmaster.site.preemption import read_mode
from loadmaster.site.times import whole_minutes_s

_STATES = {name: name for name in ("up", "down", "drain", "inactive")}
_SHARING = {name: name for name in ("no", "yes", "force", "exclusive")}
_EXCLUSIVE = {name: name for name in ("no", "node", "user", "topo")}
MOST_FACTOR = 65533
"""What Slurm takes at most as a tier or a job factor."""


@dataclass(frozen=True)
class DefaultMemory:
    """Memory of jobs that request none: MiB for a processor, for a GPU, for a host; None where nothing is said."""

    per_cpu_mib: int | None = None
    per_gpu_mib: int | None = None
    per_node_mib: int | None = None


@dataclass(frozen=True)
class SitePartition:
    """One partition. None where the cluster's own setting counts.

    Attributes:
        nodes: names of its hosts, in the order of the configuration.
        tier, job_factor: PriorityTier and PriorityJobFactor.
        max_time_s, default_time_s: infinite where there is no limit.
        allow_accounts, allow_qos: None admits all; then `deny_*` counts.
        sharing: OverSubscribe: `no`, `yes`, `force` or `exclusive` (whole hosts).
        exclusive_user, exclusive_topology: a host, a segment of the network takes jobs of one user, one job.
        state: `up`, `down` (queues, starts none), `drain` (takes none, starts those that wait), `inactive` (neither).
        preempt_mode: words in lower case.
        billing: charge for each unit of a resource (memory in MiB); empty charges processors.
    """

    name: str
    nodes: tuple[str, ...]
    default: bool = False
    tier: int = 1
    job_factor: int = 1
    max_time_s: float = math.inf
    default_time_s: float = math.inf
    min_nodes: int = 0
    max_nodes: float = math.inf
    max_cpus_per_node: float = math.inf
    allow_accounts: tuple[str, ...] | None = None
    deny_accounts: tuple[str, ...] = ()
    allow_qos: tuple[str, ...] | None = None
    deny_qos: tuple[str, ...] = ()
    qos: str = ""
    sharing: str = "no"
    exclusive_user: bool = False
    state: str = "up"
    least_loaded: bool = False
    preempt_mode: tuple[str, ...] | None = None
    grace_s: float = 0.0
    over_time_limit_s: float | None = None
    memory: DefaultMemory = DefaultMemory()
    billing: tuple[tuple[str, float], ...] = ()
    exclusive_topology: bool = False


def read_partition(fields: Fields, name: Pair, nodes: Nodes) -> SitePartition:
    """The partition of a line `PartitionName=...`.

    Raises:
        InputError: a value that breaks its rule, a host that no line names, or several names in one line.
    """
    if "," in name.value:
        fix = "write a line for each, as Slurm takes this for one name"
        raise InputError(f"{name.key}={name.value}", "a line has one partition", fix=fix, where=name.where)
    sharing, exclusive = _sharing(fields), _exclusive(fields)
    factor = whole(0, MOST_FACTOR)
    both = fields.pair("Priority")
    priority = 1 if both is None else factor(both)
    max_time_s = fields.read("MaxTime", limit_s, math.inf)
    return SitePartition(
        name=name.value,
        nodes=fields.read("Nodes", nodes.named, ()),
        default=fields.read("Default", yes_no, False),
        tier=fields.read("PriorityTier", factor, priority),
        job_factor=fields.read("PriorityJobFactor", factor, priority),
        max_time_s=max_time_s,
        default_time_s=fields.read("DefaultTime", limit_s, max_time_s),
        min_nodes=fields.read("MinNodes", whole(0, 2**31), 0),
        max_nodes=fields.read("MaxNodes", whole_or_unlimited(0), math.inf),
        max_cpus_per_node=fields.read("MaxCPUsPerNode", whole_or_unlimited(0), math.inf),
        allow_accounts=fields.read("AllowAccounts", allowed, None),
        deny_accounts=fields.read("DenyAccounts", names, ()),
        allow_qos=fields.read("AllowQos", allowed, None),
        deny_qos=fields.read("DenyQos", names, ()),
        qos=fields.read("QOS", lambda pair: pair.value.lower(), ""),
        sharing="exclusive" if exclusive in ("node", "topo") else sharing,
        exclusive_user=fields.read("ExclusiveUser", yes_no, False) or exclusive == "user",
        state=fields.read("State", lambda pair: one_of(pair, _STATES), "up"),
        least_loaded=fields.read("LLN", yes_no, False),
        preempt_mode=fields.read("PreemptMode", read_mode, None),
        grace_s=fields.read("GraceTime", seconds, 0.0),
        over_time_limit_s=fields.read("OverTimeLimit", over_time_s, None),
        memory=read_memory(fields),
        billing=fields.read("TRESBillingWeights", weights, ()),
        exclusive_topology=exclusive == "topo",
    )


def read_memory(fields: Fields) -> DefaultMemory:
    """DefMemPerCPU, DefMemPerGPU and DefMemPerNode, of which a line has at most one.

    Raises:
        InputError: it has two of them.
    """
    read = whole(0, 2**43)
    keys = ("DefMemPerCPU", "DefMemPerGPU", "DefMemPerNode")
    given = [pair for key in keys if (pair := fields.pair(key)) is not None]
    if len(given) > 1:
        words = " and ".join(pair.key for pair in given)
        raise InputError(words, "only one of these may be given", fix="leave one out", where=given[1].where)
    each = [None if pair is None else read(pair) for pair in map(fields.pair, keys)]
    return DefaultMemory(*each)


def limit_s(pair: Pair) -> float:
    """A limit of time in seconds; NONE is no limit."""
    return math.inf if pair.value.lower() == "none" else whole_minutes_s(pair.value, pair.where)


def over_time_s(pair: Pair) -> float:
    """Minutes beyond the limit, in seconds; UNLIMITED is infinite."""
    return 60.0 * whole_or_unlimited(0)(pair)


def seconds(pair: Pair) -> float:
    """The value of a pair as whole seconds, 0 to 2^31."""
    return float(whole(0, 2**31)(pair))


def _sharing(fields: Fields) -> str:
    pair = fields.pair("OverSubscribe", "Shared")
    if pair is None:
        return "no"
    return one_of(Pair(pair.key, pair.value.partition(":")[0], pair.where), _SHARING)


def _exclusive(fields: Fields) -> str:
    """Exclusive; before release 26 this was ExclusiveTopo."""
    topology = fields.read("ExclusiveTopo", yes_no, False)
    return fields.read("Exclusive", lambda pair: one_of(pair, _EXCLUSIVE), "topo" if topology else "no")
