"""A site: what its `slurm.conf` says of hosts, partitions, priorities and the scheduler."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loadmaster.model import InputError
from loadmaster.model.licences import parse_licences
from loadmaster.model.limits import Amounts
from loadmaster.rules.near import near_to
from loadmaster.site.fields import Fields, names, one_of, whole
from loadmaster.site.gres_conf import Devices, with_devices
from loadmaster.site.job_scope import POWER_SAVING, SCOPE_OF_KEY, JobScope
from loadmaster.site.keys import ALL_KEYS, NO_BEARING
from loadmaster.site.lines import ConfigLine, Lines, Pair, read_lines
from loadmaster.site.node import Nodes, SiteNode, read_nodes
from loadmaster.site.partition import DefaultMemory, SitePartition, over_time_s, read_memory, read_partition, seconds
from loadmaster.site.power_saving import PowerSaving, read_power_saving
from loadmaster.site.preemption import PreemptionSetting, read_preemption
from loadmaster.site.priority import Priority, read_priority
from loadmaster.site.scheduler import SiteScheduler, read_scheduler
from loadmaster.site.selection import Selection, read_selection
from loadmaster.site.topology import topologies

_ENFORCE = {"no": "no", "any": "any", "all": "all", "yes": "all"}
SEVERAL_HOSTS = JobScope("several hosts")
_KINDS = ("nodename", "partitionname", "downnodes", "nodeset")


@dataclass(frozen=True)
class Site:
    """A configuration, read.

    Attributes:
        cluster: ClusterName in lower case, or "".
        nodes, partitions: in the order of the file.
        memory: what jobs that request none get where their partition says nothing.
        over_time_limit_s: infinite where it is UNLIMITED.
        enforce: AccountingStorageEnforce, words in lower case; see `limits_bind`.
        enforce_part_limits: `no`, `any`, `all`: which jobs are refused at submission.
        licences: name and amount of those of the whole cluster.
        power_saving: which hosts sleep while they are idle.
        not_modelled: every setting that may matter and is not modelled, once, as KEY or KEY: word, word.
        scopes: of those that concern some jobs alone, which jobs they are.
        no_bearing: how many keys of daemons, files and networks were passed over.
        notes: what else a user must know.
        digest: SHA-256 of the text of all files.
    """

    cluster: str
    nodes: tuple[SiteNode, ...]
    partitions: tuple[SitePartition, ...]
    selection: Selection
    memory: DefaultMemory
    scheduler: SiteScheduler
    priority: Priority
    preemption: PreemptionSetting
    over_time_limit_s: float
    kill_wait_s: float
    max_array_size: int
    enforce: tuple[str, ...]
    enforce_part_limits: str
    licences: Amounts
    power_saving: PowerSaving
    not_modelled: tuple[str, ...]
    scopes: Mapping[str, JobScope]
    no_bearing: int
    notes: tuple[str, ...]
    digest: str

    @property
    def limits_bind(self) -> bool:
        """Whether limits of accounts and QOS are enforced at all; the word `qos` alone does not do it (rule L7)."""
        return bool({"limits", "safe", "all"} & set(self.enforce))

    @property
    def over_time_is_unlimited(self) -> bool:
        """Whether jobs may outlive their limits for ever."""
        return math.isinf(self.over_time_limit_s)


def read_site(path: str | Path) -> Site:
    """What a `slurm.conf` says.

    Raises:
        InputError: it cannot be read, a value breaks its rule, or there is no host or no partition.
    """
    path = Path(path)
    return site_of_lines(path, read_lines(path))


def site_of_lines(path: Path, read: Lines) -> Site:
    """What the lines of a `slurm.conf` say; `path` is named in refusals.

    Raises:
        InputError: a value breaks its rule, or there is no host or no partition.
    """
    settings: dict[str, Pair] = {}
    for line in read.lines:
        if line.kind not in _KINDS:
            settings |= line.pairs
    hosts = _Hosts(path, read.lines)
    fields = Fields(settings)
    saving = read_power_saving(fields, hosts.nodes, tuple(hosts.partitions.values()))
    parts = (
        read_selection(fields),
        read_memory(fields),
        read_scheduler(fields),
        read_priority(fields),
        read_preemption(fields),
        fields.read("OverTimeLimit", over_time_s, 0.0),
        fields.read("KillWait", seconds, 30.0),
        fields.read("MaxArraySize", whole(0, 4_000_001), 1001),
        fields.read("AccountingStorageEnforce", names, ()),
        fields.read("EnforcePartLimits", lambda pair: one_of(pair, _ENFORCE), "no"),
        fields.read("Licenses", _licences, ()),
        saving,
    )
    cluster = fields.read("ClusterName", lambda pair: pair.value.lower(), "")
    networks = topologies(path.parent, fields.read("TopologyPlugin", lambda pair: pair.value, ""))
    devices = _devices(path, tuple(hosts.nodes.by_name.values()))
    selection, scheduler = parts[0], parts[2]
    rest, passed = _rest([*fields.rest(), *hosts.rest])
    words = {"SchedulerParameters": scheduler.ignored, "SelectTypeParameters": selection.ignored}
    rest += [f"{key}: {', '.join(each)}" for key, each in words.items() if each]
    scopes = _scopes(rest, {pair.key.lower() for pair in fields.rest()}, hosts, {*saving.nodes})
    scopes |= {**dict.fromkeys(networks, SEVERAL_HOSTS), **devices.unmodelled}
    return Site(
        cluster,
        devices.nodes,
        tuple(hosts.partitions.values()),
        *parts,
        tuple(dict.fromkeys([*rest, *scopes])),
        scopes,
        passed,
        (*hosts.notes, *devices.notes),
        read.digest,
    )


def _devices(path: Path, nodes: tuple[SiteNode, ...]) -> Devices:
    beside = path.parent / "gres.conf"
    lines = read_lines(beside).lines if beside.is_file() and beside.stat().st_size else ()
    return with_devices(nodes, lines)


def _licences(pair: Pair) -> Amounts:
    try:
        return parse_licences(pair.value)
    except InputError as error:
        raise InputError(
            error.value, error.rule, fix="write it as Slurm does: Licenses=matlab:20,fluent:5", where=pair.where
        ) from None


def nodes_in(path: Path) -> tuple[SiteNode, ...]:
    """The hosts alone of a `slurm.conf` or of a file that it includes.

    Raises:
        InputError: it cannot be read, a value breaks its rule, or no host is up.
    """
    return tuple(_Hosts(path, read_lines(path).lines, partitions=False).nodes.by_name.values())


class _Hosts:
    """Lines of hosts and partitions, with the defaults that lines before them set."""

    def __init__(self, path: Path, lines: tuple[ConfigLine, ...], *, partitions: bool = True) -> None:
        self.nodes = Nodes()
        self.partitions: dict[str, SitePartition] = {}
        self.rest: list[Pair] = []
        self.members: list[tuple[Pair, tuple[str, ...]]] = []
        self.notes: list[str] = []
        for line, fields, name in with_defaults(lines, "nodename"):
            nodes = read_nodes(fields, name)
            self.nodes.add(nodes, line.where)
            self.rest += fields.rest()
            self.members += [(pair, tuple(node.name for node in nodes)) for pair in fields.rest()]
        for line in lines:
            name, fields = line.pairs[line.kind], Fields(line.pairs)
            if line.kind == "downnodes":
                fields.pair(line.kind)
                self.nodes.mark_down(fields, name)
                self.rest += fields.rest()
            elif line.kind == "nodeset":
                fields.pair(line.kind)
                self.nodes.add_set(fields, name)
                self.rest += fields.rest()
        for _, fields, name in with_defaults(lines, "partitionname"):
            if name.value in self.partitions:
                self.notes.append(f"Partition {name.value} is there twice: the first counts, as in Slurm.")
                continue
            self.partitions[name.value] = read_partition(fields, name, self.nodes)
            self.rest += fields.rest()
            self.members += [(pair, (name.value,)) for pair in fields.rest()]
        self._check(path, partitions)

    def jobs_on(self, names: set[str]) -> JobScope:
        """The jobs of the partitions that these hosts are in."""
        return JobScope("partitions", tuple(part.name for part in self.partitions.values() if names & {*part.nodes}))

    def _check(self, path: Path, partitions: bool) -> None:
        if not any(node.there for node in self.nodes.by_name.values()):
            rule = "no host that is up: lines NodeName= are missing" if not self.nodes.by_name else "all hosts are down"
            raise InputError(path.name, rule, fix="give the slurm.conf of the whole cluster", where=str(path))
        if partitions and not self.partitions:
            rule = "no partition: lines PartitionName= are missing"
            raise InputError(path.name, rule, fix="give the slurm.conf of the whole cluster", where=str(path))


def with_defaults(lines: tuple[ConfigLine, ...], kind: str) -> list[tuple[ConfigLine, Fields, Pair]]:
    """Lines of that kind with their pairs on top of the defaults so far; a line DEFAULT only sets these."""
    complete = []
    defaults: dict[str, Pair] = {}
    for line in lines:
        if line.kind != kind:
            continue
        name = line.pairs[kind]
        if name.value.upper() == "DEFAULT":
            defaults |= {key: pair for key, pair in line.pairs.items() if key != kind}
            continue
        if not name.value:
            raise InputError(f"{name.key}=", "a name is missing", fix="give one", where=line.where)
        fields = Fields({**defaults, **line.pairs})
        fields.pair(kind)
        complete.append((line, fields, name))
    return complete


def _scopes(rest: list[str], settings: set[str], hosts: _Hosts, sleeping: set[str]) -> dict[str, JobScope]:
    """For each of `rest` that concerns some jobs alone: which. A line of hosts concerns the partitions of these.

    Args:
        rest: what is not modelled.
        settings: keys among these of the whole cluster, in lower case.
        hosts: and their partitions.
        sleeping: names of hosts that sleep while they are idle.
    """
    scopes = {}
    for text in rest:
        key = text.partition(" ")[0].partition(":")[0].lower()
        if key in settings:
            if key in SCOPE_OF_KEY:
                scopes[text] = SCOPE_OF_KEY[key]
            elif key in POWER_SAVING and sleeping:
                scopes[text] = hosts.jobs_on(sleeping)
            continue
        named = {name for pair, names in hosts.members if pair.key.lower() == key for name in names}
        parts = [part.name for part in hosts.partitions.values() if part.name in named or named & {*part.nodes}]
        if named:
            scopes[text] = JobScope("partitions", tuple(parts))
    return scopes


def _rest(pairs: list[Pair]) -> tuple[list[str], int]:
    """Names of keys that may matter, each once, with the key that an unknown one may be a slip of; and the number of
    those that do not.
    """
    keys = Counter(pair.key for pair in pairs)
    lower = {key.lower(): key for key in reversed(keys)}
    passed = [key for key in lower if key in NO_BEARING]
    rest = []
    for key, written in sorted(lower.items()):
        if key in NO_BEARING:
            continue
        near = None if key in ALL_KEYS else near_to(key, ALL_KEYS, cutoff=0.85)
        rest.append(f"{written} (a slip of {ALL_KEYS[near]}?)" if near else written)
    return rest, len(passed)
