# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
"""Pairing heaps threaded through arrays (Fredman et al. 1986): many heaps over one set of tasks.

A heap is known by its root, -1 when empty. Order: the key, then the lower number. Insertion is O(1), removal of the
first or of any other O(log n) amortised, and nothing is allocated.
"""

from numba import njit


@njit(cache=True, nogil=True)
def meld(key, child, right, back, a, b):
    """One heap of two; returns its root."""
    if a < 0:
        return b
    if b < 0:
        return a
    if key[b] < key[a] or (key[b] == key[a] and b < a):
        a, b = b, a
    first = child[a]
    right[b] = first
    if first >= 0:
        back[first] = b
    back[b] = a
    child[a] = b
    return a


@njit(cache=True, nogil=True)
def insert(key, child, right, back, root, node):
    """Add `node`, which belongs to no heap; returns the new root."""
    child[node] = -1
    right[node] = -1
    back[node] = -1
    return meld(key, child, right, back, root, node)


@njit(cache=True, nogil=True)
def without(key, child, right, back, root, node):
    """Take `node` out of its heap; returns the new root."""
    below = _pair_up(key, child, right, back, child[node])
    child[node] = -1
    if node == root:
        return below
    parent, sibling = back[node], right[node]
    if child[parent] == node:
        child[parent] = sibling
    else:
        right[parent] = sibling
    if sibling >= 0:
        back[sibling] = parent
    right[node] = -1
    back[node] = -1
    return meld(key, child, right, back, root, below)


@njit(cache=True, nogil=True)
def _pair_up(key, child, right, back, first):
    """Meld a list of siblings in pairs from the left, then the pairs from the right; returns the root."""
    stack = -1
    while first >= 0:
        second = right[first]
        rest = -1
        right[first] = -1
        back[first] = -1
        if second >= 0:
            rest = right[second]
            right[second] = -1
            back[second] = -1
        pair = meld(key, child, right, back, first, second)
        right[pair] = stack  # the list of pairs, last one first
        stack = pair
        first = rest
    root = -1
    while stack >= 0:
        rest = right[stack]
        right[stack] = -1
        root = meld(key, child, right, back, root, stack)
        stack = rest
    return root
