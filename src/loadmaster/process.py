"""What this process may use of the machine it runs on."""

import os


def usable_cores() -> int:
    """The cores this process may run on; fewer than the machine's where it is confined to some of them."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory_bytes() -> int:
    """Memory that can be had without swapping; a terabyte where the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        return 1 << 40
