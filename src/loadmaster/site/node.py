"""The hosts of a site: lines `NodeName=`, `DownNodes=` and `NodeSet=` (rule L2)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from loadmaster.model import InputError
from loadmaster.model.gres import GPU, Gres, parse_gres
from loadmaster.model.host_names import MOST_NAMES, host_names
from loadmaster.site.fields import Fields, one_of, whole, written_names
from loadmaster.site.lines import Pair

REMOVED = "--remove"
"""Where a line stands that takes hosts away by a change of the site."""
ADDED = "--add"
"""Where a line stands that adds hosts by a change of the site; it alone may say their price."""
MOST_CPUS = 2**31 - 1
_WITH_FEATURE = re.compile(r"feature\{([^{}]+)\}", re.IGNORECASE)
_STATES = {
    "unknown": True, "idle": True, "cloud": True, "undrain": True, "resume": True, "up": True,
    "down": False, "drain": False, "fail": False, "failing": False, "future": False,
}  # fmt: skip


@dataclass(frozen=True)
class SiteNode:
    """One host as the configuration has it.

    Attributes:
        name: as written; case counts.
        cpus: what jobs may have of what Slurm counts as processors: cores or threads.
        memory_mib: what jobs may have of RealMemory.
        gres: generic resources, such as `gpu:a100:4`.
        features: names that jobs may request.
        weight: the least is taken first.
        there: False for DOWN, DRAIN, FAIL, FAILING and FUTURE, and where it does not answer.
        threads: threads of a core.
        cloud: it is started when a job needs it (State=CLOUD).
        removed: a change of the site took it away (rule L13); it is not there either.
        awake: it takes a job at once: it is neither powered down nor about to be started again.
        price_per_hour: of a host that a change of the site adds (rule L13); None where it is not known.
    """

    name: str
    cpus: int = 1
    memory_mib: int = 1
    gres: tuple[Gres, ...] = ()
    features: tuple[str, ...] = ()
    weight: int = 1
    there: bool = True
    threads: int = 1
    awake: bool = True
    cloud: bool = False
    removed: bool = False
    price_per_hour: float | None = None

    @property
    def gpus(self) -> int:
        """GPUs of any model."""
        return sum(count for kind, _, count in self.gres if kind == GPU)


def read_nodes(fields: Fields, names: Pair) -> tuple[SiteNode, ...]:
    """The hosts of a line `NodeName=...`.

    Raises:
        InputError: a value that breaks its rule, or names that are none.
    """
    if names.value.upper() == "ALL":
        raise InputError(names.value, "no host may bear this name", fix="name the hosts", where=names.where)
    count = whole(1, MOST_CPUS)
    threads = fields.read("ThreadsPerCore", count, 1)
    boards, cores = fields.read("Boards", count, 1), fields.read("CoresPerSocket", count, 1)
    sockets = fields.pair("Sockets", "SocketsPerBoard")
    product = boards * (1 if sockets is None else count(sockets)) * cores * threads
    cpus = fields.pair("CPUs", "Procs")
    weight, features = fields.read("Weight", whole(0, 2**32 - 1), 1), fields.pair("Features", "Feature")
    total = product if cpus is None else count(cpus)
    per_core = 1 if total == product // threads else threads
    node = SiteNode(
        "",
        total - per_core * fields.read("CoreSpecCount", whole(0, MOST_CPUS), 0),
        usable_mib(fields),
        fields.read("Gres", gres_of, ()),
        () if features is None else written_names(features),
        weight,
        fields.read("State", _there, True),
        threads,
        cloud=fields.read("State", lambda pair: pair.value.strip().lower() == "cloud", False),
        price_per_hour=fields.read("Price", _price, None) if names.where == ADDED else None,
    )
    if total > MOST_CPUS:
        raise InputError(total, f"more than {MOST_CPUS:,} processors in one host", fix="correct it", where=names.where)
    if node.cpus < 1:
        rule = "CoreSpecCount leaves no processor of the host to jobs"
        raise InputError(f"{names.key}={names.value}", rule, fix="correct it", where=names.where)
    return tuple(replace(node, name=name) for name in host_names(names.value, names.where))


def usable_mib(fields: Fields) -> int:
    """RealMemory without what is kept for the system (MemSpecLimit)."""
    memory = whole(0, 2**53)
    return max(0, fields.read("RealMemory", memory, 1) - fields.read("MemSpecLimit", memory, 0))


def _price(pair: Pair) -> float:
    return float(pair.value)


def _there(pair: Pair) -> bool:
    return one_of(pair, _STATES)


def gres_of(pair: Pair) -> tuple[Gres, ...]:
    """Generic resources of a list such as `gpu:a100:4(S:0-1),nic`.

    Raises:
        InputError: a part that is none.
    """
    try:
        return parse_gres(pair.value)
    except InputError as error:
        raise InputError(f"{pair.key}={error.value}", error.rule, fix=error.fix, where=pair.where) from None


class Nodes:
    """All hosts so far, in their order, by name; and the sets of them that have names."""

    def __init__(self) -> None:
        self.by_name: dict[str, SiteNode] = {}
        self._sets: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def add(self, nodes: tuple[SiteNode, ...], where: str) -> None:
        """Hosts of one line.

        Raises:
            InputError: one is there already, or there are more than `MOST_NAMES`.
        """
        for node in nodes:
            if node.name in self.by_name:
                raise InputError(node.name, "this host is there already", fix="name each host once", where=where)
            self.by_name[node.name] = node
        if len(self.by_name) > MOST_NAMES:
            raise InputError(f"{len(self.by_name):,} hosts", f"more than {MOST_NAMES:,}", where=where)

    def mark_down(self, fields: Fields, names: Pair) -> None:
        """A line `DownNodes=...`: these are not there.

        Raises:
            InputError: a host that no line names.
        """
        there = fields.read("State", _there, False)
        fields.pair("Reason")
        for name in self.named(names):
            self.by_name[name] = replace(self.by_name[name], there=there, removed=names.where == REMOVED)

    def add_set(self, fields: Fields, name: Pair) -> None:
        """A line `NodeSet=...`: hosts by their names, by a feature, or both."""
        listed = fields.read("Nodes", lambda pair: host_names(pair.value, pair.where), ())
        self._sets[name.value] = (listed, fields.read("Feature", written_names, ()))

    def named(self, pair: Pair) -> tuple[str, ...]:
        """The hosts of a list, each once, in the order of the configuration; ALL is all, `feature{x}` those with x.

        Raises:
            InputError: a name that neither a host nor a set bears.
        """
        if pair.value.strip().upper() == "ALL":
            return tuple(self.by_name)
        sets = self._members()
        names: set[str] = set()
        for name in host_names(pair.value, pair.where):
            if mark := _WITH_FEATURE.fullmatch(name):
                names |= self._with_features({mark[1]})
                continue
            if name not in self.by_name and name not in sets:
                rule = "no line NodeName= has this host"
                raise InputError(name, rule, fix="add it, or correct the name", where=pair.where)
            names |= set(sets.get(name, ())) | ({name} & self.by_name.keys())
        return tuple(name for name in self.by_name if name in names)

    def _members(self) -> Mapping[str, set[str]]:
        return {
            name: self._with_names(listed) | self._with_features({*marks})
            for name, (listed, marks) in self._sets.items()
        }

    def _with_names(self, names: tuple[str, ...]) -> set[str]:
        return {*self.by_name} if [name.upper() for name in names] == ["ALL"] else {*names} & self.by_name.keys()

    def _with_features(self, marks: set[str]) -> set[str]:
        return {node.name for node in self.by_name.values() if marks & {*node.features}}
