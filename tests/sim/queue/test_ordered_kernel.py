"""Rows in order name the keys that a look at all of them names, however hosts come and go."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.sim.queue.levels_kernel import ABOVE
from loadmaster.sim.queue.ordered_kernel import (
    BLOCK,
    FEW,
    highest_under,
    insert,
    lowest_from,
    ordered,
    remove,
    unordered,
)


@njit
def moved(order, row, key, to_row, to_key):
    remove(order, row, key)
    insert(order, to_row, to_key)


@njit
def asked(order, row, key):
    return lowest_from(order, row, key), highest_under(order, row, key)


def content(order, row):
    blocks = [order.block[order.first[row] + i] for i in range(order.blocks[row])]
    parts = [order.key[block * BLOCK : block * BLOCK + order.size[block]].tolist() for block in blocks]
    lowest = [order.lowest[order.first[row] + i] for i in range(order.blocks[row])]
    return parts, lowest


@settings(max_examples=60, deadline=None)
@given(hosts=st.sampled_from([1, 5, 97, 400, 1500]), spread=st.sampled_from([3, 10**6]), seed=st.integers(0, 2**32 - 1))
def test_the_neighbours_of_a_key_are_those_that_a_look_at_the_whole_row_names(hosts, spread, seed):
    rng = np.random.default_rng(seed)
    rows = 3
    row = rng.integers(0, rows, hosts).astype(np.int32)
    key = rng.integers(0, spread, hosts) * hosts + np.arange(hosts)  # no two are alike
    order = ordered(np.full(rows, hosts), row, key)
    for _ in range(4):
        shrinks = int(rng.integers(rows)) if rng.random() < 0.5 else -1
        for host in rng.permutation(hosts)[: rng.integers(1, hosts + 1)]:
            to_row = shrinks if shrinks >= 0 else int(rng.integers(rows))
            to_key = int(rng.integers(0, spread)) * hosts + host
            moved(order, row[host], key[host], to_row, to_key)
            row[host], key[host] = to_row, to_key
        for number in range(rows):
            here = np.sort(key[row == number])
            parts, lowest = content(order, number)
            assert [each for part in parts for each in part] == here.tolist()
            assert lowest == [part[0] for part in parts]
            assert all(len(one) + len(other) > BLOCK // 2 for one, other in pairwise(parts))
            for amount in (*rng.integers(-1, spread * hosts + 1, 5), *here[:2], *here[-2:]):
                above, below = here[here >= amount], here[here < amount]
                expected = (above[0] if len(above) else ABOVE, below[-1] if len(below) else -1)
                assert asked(order, number, amount) == expected


@njit
def put(order, key):
    insert(order, 0, key)


@njit
def take(order, key):
    remove(order, 0, key)


def grow(order, at, size):
    """Insert keys behind the first one of a block until it has so many."""
    (part,) = content(order, 0)[0][at : at + 1]
    gaps = (key for key in range(part[0] + 1, part[-1]) if key not in part)
    for _ in range(size - len(part)):
        put(order, next(gaps))


def test_a_row_has_room_for_its_blocks_though_small_ones_stand_between_halves_of_full_ones():
    width, spacing = 40 * FEW, 1000
    keys = spacing * np.arange(1, width + 1)
    order = ordered(np.array([width]), np.zeros(width, np.int32), keys)
    first = 0
    while first < order.blocks[0] - 2:
        for at in range(first, order.blocks[0]):
            grow(order, at, FEW)
        for part in content(order, 0)[0][first + 1 : -1 : 2]:
            for key in part[1:]:
                take(order, key)
        for at in range(order.blocks[0] - 1, first - 1, -1):
            if order.size[order.block[order.first[0] + at]] == FEW:
                grow(order, at, BLOCK + 1)
        parts = content(order, 0)[0]
        first, last = len(parts), parts[-1][-1]
        for n in range((width - sum(map(len, parts))) * BLOCK // (2 * FEW)):  # halves, which are to grow to FEW
            put(order, last + spacing * (n + 1))
    parts, lowest = content(order, 0)
    held = sum(map(len, parts))
    assert held <= width
    assert len(parts) > 2 * width // FEW + 3
    assert all(len(one) + len(other) > BLOCK // 2 for one, other in pairwise(parts))
    assert lowest == [part[0] for part in parts] == sorted(lowest)


def test_an_engine_without_order_has_an_empty_one_of_the_same_layout():
    order = ordered(np.array([2]), np.zeros(2, np.int32), np.array([3, 4]))
    assert [column.dtype for column in unordered()] == [column.dtype for column in order]
    assert unordered().first.size == 0
