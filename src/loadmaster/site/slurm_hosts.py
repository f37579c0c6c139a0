"""Hosts that Slurm describes: from `slurm.conf`, or from `scontrol show node`, also as JSON (rule L2)."""

from pathlib import Path

from loadmaster.model import Cluster, InputError, SiteRules
from loadmaster.site.gpu_models import with_model_features
from loadmaster.site.lines import text_within
from loadmaster.site.rules import cluster_of_nodes
from loadmaster.site.scontrol_nodes import NODE, parse_shown_nodes
from loadmaster.site.site import nodes_in
from loadmaster.traces.files import head_of, utf8_of

_SHOWN = "CPUTot="


def described_machines(path: Path) -> Cluster | None:
    """As `slurm_machines` says, of a file that is there."""
    head = head_of(path, 1 << 16).decode("utf-8", "replace")
    document = head.lstrip().startswith("{") and '"nodes"' in head and '"real_memory"' in head
    if not document and not NODE.search(head):
        return None
    if document or _SHOWN in head:
        nodes = parse_shown_nodes(utf8_of(path) if document else text_within(path), str(path))
    else:
        nodes = nodes_in(path)
    there = with_model_features(sorted((node for node in nodes if node.there), key=lambda node: node.weight))
    if not there:
        raise InputError(path.name, "all hosts are down", fix="give a list with hosts that are up", where=str(path))
    features = tuple(node.features for node in there)
    rules = SiteRules(features=features) if any(features) else None
    return cluster_of_nodes(there, memory=any(node.memory_mib > 1 for node in there), rules=rules)
