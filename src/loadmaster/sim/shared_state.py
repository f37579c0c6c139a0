"""The arrays of the compiled engine for time-shared hosts: allocated here, changed by the kernels alone."""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.sim.shared_run import SharedProblem

SCALE, NOW = 0, 1
"""Places in `Clock.real`."""
ARRIVED, ENDED, TICK, LAST_HOST, EVENTS, FLYING, FLYING_ROOT = 0, 1, 2, 3, 4, 5, 6
"""Places in `Clock.whole`."""
NO_MOVER, MOSIX, ENHANCED_MOSIX, ASSIGN_U_R = 0, 1, 2, 3
"""Kinds of movers that are compiled."""


class Jobs(NamedTuple):
    """What is to be run; never changed. J jobs, T tasks, R resources."""

    submit_s: Floats  # [J]
    first_task: Longs  # [J + 1]
    owner: Longs  # [T]
    demand: Floats  # [J, R]
    seen: Floats  # [J, R], as the placement policy is told
    pause_s: Floats  # [J], how long a moved task stands still


class Hosts(NamedTuple):
    """H hosts, each with a clock that counts the work done by any one of its tasks."""

    cores: Floats  # [H]
    speed: Floats  # [H]
    unit: Floats  # [H], see SharedHosts.unit
    power: Floats  # [H], cores x speed
    capacity: Floats  # [H, R]
    used: Floats  # [H, R]
    active: Floats  # [H], threads that run: the load without travelling tasks
    work: Floats  # [H], the clock: work done by each task that has been there all the time
    since: Floats  # [H], when the clock was last brought up to date
    rate: Floats  # [H], work a second
    due: Floats  # [H], when the next task ends
    root: Longs  # [H], the task that ends next, -1 without tasks
    head: Longs  # [H], first resident
    tail: Longs  # [H], last resident
    residents: Longs  # [H], how many
    heap: Longs  # [H], hosts in a binary heap by (due, root)
    place: Longs  # [H], where a host stands in that heap


class Tasks(NamedTuple):
    """T tasks: a pairing heap and a list of residents for each host, threaded through arrays."""

    key: Floats  # [T], the clock's reading at which the task ends
    left: Floats  # [T], work left while it waits or travels
    child: Longs  # [T], pairing heap
    right: Longs  # [T]
    back: Longs  # [T], left sibling, or parent of a first child
    after: Longs  # [T], list of residents
    before: Longs  # [T]
    host: Ints  # [T]
    first_host: Ints  # [T]
    moves: Ints  # [T]
    travelling: Bools  # [T]
    load_before: Floats  # [T]
    end_s: Floats  # [T]


class Clock(NamedTuple):
    """Scalars that change."""

    real: Floats  # SCALE, NOW
    whole: Longs  # ARRIVED, ENDED, TICK, LAST_HOST, EVENTS, FLYING, FLYING_ROOT


class Rules(NamedTuple):
    """Numbers that say how hosts share, how policies see them and who moves."""

    thrash: float
    scaled: bool
    overcommit: bool
    contextual: bool
    seed: int
    mover: int
    period_s: float
    fanout: int
    free_fraction: float
    stability: float
    base: float


class Buffers(NamedTuple):
    """Room for what one decision needs."""

    free: Floats  # [R]
    capacity: Floats  # [R]
    demand: Floats  # [R]
    order: Longs  # [H]
    contacts: Longs  # [fanout]


def allocate(problem: SharedProblem) -> tuple[Jobs, Hosts, Tasks, Clock, Buffers]:
    """The state before the first event."""
    from loadmaster.share.shared_hosts import SharedHosts

    workload = problem.workload
    seen = SharedHosts(problem.cluster, problem.cpu_load)
    tasks, hosts = len(problem.owner), problem.cluster.hosts
    resources = len(workload.resources)

    def longs(size: int) -> Longs:
        return np.full(size, -1, np.int64)

    def floats(size: int) -> Floats:
        return np.zeros(size)

    return (
        Jobs(
            _own(workload.submit_s), _own(workload.first_task), problem.owner.astype(np.int64),
            _own(workload.demand), _own(problem.demand_seen), _own(problem.migration.of(workload.demand)),
        ),
        Hosts(
            _own(seen.cores), _own(seen.speed), _own(seen.unit), _own(seen.power), _own(seen.capacity),
            np.zeros((hosts, resources)),
            floats(hosts), floats(hosts), floats(hosts), floats(hosts), np.full(hosts, np.inf), longs(hosts),
            longs(hosts), longs(hosts), np.zeros(hosts, np.int64), np.arange(hosts), np.arange(hosts),
        ),
        Tasks(
            floats(tasks), workload.runtime_s[problem.owner].copy(), longs(tasks), longs(tasks), longs(tasks),
            longs(tasks), longs(tasks), np.full(tasks, -1, np.int32), np.full(tasks, -1, np.int32),
            np.zeros(tasks, np.int32), np.zeros(tasks, np.bool_), floats(tasks), np.full(tasks, np.nan),
        ),
        Clock(np.array([1.0, 0.0]), np.array([0, 0, 1, -1, 0, 0, -1])),
        Buffers(floats(resources), floats(resources), floats(resources), np.arange(hosts), longs(max(1, hosts))),
    )  # fmt: skip


def _own(column: Any) -> Any:
    """A writeable, contiguous copy: the compiled engine takes one array type only."""
    return np.array(column, order="C", copy=True)
