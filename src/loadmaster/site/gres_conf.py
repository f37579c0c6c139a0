"""The `gres.conf` beside a `slurm.conf`: the models of GPUs that the lines of hosts do not name (rule L2)."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from loadmaster.model import InputError
from loadmaster.model.gres import GPU, Gres
from loadmaster.model.host_names import host_names
from loadmaster.site.job_scope import JobScope
from loadmaster.site.lines import ConfigLine, Pair
from loadmaster.site.node import SiteNode, gres_of
from loadmaster.system.counted import counted

_AUTO = "autodetect"
_COUNT = re.compile(r"[0-9]{1,18}[KMGTP]?", re.IGNORECASE)
_BINDING = ("cores", "cpus", "links")
_OF_GPUS = JobScope("gpus")
_FEWER = (
    "{} fewer GPUs in gres.conf than in slurm.conf (such as {}): Slurm drains such hosts; here they have "
    "those of slurm.conf."
)
_ALONE = (
    "{} GPUs in gres.conf but none in slurm.conf (such as {}): no job gets them, in Slurm and here; add "
    "Gres= to their NodeName lines."
)


@dataclass(frozen=True)
class Devices:
    """What a `gres.conf` says of the hosts of a site.

    Attributes:
        nodes: the hosts, with models where they were without.
        notes: what a user must know, one sentence each.
        unmodelled: what of the file is not modelled, and the jobs that each concerns.
    """

    nodes: tuple[SiteNode, ...]
    notes: tuple[str, ...] = ()
    unmodelled: Mapping[str, JobScope] = field(default_factory=dict)


def with_devices(nodes: tuple[SiteNode, ...], lines: Iterable[ConfigLine]) -> Devices:
    """The hosts with the models of their GPUs.

    The number of GPUs is that of `slurm.conf`, as in Slurm. A line without `NodeName` holds for all hosts. Models that
    only AutoDetect finds stay unknown.

    Raises:
        InputError: a line without Name, a count or names of hosts that break their rule.
    """
    here: dict[str, Counter[str]] = {node.name: Counter() for node in nodes}
    without = {node.name for node in nodes if not node.gpus}
    ways: dict[str, str] = {}
    usual = "off"
    alone: set[str] = set()
    binding = False
    for line in lines:
        own = "nodename" in line.pairs
        listed = host_names(line.pairs["nodename"].value, line.where) if own else here
        names = [name for name in listed if name in here]
        way = line.pairs[_AUTO].value.lower() if _AUTO in line.pairs else ""
        if way and own:
            ways |= dict.fromkeys(names, way)
        usual = way if way and not own else usual
        each = _gpu_of(line)
        if each is not None:
            binding |= any(key in line.pairs for key in _BINDING)
            alone |= without & {*names} if own else set()
            for name in names:
                here[name][each.model] += each.number
    modelled = tuple(_with_models(node, here[node.name]) for node in nodes)
    detected = {way for node in modelled if (way := ways.get(node.name, usual)) != "off" and _nameless(node)}
    unmodelled = {f"models of GPUs by AutoDetect={way} of gres.conf": _OF_GPUS for way in sorted(detected)}
    if binding:
        unmodelled["Cores and Links of gres.conf"] = _OF_GPUS
    fewer = [each.name for each in nodes if ways.get(each.name, usual) == "off" and _lacks(each, here[each.name])]
    said = ((_FEWER, fewer), (_ALONE, sorted(alone)))
    have = (text.format(counted(len(names), "host has", "hosts have"), names[0]) for text, names in said if names)
    return Devices(modelled, tuple(have), unmodelled)


def _gpu_of(line: ConfigLine) -> Gres | None:
    """The GPUs of a line on one host; None for a line of other resources, or of AutoDetect alone."""
    name = line.pairs.get("name")
    if name is None:
        if _AUTO in line.pairs:
            return None
        fix = "write it like Name=gpu Type=a100 File=/dev/nvidia[0-3]"
        raise InputError(
            next(iter(line.pairs.values())).key, "a line of gres.conf needs Name", fix=fix, where=line.where
        )
    if name.value.lower() != GPU:
        return None
    model = line.pairs.get("type", Pair("Type", "", line.where)).value
    if "," in model:
        raise InputError(f"Type={model}", "one model a line", fix="write a line for each", where=line.where)
    return gres_of(Pair("Gres", ":".join(filter(None, (GPU, model, _count(line)))), line.where))[0]


def _count(line: ConfigLine) -> str:
    """Count, else the files; several files of one device (MultipleFiles) are one GPU."""
    if "count" in line.pairs:
        count = line.pairs["count"].value
        if not _COUNT.fullmatch(count):
            rule = "a whole number, K, M, G, T or P behind it for powers of 1024"
            raise InputError(f"Count={count}", rule, fix="correct it", where=line.where)
        return count
    file = line.pairs.get("file")
    return "1" if file is None else str(len(host_names(file.value, file.where)))


def _nameless(node: SiteNode) -> bool:
    return any(each.kind == GPU and not each.model for each in node.gres)


def _with_models(node: SiteNode, said: Counter[str]) -> SiteNode:
    """The host with models for GPUs that have none, where the file has as many."""
    if not _nameless(node) or set(said) <= {""} or said.total() != node.gpus:
        return node
    others = tuple(each for each in node.gres if each.kind != GPU)
    return replace(node, gres=(*(Gres(GPU, model, number) for model, number in said.items()), *others))


def _lacks(node: SiteNode, said: Counter[str]) -> bool:
    """Whether the file names fewer GPUs, of a model that `slurm.conf` names or at all."""
    if not node.gpus or not said:
        return False
    wanted = Counter({each.model: each.number for each in node.gres if each.kind == GPU})
    return said.total() < node.gpus or any(0 < said[model] < number for model, number in wanted.items() if model)
