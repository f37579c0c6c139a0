"""Partitions as `scontrol show partition` prints them, behind or before the hosts of `scontrol show node` (rule L3)."""

import re

from loadmaster.model import InputError
from loadmaster.site.fields import Fields
from loadmaster.site.lines import Pair
from loadmaster.site.node import Nodes
from loadmaster.site.partition import SitePartition, read_partition
from loadmaster.site.scontrol_nodes import pairs_shown

PARTITION = re.compile(
    r"^[ \t]*PartitionName[ \t]*=.*(?:\n[ \t]+(?!PartitionName|NodeName)\S.*)*", re.IGNORECASE | re.MULTILINE
)
"""A partition: the line that names it, and the lines behind it that are set in."""
_NOTHING = ("none", "unlimited")
_USUAL = {
    "allowgroups": "all", "rootonly": "no", "reqresv": "no", "preemptmode": "off", "qos": "", "jobdefaults": "",
    "maxcpuspersocket": "", "maxmempernode": "", "maxmempercpu": "",
}  # fmt: skip
"""What changes nothing, in lower case, of what only a `slurm.conf` can say in full."""


def parse_shown_partitions(
    text: str, nodes: Nodes, where: str = "scontrol show partition"
) -> tuple[SitePartition, ...]:
    """All partitions of the text, as they are printed; other lines are passed over.

    Args:
        text: what was printed.
        nodes: the hosts that are known.
        where: what messages call it.

    Raises:
        InputError: a value breaks its rule or is not modelled, a host is not known, or one partition comes twice.

    Example:
        >>> from loadmaster.site.node import SiteNode
        >>> nodes = Nodes()
        >>> nodes.add((SiteNode("n1"), SiteNode("n2")), "")
        >>> line = "PartitionName=main Default=YES MaxTime=1-00:00:00 Nodes=n[1-2] PriorityTier=5 QoS=N/A State=UP"
        >>> (part,) = parse_shown_partitions(line, nodes)
        >>> part.nodes, part.default, part.tier, part.max_time_s, part.state
        (('n1', 'n2'), True, 5, 86400.0, 'up')
    """
    partitions: dict[str, SitePartition] = {}
    for match in PARTITION.finditer(text):
        line = f"{where}:{text.count(chr(10), 0, match.start()) + 1}"
        pairs = {key: pair for key, pair in pairs_shown(match[0], line).items() if pair.value.lower() not in _NOTHING}
        name = pairs.pop("partitionname", Pair("PartitionName", "", line))
        if not name.value or name.value in partitions:
            rule = "this partition is there already" if name.value else "a partition without a name"
            raise InputError(name.value, rule, fix="print it again: scontrol show partition", where=line)
        for key, usual in _USUAL.items():
            if key in pairs and pairs.pop(key).value.lower() != usual:
                raise _not_modelled(match[0], key, name, line)
        partitions[name.value] = read_partition(Fields(pairs), name, nodes)
    return tuple(partitions.values())


def _not_modelled(text: str, key: str, name: Pair, where: str) -> InputError:
    pair = pairs_shown(text, where)[key]
    rule = f"this setting of partition {name.value} is not modelled in a list of hosts"
    return InputError(f"{pair.key}={pair.value}", rule, fix="give --site slurm.conf, or delete the word", where=where)
