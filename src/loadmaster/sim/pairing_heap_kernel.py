# mypy: disable-error-code="no-untyped-def"
"""Pairing heaps threaded through records (Fredman et al. 1986): many heaps over one set of tasks.

`tasks` is a record array with the fields key, child, right and back (the left sibling, or the parent of a first
child). A heap is known by its root, -1 when empty. Order: the key, then the lower number. Insertion is O(1), removal of
the first or of any other O(log n) amortised, and nothing is allocated.
"""

from loadmaster.jit.kernels import inner


@inner
def meld(tasks, a, b):
    """One heap of two; returns its root."""
    if a < 0:
        return b
    if b < 0:
        return a
    if tasks[b].key < tasks[a].key or (tasks[b].key == tasks[a].key and b < a):
        a, b = b, a
    first = tasks[a].child
    tasks[b].right = first
    if first >= 0:
        tasks[first].back = b
    tasks[b].back = a
    tasks[a].child = b
    return a


@inner
def insert(tasks, root, node):
    """Add `node`, which belongs to no heap; returns the new root."""
    tasks[node].child = -1
    tasks[node].right = -1
    tasks[node].back = -1
    return meld(tasks, root, node)


@inner
def without(tasks, root, node):
    """Take `node` out of its heap; returns the new root."""
    below = _pair_up(tasks, tasks[node].child)
    tasks[node].child = -1
    if node == root:
        return below
    parent, sibling = tasks[node].back, tasks[node].right
    if tasks[parent].child == node:
        tasks[parent].child = sibling
    else:
        tasks[parent].right = sibling
    if sibling >= 0:
        tasks[sibling].back = parent
    tasks[node].right = -1
    tasks[node].back = -1
    return meld(tasks, root, below)


@inner
def _pair_up(tasks, first):
    """Meld a list of siblings in pairs from the left, then the pairs from the right; returns the root."""
    stack = -1
    while first >= 0:
        second = tasks[first].right
        rest = -1
        tasks[first].right = -1
        tasks[first].back = -1
        if second >= 0:
            rest = tasks[second].right
            tasks[second].right = -1
            tasks[second].back = -1
        pair = meld(tasks, first, second)
        tasks[pair].right = stack  # the list of pairs, last one first
        stack = pair
        first = rest
    root = -1
    while stack >= 0:
        rest = tasks[stack].right
        tasks[stack].right = -1
        root = meld(tasks, root, stack)
        stack = rest
    return root
