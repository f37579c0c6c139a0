"""Hosts as `scontrol show node` prints them, one a line or one a paragraph (rule L2)."""

import re

from loadmaster.model import InputError
from loadmaster.model.cluster import MOST_HOSTS
from loadmaster.site.fields import Fields, whole, written_names
from loadmaster.site.lines import Pair
from loadmaster.site.node import MOST_CPUS, Nodes, SiteNode, gres_of, usable_mib

NODE = re.compile(r"^[ \t]*NodeName[ \t]*=.*(?:\n[ \t]+(?!NodeName)\S.*)*", re.IGNORECASE | re.MULTILINE)
"""A host: the line that names it, and the lines behind it that are set in."""
_PAIR = re.compile(r"(?:^|(?<=\s))([A-Za-z]\w*)=(\S*)")
_NOTHING = ("", "(null)", "N/A")
_ABSENT = frozenset({
    "DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "ERROR", "FUTURE", "UNKNOWN", "MAINT", "INVAL",
    "INVALID_REG", "NOT_RESPONDING", "NO_RESPOND", "BLOCKED", "PLANNED_DOWN",
})  # fmt: skip
"""Words of a state in which no job starts until somebody has acted."""
_ASLEEP = frozenset({
    "REBOOT", "REBOOT_ISSUED", "REBOOT_REQUESTED", "POWERED_DOWN", "POWERING_DOWN", "POWERING_UP", "POWER_DOWN",
    "POWER_UP",
})  # fmt: skip
"""Words of a state in which a job that is sent there has to wait for the host."""


def parse_shown_nodes(text: str, where: str = "scontrol show node") -> tuple[SiteNode, ...]:
    """All hosts of the text, as they are printed; other lines are passed over.

    Of a name that comes twice the first counts: what administrators write freely, such as a reason, comes last.

    Args:
        text: what was printed.
        where: what messages call it.

    Raises:
        InputError: a value breaks its rule, or one host comes twice.

    Example:
        >>> line = "NodeName=n1 CPUEfctv=8 CPUTot=8 ActiveFeatures=big Gres=gpu:a100:2(S:0) RealMemory=16000 "
        >>> node = parse_shown_nodes(line + "MemSpecLimit=1000 State=IDLE+DRAIN Reason=bad disk State=IDLE")[0]
        >>> node.cpus, node.memory_mib, node.gpus, node.features, node.there
        (8, 15000, 2, ('big',), False)
    """
    nodes = Nodes()
    for number, match in enumerate(NODE.finditer(text), start=1):
        if number > MOST_HOSTS:
            raise InputError(f"over {MOST_HOSTS:,} hosts", f"more than {MOST_HOSTS:,}", where=where)
        line = f"{where}:{text.count(chr(10), 0, match.start()) + 1}"
        nodes.add((_node(match[0].strip(), line),), line)
    return tuple(nodes.by_name.values())


def _node(text: str, where: str) -> SiteNode:
    pairs: dict[str, Pair] = {}
    for key, value in _PAIR.findall(text):
        pairs.setdefault(key.lower(), Pair(key, value, where))
    plain = {key: pair for key, pair in pairs.items() if pair.value not in _NOTHING}
    if "nodename" not in plain or not ({"cpuefctv", "cputot"} & plain.keys()):
        rule = "a host needs NodeName and CPUTot"
        raise InputError(text[:60].split("\n")[0], rule, fix="print it again: scontrol show node", where=where)
    fields = Fields(plain)
    cpus = fields.read("CPUEfctv", whole(0, MOST_CPUS), 0) or fields.read("CPUTot", whole(0, MOST_CPUS), 0)
    state = plain["state"].value.upper() if "state" in plain else ""
    words = set(state.rstrip("*$~#%@^!-").split("+"))
    silent = state.endswith("*")
    return SiteNode(
        plain["nodename"].value,
        max(1, cpus),
        usable_mib(fields),
        fields.read("Gres", gres_of, ()),
        _features(fields),
        fields.read("Weight", whole(0, 2**32 - 1), 1),
        cpus > 0 and not silent and not words & _ABSENT,
        fields.read("ThreadsPerCore", whole(1, MOST_CPUS), 1),
        not words & _ASLEEP,
    )


def _features(fields: Fields) -> tuple[str, ...]:
    """What the host has now; before version 15.08 Slurm printed one list."""
    pair = fields.pair("ActiveFeatures", "Features", "AvailableFeatures")
    return () if pair is None else written_names(pair)
