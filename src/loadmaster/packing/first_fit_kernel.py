# mypy: disable-error-code="no-untyped-def"
"""First fit in a list of demand vectors, compiled: a tree of minima finds the next one that fits without a scan.

A list's tree has the demands of its tasks as leaves, and in every node the minima of its WIDTH children; what is taken
out becomes infinite. Levels are padded to whole blocks, and the top one is a single block. All trees of a packing lie
in one array.
"""

from typing import Any

import numpy as np

from loadmaster.jit.kernels import LEAN, cached_njit

WIDTH = 8
"""Children of a node: the demands of a block lie in one cache line for each resource."""
LEVELS = 24
"""More levels than any tree has."""
part: Any = cached_njit(forceinline=True, **LEAN)


@part
def build_trees(tree, at, top, left, capacity):
    """Pad the leaves of every list to whole blocks and lay the minima above them, level after level.

    Args:
        tree: float64[N, D], the first left[k] of the `capacity` leaves of list k are given; the rest is written.
        at: int64[K, LEVELS], written: where each level of each tree begins.
        top: int64[K], written: the highest level of each tree.
        left: int64[K], leaves of each list.
        capacity: leaves kept for each list, whole blocks.
    """
    kinds, dims = left.shape[0], tree.shape[1]
    node = kinds * capacity
    for k in range(kinds):
        at[k, 0], top[k], count = k * capacity, 0, left[k]
        size = max(1, (count + WIDTH - 1) // WIDTH) * WIDTH
        tree[at[k, 0] + count : at[k, 0] + size] = np.inf
        while size > WIDTH:
            below, count = at[k, top[k]], size // WIDTH
            size = (count + WIDTH - 1) // WIDTH * WIDTH
            top[k] += 1
            at[k, top[k]] = node
            for i in range(count):
                for d in range(dims):
                    least = tree[below + i * WIDTH, d]
                    for child in range(below + i * WIDTH + 1, below + (i + 1) * WIDTH):
                        least = min(least, tree[child, d])
                    tree[node + i, d] = least
            tree[node + count : node + size] = np.inf
            node += size


@part
def first_fit(tree, at, k, top, last, free):
    """The first leaf of tree k after leaf `last` whose demands are all within `free`; -1 if there is none."""
    dims = free.shape[0]
    level, node, end = top, 0, WIDTH
    if last >= 0:
        level, node, end = 0, last + 1, (last // WIDTH + 1) * WIDTH
    while True:
        base = at[k, level]
        while node < end:
            d = 0
            while d < dims and tree[base + node, d] <= free[d]:
                d += 1
            if d == dims:
                break
            node += 1
        if node < end and level == 0:
            return node
        if node < end:  # down to its children
            level, node = level - 1, node * WIDTH
            end = node + WIDTH
        elif level == top:
            return -1
        else:  # on behind the parent of this block
            level, node = level + 1, end // WIDTH
            end = ((node - 1) // WIDTH + 1) * WIDTH


@part
def take_out(tree, at, k, top, node, gone):
    """Make leaf `node` of tree k infinite, and the minima above it what they now are; `gone` is scratch."""
    dims = gone.shape[0]
    for d in range(dims):
        gone[d] = tree[at[k, 0] + node, d]
        tree[at[k, 0] + node, d] = np.inf
    for level in range(1, top + 1):
        first = at[k, level - 1] + node // WIDTH * WIDTH
        node //= WIDTH
        changed = False
        for d in range(dims):
            before = tree[at[k, level] + node, d]
            if gone[d] > before:  # another child is the least
                gone[d] = np.inf
                continue
            least = tree[first, d]
            for child in range(first + 1, first + WIDTH):
                least = min(least, tree[child, d])
            gone[d] = before
            changed |= least > before
            tree[at[k, level] + node, d] = least
        if not changed:
            return
