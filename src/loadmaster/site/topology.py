"""The network beside a `slurm.conf`: switches, blocks or rings of `topology.yaml` or `topology.conf` (rule L8)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from loadmaster.model import InputError
from loadmaster.model.host_names import host_names
from loadmaster.site.lines import ConfigLine, read_lines
from loadmaster.traces.plain_yaml import plain_yaml

_KEYS = {"switchname": "switches", "blockname": "blocks", "ringname": "rings"}
_FORMS = {"tree": ("switches", "switch"), "block": ("blocks", "block"), "ring": ("rings", "ring")}
"""Networks of `topology.yaml`, the word for their parts, and that for the name of a part."""
_FLAT = ("flat", "default", "none", "")


def topologies(folder: Path, plugin: str) -> list[str]:
    """The networks of a site in words, such as `topology.conf: 4 switches on 2 levels`; flat networks are left out.

    `topology.yaml` counts before `topology.conf` and TopologyPlugin, as in Slurm.

    Args:
        folder: of `slurm.conf`.
        plugin: TopologyPlugin; "" where it is not set.

    Raises:
        InputError: one of the files is no topology, or a switch is below itself.
    """
    document, lines = folder / "topology.yaml", folder / "topology.conf"
    if document.is_file():
        return [f"{document.name}: {words}" for words in _networks(document) if words]
    if plugin.lower().removeprefix("topology/") in _FLAT:
        return []
    return [f"{lines.name}: {network_of(read_lines(lines).lines)}" if lines.is_file() else "TopologyPlugin"]


def network_of(lines: Iterable[ConfigLine]) -> str:
    """How many switches, blocks or rings the lines of a `topology.conf` name.

    Raises:
        InputError: a line of another kind, or names that are none.

    Example:
        >>> from loadmaster.site.lines import pairs_of
        >>> texts = "SwitchName=s[0-1] Nodes=n[0-7]", "SwitchName=top Switches=s[0-1]"
        >>> network_of([pairs_of(text, "") for text in texts])
        '3 switches on 2 levels'
    """
    below: dict[str, tuple[str, ...]] = {}
    kinds, where = set(), ""
    for line in lines:
        where = line.where
        if line.kind == "blocksizes":
            continue
        if line.kind not in _KEYS:
            fix = "write it like SwitchName=s0 Nodes=n[1-8]"
            raise InputError(line.pairs[line.kind].key, "no line of a topology.conf", fix=fix, where=line.where)
        kinds.add(_KEYS[line.kind])
        children = line.pairs.get("switches")
        inside = () if children is None else host_names(children.value, line.where)
        below |= dict.fromkeys(host_names(line.pairs[line.kind].value, line.where), inside)
    return _words(below, " and ".join(sorted(kinds)) or "switches", where)


def _networks(path: Path) -> list[str]:
    """The networks of a `topology.yaml`, of which each partition may name one; "" for one that is flat."""
    rows = plain_yaml(path)
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) and "topology" in row for row in rows):
        fix = "write it like - {topology: main, tree: {switches: [...]}}"
        raise InputError(path.name, "a list of networks, each with its name", fix=fix, where=str(path))
    return [_network(row, str(path)) for row in rows]


def _network(row: Mapping[str, Any], where: str) -> str:
    for kind, (several, one) in _FORMS.items():
        if kind not in row:
            continue
        parts = row[kind].get(several) if isinstance(row[kind], Mapping) else None
        if not isinstance(parts, list) or not all(isinstance(part, Mapping) and one in part for part in parts):
            rule = f"the network {row['topology']} needs a list of {several}, each with its name"
            raise InputError(kind, rule, fix=f"write it like {several}: [{{{one}: x, nodes: 'n[1-8]'}}]", where=where)
        below = {str(part[one]): host_names(str(part.get("children") or ""), where) for part in parts}
        return f"{row['topology']} of {_words(below, several, where)}"
    return "" if "flat" in row else f"{row['topology']} of another kind"


def _words(below: Mapping[str, tuple[str, ...]], several: str, where: str) -> str:
    levels, left = 0, set(below)
    while left:
        rest = {name for name in left if left & {*below[name]}}
        if rest == left:
            rule = "this switch of the topology is below itself"
            raise InputError(sorted(rest)[0], rule, fix="correct the switches below it", where=where)
        levels, left = levels + 1, rest
    return f"{len(below)} {several}" + (f" on {levels} levels" if levels > 1 else "")
