"""Reservations that are only counted go to the hosts that a plain choice names, and no job takes one of these."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from loadmaster.host_index.scores_kernel import empty_scores
from loadmaster.jit.by_reference import by_reference
from loadmaster.sim.queue.engine.host_reservations_kernel import (
    clear_reservations,
    enter_level,
    flush,
    leave_level,
    may_be_reserved,
)
from loadmaster.sim.queue.engine.state import FULL, PENDING

HOSTS, LEVELS = 60, 16


class Hosts(NamedTuple):
    """What reservations look at of `QueueState`."""

    free: np.ndarray
    open: np.ndarray
    closed: np.ndarray
    left_free: np.ndarray
    holder: np.ndarray
    shelf: np.ndarray
    beside: np.ndarray
    shelves_a_unit: np.ndarray
    on_level: np.ndarray
    least: np.ndarray
    tally: np.ndarray


@njit
def begin(given):
    clear_reservations(by_reference(given))


@njit
def may_be(given, host):
    return may_be_reserved(by_reference(given), host)


@njit
def settle(given, scores):
    flush(by_reference(given), by_reference(scores))


@njit
def take(given, host, cores, memory):
    hosts = by_reference(given)
    leave_level(hosts, host)
    hosts.free[host, 0] -= cores
    hosts.free[host, 1] -= memory
    enter_level(hosts, host)


@pytest.mark.parametrize("least", [0.0, 3.0], ids=["no-host-is-full", "some-hosts-are-full"])
@pytest.mark.parametrize("most_memory", [8, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_counted_reservations_take_the_hosts_that_a_plain_choice_takes(seed, most_memory, least):
    rng = np.random.default_rng(seed)
    free = np.column_stack((rng.integers(1, 17, HOSTS), rng.integers(1, most_memory, HOSTS))).astype(float)
    hosts = Hosts(
        free,
        np.ones(HOSTS, np.bool_),
        np.zeros(HOSTS, np.int32),
        np.zeros(2 * HOSTS),
        np.zeros(2 * HOSTS, np.int32),
        np.zeros(LEVELS, np.int32),
        np.zeros(HOSTS, np.int32),
        np.full(1, LEVELS / most_memory),
        np.zeros(LEVELS, np.int32),
        np.full(2, least),
        np.zeros(20, np.int64),
    )
    scores = empty_scores((np.array([[16.0, 1000.0]]), np.zeros(HOSTS, np.int32)), np.ones((1, 2)), np.ones(1))
    begin(hosts)
    reserved, taken_beside_reservations = set(), 0
    for _ in range(200):
        for _ in range(rng.integers(0, 2)):
            left = [host for host in range(HOSTS) if host not in reserved]
            reserved |= set(sorted(left, key=lambda host: (-free[host, 1], host))[:1])
            hosts.tally[PENDING] += 1
        host = int(rng.integers(0, HOSTS))
        if len(reserved) == HOSTS or not hosts.open[host] or free[host].min() < least:
            continue
        if may_be(hosts, host):
            settle(hosts, scores)
            with_room = {host for host in reserved if free[host].min() >= least}
            assert set(np.flatnonzero(~hosts.open)) == with_room
            assert hosts.tally[FULL] == len(reserved) - len(with_room)
        assert hosts.open[host] == (host not in reserved)
        if hosts.open[host] and free[host].min() >= 1:
            taken_beside_reservations += hosts.tally[PENDING] > 0
            take(hosts, host, 1.0, rng.integers(1, free[host, 1] + 1))
    assert taken_beside_reservations > 0
