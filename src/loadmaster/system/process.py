"""What this process may use of the machine it runs on, and which others run there."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

UNKNOWN_BYTES = 1 << 40
"""Taken for the free memory where the system does not tell."""


def usable_cores() -> int:
    """The cores this process may run on; fewer than the machine's where it is confined to some of them."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def identity_of(pid: int, root: Path = Path("/")) -> str:
    """A name for a process that no later one has: its number and when it began; empty if it is gone.

    Where the system does not tell when processes began, its number alone. `root` is where /proc is found.
    """
    if not (root / "proc/self").exists():
        return str(pid) if _is_there(pid) else ""
    fields = _text(root / f"proc/{pid}/stat").rpartition(")")[2].split()
    return f"{pid}.{fields[19]}" if len(fields) > 19 and fields[0] not in "ZX" else ""


def is_alive(identity: str) -> bool:
    """Whether the process that `identity_of` gave this name still runs, on this machine."""
    pid = identity.partition(".")[0]
    return pid.isdecimal() and 0 < int(pid) < 1 << 31 and identity_of(int(pid)) == identity


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def free_memory_bytes(root: Path = Path("/")) -> int:
    """Memory that can be had without swapping, and without passing a limit of the control groups around this process.

    The smallest of what the machine has free and of what the limit of this group, and of every group around it, leaves;
    a terabyte where the system does not tell. `root` is where /proc and /sys are found.
    """
    groups = [_left_bytes(folder, names) for folder, names in _memory_groups(root)]
    return max(0, min([_machine_bytes(root), *(left for left in groups if left is not None)]))


def _machine_bytes(root: Path) -> int:
    lines = _text(root / "proc/meminfo").splitlines()
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")), UNKNOWN_BYTES)


class _Names(NamedTuple):
    """Files of a control group: its limit, what it uses, and what of that its statistics call easy to take back."""

    limit: str
    used: str
    reclaimable: str


_VERSION_1 = _Names("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_VERSION_2 = _Names("memory.max", "memory.current", "inactive_file")


def _memory_groups(root: Path) -> Iterator[tuple[Path, _Names]]:
    """The folder of this process's group and of every group around it, as far as they are to be seen from here."""
    paths = _own_paths(root)
    for line in _text(root / "proc/self/mountinfo").splitlines():
        fields, _, kind = line.partition(" - ")
        words, options = fields.split(), kind.split()
        if len(words) < 5 or len(options) < 3:
            continue
        version_1 = options[0] == "cgroup" and "memory" in options[2].split(",")
        if not version_1 and options[0] != "cgroup2":
            continue
        path = paths.get("memory" if version_1 else "", "/")
        top = root / words[4].lstrip("/")
        inside = path[len(words[3].rstrip("/")) :] if path.startswith(words[3]) else ""
        folder = top / inside.strip("/")
        for group in (folder, *folder.parents):
            if group.is_relative_to(top):
                yield group, _VERSION_1 if version_1 else _VERSION_2


def _own_paths(root: Path) -> dict[str, str]:
    """Path of this process's group by controller; that of version 2 has no name."""
    rows = (line.split(":", 2) for line in _text(root / "proc/self/cgroup").splitlines())
    return {name: row[2] for row in rows if len(row) == 3 for name in row[1].split(",")}


def _left_bytes(group: Path, names: _Names) -> int | None:
    """What the limit of a group leaves; None if it has none."""
    limit, used = _text(group / names.limit).strip(), _text(group / names.used).strip()
    if not limit.isdecimal() or not used.isdecimal():
        return None
    statistics = dict(line.split(" ", 1) for line in _text(group / "memory.stat").splitlines() if " " in line)
    return int(limit) - int(used) + int(statistics.get(names.reclaimable, 0))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
