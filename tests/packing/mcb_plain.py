"""The MCB algorithms as Casanova et al. 2008 (section 3.4) write them: slow, obvious, the reference of the kernel."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.packing.instance import TOLERANCE


def pack_at(demand: Floats, room: Floats, key: int) -> Ints:
    """int32[T], the host of every task by MCB`key`; -1 for tasks left over.

    With two resources these are the paper's two lists; with more, a list for each pair of largest and second largest
    demand (Permutation Pack with a window of two).

    Args:
        demand: float64[T, D], what each task requests, its fluid demands times the level.
        room: float64[H, D], hosts in the order in which they are filled.
        key: 1..8.
    """
    need = [[float(amount) for amount in row] for row in demand]
    lists: dict[tuple[int, ...], list[int]] = {}
    for t in sorted(range(len(need)), key=lambda t: _key(need[t], key)):
        lists.setdefault(tuple(_most(need[t])[:2]), []).append(t)
    host = np.full(len(need), -1, np.int32)
    for h in range(len(room)):
        free = [float(amount) + TOLERANCE for amount in room[h]]
        while True:
            wanted = _most(free, ties=-1)  # against the imbalance: who asks most of what there is most of
            order = sorted((_far(kind, wanted), kind) for kind in lists)
            task = next((t for _, kind in order for t in lists[kind] if _fits(need[t], free)), None)
            if task is None:
                break
            host[task] = h
            free = [left - asked for left, asked in zip(free, need[task], strict=True)]
            lists[tuple(_most(need[task])[:2])].remove(task)
    return host


def _fits(need: list[float], free: list[float]) -> bool:
    return all(asked <= left for asked, left in zip(need, free, strict=True))


def _most(values: list[float], ties: int = 1) -> list[int]:
    """Resources from the largest value to the smallest, the later (ties=1) or the earlier (-1) first among equals."""
    return sorted(range(len(values)), key=lambda d: (-values[d], -ties * d))


def _far(kind: tuple[int, ...], wanted: list[int]) -> list[int]:
    """How far from first in `wanted` the resources are that a list's tasks ask most of."""
    return [wanted.index(d) for d in kind]


def _key(need: list[float], key: int) -> float:
    high, low = max(need), min(need)
    value = (high, sum(need), high - low, high / low if low > 0 else np.inf)[key % 4]
    return float(value if key <= 4 else -value)
