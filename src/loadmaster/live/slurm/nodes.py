"""The hosts as they are now: `scontrol show node`, `show partition` and `show reservation`, one line a thing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loadmaster.site.host_names import host_names

_PAIR = re.compile(r"(?:^|\s)([A-Za-z][\w/:]*)=(\S*)")
_GPU = re.compile(r"(?:^|,)gpu(?::[^:,()]*[^\d:,()][^:,()]*)?:(\d+)")
TAKES_NO_JOBS = frozenset({
    "DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "ERROR", "FUTURE", "UNKNOWN", "NOT_RESPONDING", "MAINT",
    "REBOOT", "REBOOT_ISSUED", "REBOOT_REQUESTED", "POWERED_DOWN", "POWERING_DOWN", "POWERING_UP", "INVAL",
    "INVALID_REG", "PLANNED_DOWN", "NO_RESPOND", "POWER_DOWN", "POWER_UP", "BLOCKED",
})  # fmt: skip


@dataclass(frozen=True)
class Node:
    """One host.

    Attributes:
        cpus: processors that jobs may have.
        memory_mib: what jobs may have of it.
        up: it takes jobs now.
        why: its state in Slurm's words where it does not.
        weight: the least is taken first.
    """

    name: str
    cpus: int
    memory_mib: int
    gpus: int
    features: tuple[str, ...]
    weight: int
    up: bool
    why: str = ""


@dataclass(frozen=True)
class Reservation:
    """Hosts that are kept for some; times are seconds since the epoch."""

    name: str
    from_s: float
    to_s: float
    hosts: tuple[str, ...]
    users: tuple[str, ...]
    accounts: tuple[str, ...]
    flags: tuple[str, ...]


def parse_nodes(text: str) -> list[Node]:
    """The hosts that `scontrol -o show node` prints, in the order in which Slurm takes them.

    Example:
        >>> line = "NodeName=n1 CPUEfctv=8 CPUTot=8 ActiveFeatures=big,x Gres=gpu:a100:2 RealMemory=16000 "
        >>> node = parse_nodes(line + "MemSpecLimit=1000 State=IDLE+DRAIN Weight=1 Reason=bad disk State=IDLE")[0]
        >>> node.cpus, node.memory_mib, node.gpus, node.up, node.why
        (8, 15000, 2, False, 'IDLE+DRAIN')
    """
    nodes = [_node(pairs) for pairs in _lines(text, "NodeName")]
    return sorted(nodes, key=lambda node: node.weight)


def parse_states(text: str) -> dict[str, str]:
    """The state of every partition that `scontrol -o show partition` prints, in lower case."""
    return {pairs["PartitionName"]: pairs.get("State", "UP").lower() for pairs in _lines(text, "PartitionName")}


def parse_reservations(text: str) -> list[Reservation]:
    """The reservations that `scontrol -o show reservation` prints."""
    return [
        Reservation(
            pairs["ReservationName"], float(pairs.get("StartTime", "0")), float(pairs.get("EndTime", "inf")),
            host_names(_text(pairs, "Nodes")), _names(pairs, "Users"), _names(pairs, "Accounts"),
            _names(pairs, "Flags"),
        )
        for pairs in _lines(text, "ReservationName")
    ]  # fmt: skip


def _lines(text: str, first: str) -> Iterator[dict[str, str]]:
    for line in text.splitlines():
        pairs: dict[str, str] = {}
        for key, value in _PAIR.findall(line):
            pairs.setdefault(key, value)  # what an administrator writes freely comes last and changes nothing
        if first in pairs:
            yield pairs


def _node(pairs: dict[str, str]) -> Node:
    state = pairs.get("State", "UNKNOWN").upper().rstrip("*")
    silent = pairs.get("State", "").endswith("*")
    words = set(re.split(r"[+]", state))
    cpus = int(pairs.get("CPUEfctv") or pairs.get("CPUTot") or 0)
    spared = int(pairs.get("MemSpecLimit") or 0)
    return Node(
        name=pairs["NodeName"],
        cpus=cpus,
        memory_mib=max(0, int(pairs.get("RealMemory") or 0) - spared),
        gpus=sum(int(count) for count in _GPU.findall(pairs.get("Gres", ""))),
        features=_names(pairs, "ActiveFeatures"),
        weight=int(pairs.get("Weight") or 1),
        up=not (words & TAKES_NO_JOBS) and not silent,
        why=pairs.get("State", "") if words & TAKES_NO_JOBS or silent else "",
    )


def _text(pairs: dict[str, str], key: str) -> str:
    value = pairs.get(key, "")
    return "" if value in ("(null)", "N/A") else value


def _names(pairs: dict[str, str], key: str) -> tuple[str, ...]:
    return tuple(name for name in _text(pairs, key).split(",") if name)
