"""What hosts each partition has, beside the heartbeat: the hook at submission refuses what none of them could take.

Slurm itself tests no job that is held, so behind the hook it would accept any.
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from loadmaster.model.gres import GPU
from loadmaster.model.host_names import host_names
from loadmaster.site.node import SiteNode
from loadmaster.system.whole_file import write_whole

_PARTITION = re.compile(r"^PartitionName=(\S+).* Default=(\S+).* Nodes=(\S+)", re.MULTILINE)


def host_sizes(nodes: Sequence[SiteNode], shown: str) -> str:
    """A line for each partition and each size of its hosts: name, count, CPUs, MiB, GPUs (`-` for none).

    The default partition comes once more as `*`.

    Args:
        nodes: as Slurm lists them, those that are down as well: a job may wait for them.
        shown: what `scontrol -o show partition` prints.

    Example:
        >>> shown = "PartitionName=main AllowQos=ALL Default=YES Nodes=n[1-2] State=UP"
        >>> host_sizes([SiteNode("n1", 4, 1000), SiteNode("n2", 4, 1000)], shown).splitlines()
        ['main 2 4 1000 -', '* 2 4 1000 -']
    """
    size = {node.name: (node.cpus, node.memory_mib, _gpus(node)) for node in nodes}
    lines = []
    for name, default, names in _PARTITION.findall(shown):
        counted = Counter(size[host] for host in host_names("" if names == "(null)" else names) if host in size)
        for called in (name, "*") if default == "YES" else (name,):
            lines += [f"{called} {count} {cpus} {mib} {gpus}\n" for (cpus, mib, gpus), count in sorted(counted.items())]
    return "".join(lines)


def _gpus(node: SiteNode) -> str:
    counted: Counter[str] = Counter()
    for each in node.gres:
        if each.kind == GPU:
            counted[each.model] += each.number
    return ",".join(f"gpu:{model}:{number}" for model, number in sorted(counted.items())) or "-"


class HostSizes:
    """The file; without it the hook refuses nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._written = ""

    def show(self, nodes: Sequence[SiteNode], shown: str) -> None:
        """Write it where it has changed; what cannot be written is taken away, as it may be wrong by now."""
        text = host_sizes(nodes, shown)
        if text == self._written and self.path.exists():
            return
        try:
            write_whole(self.path, text)
            self.path.chmod(0o644)  # Slurm's controller reads it, under any user
            self._written = text
        except OSError:
            self.stop()

    def stop(self) -> None:
        """Nothing is refused from now on."""
        self.path.unlink(missing_ok=True)
