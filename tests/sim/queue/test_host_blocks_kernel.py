"""The first open host with room is the one that a look at every host finds, whatever was taken and freed before."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from loadmaster.jit.by_reference import by_reference
from loadmaster.model import Cluster
from loadmaster.sim.queue.engine.host_blocks_kernel import _first_host, next_host, raise_block
from loadmaster.sim.queue.engine.initial_state import _most_of_blocks
from loadmaster.sim.queue.engine.state import FIRST_ROOM


class Hosts(NamedTuple):
    """What the search looks at of `QueueState`."""

    free: np.ndarray
    open: np.ndarray
    most: np.ndarray
    tally: np.ndarray
    first_room: np.ndarray


@njit
def first(given, usable, kind, demand, some_are_not):
    hosts = by_reference(given)
    return _first_host(hosts, usable if some_are_not else hosts.open, kind, demand, some_are_not)


@njit
def following(given, usable, demand, begin, end):
    return next_host(by_reference(given), usable, demand, begin, end)


@njit
def freed(given, host):
    raise_block(by_reference(given), host)


def expected(hosts, usable, demand, begin, end):
    """The first usable host from `begin` on and before `end` with room, by a look at each; -1 if none."""
    room = usable & (hosts.free >= demand).all(axis=1)
    return next((host for host in range(begin, end) if room[host]), -1)


@pytest.mark.parametrize("times", [1, 40], ids=["few-cores", "more-cores-than-steps"])
@pytest.mark.parametrize("whole", [True, False], ids=["whole-cores", "parts-of-cores"])
@pytest.mark.parametrize("resources", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_the_first_host_is_that_of_a_look_at_every_host(resources, whole, seed, times):
    rng = np.random.default_rng(seed)
    capacity = rng.integers(1, 9, (100, resources)) * float(times)
    demands = rng.integers(1, 5 * times + 1, (8, resources)) - (0.0 if whole else 0.5)
    cluster = Cluster(("cores", "memory", "gpus")[:resources], capacity)
    hosts = Hosts(
        capacity.copy(),
        np.ones(100, np.bool_),
        _most_of_blocks(cluster),
        np.zeros(20, np.int64),
        np.zeros(8, FIRST_ROOM),
    )
    for _ in range(600):
        kind = int(rng.integers(0, 8))
        usable = hosts.open & (rng.random(100) < 0.8)
        some_are_not = rng.random() < 0.2
        host = first(hosts, usable, kind, demands[kind], some_are_not)
        assert host == expected(hosts, usable if some_are_not else hosts.open, demands[kind], 0, 100)
        begin, end = sorted(rng.integers(0, 101, 2).tolist())
        assert following(hosts, usable, demands[kind], begin, end) == expected(hosts, usable, demands[kind], begin, end)
        if host >= 0:
            hosts.free[host] -= demands[kind]
        if rng.random() < 0.1:
            hosts.open[rng.integers(0, 100)] = False
        if rng.random() < 0.15:
            again = int(rng.integers(0, 100))
            hosts.free[again], hosts.open[again] = capacity[again], True
            freed(hosts, again)
