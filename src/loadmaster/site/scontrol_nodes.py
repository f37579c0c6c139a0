"""Hosts as `scontrol show node` prints them, one a line, one a paragraph or as JSON (rule L2)."""

import json
import re
from typing import Any

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
    "DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "ERROR", "FUTURE", "UNKNOWN", "MAINT", "MAINTENANCE",
    "INVAL", "INVALID", "INVALID_REG", "NOT_RESPONDING", "NO_RESPOND", "BLOCKED", "PLANNED_DOWN", "POWER_DRAIN",
    "EXTERNAL",
})  # fmt: skip
"""Words of a state in which no job starts until an administrator has acted."""
_ASLEEP = frozenset({
    "REBOOT", "REBOOT_ISSUED", "REBOOT_REQUESTED", "POWER", "POWERED_DOWN", "POWERING_DOWN", "POWERING_UP",
    "POWER_DOWN", "POWER_DOWN_ASAP", "POWER_DOWN_FORCE", "POWER_UP",
})  # fmt: skip
"""Words of a state in which a job that is sent there has to wait for the host."""
_KEYS = {
    "NodeName": "name", "CPUTot": "cpus", "CPUEfctv": "effective_cpus", "RealMemory": "real_memory",
    "MemSpecLimit": "specialized_memory", "Gres": "gres", "ActiveFeatures": "active_features", "Weight": "weight",
    "ThreadsPerCore": "threads",
}  # fmt: skip
"""Keys of the text, and those of the JSON from 21.08 on."""


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
    if text.lstrip().startswith("{"):
        return _of_json(text, where)
    return tuple(shown_nodes(text, where).by_name.values())


def shown_nodes(text: str, where: str) -> Nodes:
    """The same of text that is no JSON, for lookups by name."""
    nodes = Nodes()
    for number, match in enumerate(NODE.finditer(text), start=1):
        if number > MOST_HOSTS:
            raise InputError(f"over {MOST_HOSTS:,} hosts", f"more than {MOST_HOSTS:,}", where=where)
        line = f"{where}:{text.count(chr(10), 0, match.start()) + 1}"
        nodes.add((_of_pairs(pairs_shown(match[0], line), match[0].strip(), line),), line)
    return nodes


def pairs_shown(text: str, where: str) -> dict[str, Pair]:
    """The pairs of what `scontrol` prints of one thing, by their keys in lower case; without those that say nothing."""
    pairs: dict[str, Pair] = {}
    for key, value in _PAIR.findall(text):
        pairs.setdefault(key.lower(), Pair(key, value, where))
    return {key: pair for key, pair in pairs.items() if pair.value not in _NOTHING}


def _of_json(text: str, where: str) -> tuple[SiteNode, ...]:
    nodes = Nodes()
    fix = "print it with scontrol show node --json"
    try:
        rows = json.loads(text)["nodes"]
        hosts = [{key: _plain(row.get(name)) for key, name in _KEYS.items()} | {"State": _state(row)} for row in rows]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise InputError("JSON", "this holds no list of hosts", fix=fix, where=where) from None
    for number, host in enumerate(hosts, start=1):
        place = f"{where}: host {number}"
        pairs = {key.lower(): Pair(key, value, place) for key, value in host.items() if value not in _NOTHING}
        nodes.add((_of_pairs(pairs, host["NodeName"], place),), place)
    return tuple(nodes.by_name.values())


def _plain(value: Any) -> str:
    """A value as the text has it: a list joined by commas, a number that may be {set, infinite, number}."""
    if isinstance(value, dict):
        value = value["number"] if value.get("set") else ""
    return ",".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _state(row: dict[str, Any]) -> str:
    """Words of the state; before release 23.02 most of them stood in `state_flags`."""
    return "+".join(filter(None, map(_plain, (row.get("state"), row.get("state_flags"))))).replace(",", "+")


def _of_pairs(plain: dict[str, Pair], text: str, where: str) -> SiteNode:
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
