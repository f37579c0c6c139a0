"""The heap gives its entries in the order of (key, payload), as Python's `heapq` does."""

import heapq

import numpy as np
import pytest
from numba import njit

from loadmaster.jit.heap_kernel import drop_first, push


@njit
def put(keys, payloads, size, key, payload):
    return push(keys, payloads, size, key, payload)


@njit
def drop(keys, payloads, size):
    return drop_first(keys, payloads, size)


@pytest.mark.parametrize("values", [3, 1000])
def test_entries_leave_by_key_and_equal_keys_by_payload(values):
    rng = np.random.default_rng(values)
    keys, payloads, size, expected = np.zeros(400), np.zeros(400, np.int32), 0, []
    for payload in rng.permutation(2000):
        key = float(rng.integers(0, values))
        if size < 400 and rng.random() < 0.6:
            size = put(keys, payloads, size, key, payload)
            heapq.heappush(expected, (key, payload))
        elif size > 0:
            assert (keys[0], payloads[0]) == heapq.heappop(expected)
            size = drop(keys, payloads, size)
    while size > 0:
        assert (keys[0], payloads[0]) == heapq.heappop(expected)
        size = drop(keys, payloads, size)
    assert not expected
