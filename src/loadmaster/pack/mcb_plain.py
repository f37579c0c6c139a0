"""The MCB algorithms as Casanova et al. 2008 (section 3.4) write them: slow, obvious, the reference of the kernel."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.pack.instance import TOLERANCE


def pack_at(cpu: Floats, memory: Floats, hosts: int, level: float, key: int) -> Ints:
    """int32[T], the host of every task, when each gets `level` of its CPU need; -1 for tasks left over."""
    need = [(float(c) * level, float(m)) for c, m in zip(cpu, memory, strict=True)]
    lists = [
        sorted((t for t, (c, m) in enumerate(need) if c > m), key=lambda t: _key(need[t], key)),
        sorted((t for t, (c, m) in enumerate(need) if c <= m), key=lambda t: _key(need[t], key)),
    ]
    host = np.full(len(need), -1, np.int32)
    for h in range(hosts):
        free_cpu, free_memory = 1.0 + TOLERANCE, 1.0 + TOLERANCE
        while True:
            first = 0 if free_cpu >= free_memory else 1
            task = next(
                (t for tasks in (lists[first], lists[1 - first]) for t in tasks
                 if need[t][0] <= free_cpu and need[t][1] <= free_memory),
                None,
            )  # fmt: skip
            if task is None:
                break
            host[task] = h
            free_cpu, free_memory = free_cpu - need[task][0], free_memory - need[task][1]
            lists[0 if task in lists[0] else 1].remove(task)
    return host


def _key(need: tuple[float, float], key: int) -> float:
    high, low = max(need), min(need)
    value = (high, high + low, high - low, high / low if low > 0 else np.inf)[key % 4]
    return float(value if key <= 4 else -value)
