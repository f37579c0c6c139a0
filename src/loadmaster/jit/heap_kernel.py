"""A heap of (key, payload) in two flat arrays, smallest key first, smaller payload among equals.

A node has four children: a heap of ten thousand entries has 7 levels, and the least of four is found without a jump.
Indices are unsigned: a signed one is checked at each access, since it may count from the end.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner

ONE, TWO, THREE, FOUR = (np.uint64(number) for number in range(1, 5))


@inner
def push(keys, payloads, size, key, payload):
    """Add an entry in place; return the new size. The arrays must have room."""
    i = np.uint64(size)
    while i > 0:
        parent = (i - ONE) // FOUR
        if keys[parent] < key or (keys[parent] == key and payloads[parent] <= payload):
            break
        keys[i] = keys[parent]
        payloads[i] = payloads[parent]
        i = parent
    keys[i] = key
    payloads[i] = payload
    return size + 1


@inner
def drop_first(keys, payloads, size):
    """Remove the entry at index 0 in place; return the new size."""
    size -= 1
    end = np.uint64(size)
    key = keys[end]
    payload = payloads[end]
    i = np.uint64(0)
    while True:
        first = FOUR * i + ONE
        if first >= end:
            break
        if first + THREE < end:
            least, child = _least_of_four(keys, payloads, first)
        else:
            child = _least(keys, payloads, first, end)
            least = keys[child]
        if key < least or (key == least and payload <= payloads[child]):
            break
        keys[i] = least
        payloads[i] = payloads[child]
        i = child
    keys[i] = key
    payloads[i] = payload
    return size


@inlined
def _least_of_four(keys, payloads, first):
    """The smallest key of four entries side by side, and the index of the smallest entry."""
    a, b, c, d = keys[first], keys[first + ONE], keys[first + TWO], keys[first + THREE]
    left, right = b if b < a else a, d if d < c else c
    least = right if right < left else left
    if int(a == least) + int(b == least) + int(c == least) + int(d == least) > 1:
        return least, _least(keys, payloads, first, first + FOUR)
    at_left, at_right = np.uint64(b < a), TWO + np.uint64(d < c)
    return least, first + (at_right if right < left else at_left)


@inlined
def _least(keys, payloads, first, end):
    """The index of the smallest entry from `first` to before `end`."""
    least = first
    for i in range(first + ONE, end):
        least += (i - least) * _is_less(keys, payloads, i, least)
    return least


@inlined
def _is_less(keys, payloads, i, k):
    """1 if entry i comes before entry k, else 0."""
    return np.uint64((keys[i] < keys[k]) | ((keys[i] == keys[k]) & (payloads[i] < payloads[k])))
