"""Machines that Slurm describes, as hosts: `slurm.conf`, and what `scontrol show node` prints (rule L2)."""

import re
from pathlib import Path

from loadmaster.model import Cluster, InputError, SiteRules
from loadmaster.model.cluster import MOST_HOSTS
from loadmaster.site.fields import Fields, whole, written_names
from loadmaster.site.lines import Pair, text_within
from loadmaster.site.node import MOST_CPUS, Nodes, SiteNode, gres_of
from loadmaster.site.rules import cluster_of_nodes
from loadmaster.site.site import nodes_in
from loadmaster.traces import read_hosts
from loadmaster.traces.files import head_of

_NODE = re.compile(r"^\s*NodeName\s*=", re.IGNORECASE | re.MULTILINE)
_PAIR = re.compile(r"(?:^|(?<=\s))([A-Za-z]\w*)=(\S*)")
_SHOWN = "CPUTot="
_ABSENT = re.compile(r"DOWN|DRAIN|FAIL|FUTURE|UNKNOWN|INVAL|MAINT")
"""How states begin in which no job starts."""
_NOTHING = ("", "(null)", "N/A")


def read_machines(spec: str | Path) -> Cluster:
    """Hosts from the short form or from a file, also one of Slurm's; see `read_hosts`.

    Raises:
        InputError: neither a file nor the short form, or hosts that break a rule.
    """
    found = slurm_machines(spec)
    return read_hosts(spec) if found is None else found


def slurm_machines(spec: str | Path) -> Cluster | None:
    """The hosts that a file of Slurm's describes, with their features, the lightest first; None if it is no such file.

    Hosts that are down, drained or not there yet are left out. Partitions and limits are those of `--site`.

    Raises:
        InputError: a value that breaks its rule, or no host is up.
    """
    path = Path(spec)
    if not path.is_file():
        return None
    head = head_of(path, 1 << 16).decode("utf-8", "replace")
    if not _NODE.search(head):
        return None
    nodes = shown_nodes(path) if _SHOWN in head else nodes_in(path)
    there = sorted((node for node in nodes if node.there), key=lambda node: node.weight)
    if not there:
        raise InputError(path.name, "all hosts are down", fix="give a list with hosts that are up", where=str(path))
    features = tuple(node.features for node in there)
    rules = SiteRules(features=features) if any(features) else None
    return cluster_of_nodes(there, memory=any(node.memory_mib > 1 for node in there), rules=rules)


def shown_nodes(path: Path) -> tuple[SiteNode, ...]:
    """The hosts that `scontrol show node` printed, one a line or one a paragraph.

    Raises:
        InputError: it cannot be read, or a value breaks its rule.
    """
    text = text_within(path)
    starts = [found.start() for found in _NODE.finditer(text)]
    if len(starts) > MOST_HOSTS:
        raise InputError(f"{len(starts):,} hosts", f"more than {MOST_HOSTS:,}", where=str(path))
    nodes = Nodes()
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        where = f"{path}:{text.count(chr(10), 0, start) + 1}"
        nodes.add((_shown(text[start:end].strip(), where),), where)
    return tuple(nodes.by_name.values())


def _shown(text: str, where: str) -> SiteNode:
    said = {key.lower(): Pair(key, value, where) for key, value in _PAIR.findall(text)}
    plain = {key: pair for key, pair in said.items() if pair.value not in _NOTHING}
    fields = Fields(plain)
    count = whole(1, MOST_CPUS)
    if "gres" in plain:  # gpu:a100:4(S:0-1): where they sit is not said here
        plain["gres"] = Pair("Gres", re.sub(r"\([^)]*\)", "", plain["gres"].value), where)
    if "nodename" not in plain or not ({"cpuefctv", "cputot"} & plain.keys()):
        rule = "a host needs NodeName and CPUTot"
        raise InputError(text[:60].split("\n")[0], rule, fix="print it again: scontrol show node", where=where)
    state = plain["state"].value.upper() if "state" in plain else ""
    return SiteNode(
        plain["nodename"].value, fields.read("CPUEfctv", count, 0) or fields.read("CPUTot", count, 1),
        fields.read("RealMemory", whole(0, 2**53), 1), fields.read("Gres", gres_of, ()),
        fields.read("AvailableFeatures", written_names, ()), fields.read("Weight", whole(0, 2**32 - 1), 1),
        not _is_absent(state), fields.read("ThreadsPerCore", count, 1),
    )  # fmt: skip


def _is_absent(state: str) -> bool:
    """Whether no job can start there; powered down in the cloud is there."""
    return any(_ABSENT.match(part) for part in state.split("+"))
