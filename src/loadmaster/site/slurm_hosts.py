"""Hosts that Slurm describes: from `slurm.conf`, or from `scontrol show node` and `show partition` (rule L2)."""

from pathlib import Path

from loadmaster.model import Cluster, InputError, SiteRules
from loadmaster.site.gpu_models import with_model_features
from loadmaster.site.job_scope import LeftOut
from loadmaster.site.lines import text_within
from loadmaster.site.node import SiteNode
from loadmaster.site.partition import SitePartition
from loadmaster.site.rules import cluster_of_nodes, modelled_partition
from loadmaster.site.scontrol_nodes import NODE, parse_shown_nodes, shown_nodes
from loadmaster.site.scontrol_partitions import PARTITION, parse_shown_partitions
from loadmaster.site.site import nodes_in
from loadmaster.traces.files import head_of, utf8_of

_SHOWN, _PARTITIONS = "CPUTot=", "TotalNodes="
"""Only what `scontrol` prints of hosts and of partitions has these."""


def described_machines(path: Path) -> Cluster | None:
    """As `slurm_machines` says, of a file that is there."""
    head = head_of(path, 1 << 16).decode("utf-8", "replace")
    document = head.lstrip().startswith("{") and '"nodes"' in head and '"real_memory"' in head
    if not document and not NODE.search(head):
        if _PARTITIONS in head and PARTITION.search(head):
            fix = "(scontrol show node; scontrol show partition) > FILE"
            raise InputError(path.name, "partitions without their hosts", fix=fix, where=str(path))
        return None
    if document or _SHOWN in head:
        nodes, partitions = _shown(path, json=document)
    else:
        nodes, partitions = nodes_in(path), ()
    there = with_model_features(sorted((node for node in nodes if node.there), key=lambda node: node.weight))
    if not there:
        raise InputError(path.name, "all hosts are down", fix="give a list with hosts that are up", where=str(path))
    memory = any(node.memory_mib > 1 for node in there)
    return cluster_of_nodes(there, memory=memory, rules=_rules(path, there, partitions))


def _rules(path: Path, nodes: list[SiteNode], partitions: tuple[SitePartition, ...]) -> SiteRules | None:
    """The features of the hosts and their partitions; None where there are none.

    Raises:
        InputError: a setting of a partition is not modelled.
    """
    left_out: LeftOut = {}
    features = tuple(node.features for node in nodes)
    rules = SiteRules(
        partitions=tuple(modelled_partition(part, nodes, left_out, whole_hosts=False) for part in partitions),
        default_partition=next((part.name for part in partitions if part.default), ""),
        features=features if any(features) else (),
    )
    if left_out:
        fix = "give --site slurm.conf, or delete the word"
        raise InputError(", ".join(left_out), "not modelled in a list of hosts", fix=fix, where=str(path))
    return None if rules == SiteRules() else rules


def _shown(path: Path, *, json: bool) -> tuple[tuple[SiteNode, ...], tuple[SitePartition, ...]]:
    """Hosts, and partitions of text, that `scontrol` printed."""
    if json:
        return parse_shown_nodes(utf8_of(path), str(path)), ()
    text = text_within(path)
    nodes = shown_nodes(text, str(path))
    return tuple(nodes.by_name.values()), parse_shown_partitions(text, nodes, str(path))
