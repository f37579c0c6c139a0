"""Machines that Slurm describes, as hosts: `slurm.conf`, and what `scontrol show node` prints (rule L2)."""

from pathlib import Path

from loadmaster.model import Cluster, InputError, SiteRules
from loadmaster.site.lines import text_within
from loadmaster.site.rules import cluster_of_nodes
from loadmaster.site.shown_nodes import NODE, parse_shown_nodes
from loadmaster.site.site import nodes_in
from loadmaster.traces import read_hosts
from loadmaster.traces.files import head_of

_SHOWN = "CPUTot="


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
    if not NODE.search(head):
        return None
    nodes = parse_shown_nodes(text_within(path), str(path)) if _SHOWN in head else nodes_in(path)
    there = sorted((node for node in nodes if node.there), key=lambda node: node.weight)
    if not there:
        raise InputError(path.name, "all hosts are down", fix="give a list with hosts that are up", where=str(path))
    features = tuple(node.features for node in there)
    rules = SiteRules(features=features) if any(features) else None
    return cluster_of_nodes(there, memory=any(node.memory_mib > 1 for node in there), rules=rules)
