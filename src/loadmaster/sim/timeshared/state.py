"""The arrays of the compiled engine for time-shared hosts: allocated here, changed by the kernels alone."""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.sharing.shared_hosts import SharedHosts
from loadmaster.sim.timeshared.problem import SharedProblem

SCALE, NOW = 0, 1
"""Places in `Clock.real`."""
ARRIVED, ENDED, TICK, LAST_HOST, EVENTS, FLYING_ROOT, STILL, CONTENT, WRONG = range(9)
"""Places in `Clock.whole`; STILL: ticks without a move since anything happened; CONTENT: no tick could move any;
WRONG: a score was no finite number."""
NO_MOVER, MOSIX, ENHANCED_MOSIX, ASSIGN_U_R = 0, 1, 2, 3
"""Kinds of movers that are compiled."""


HOST = np.dtype(
    [
        ("cores", "f8"),
        ("speed", "f8"),
        ("unit", "f8"),  # see SharedHosts.unit
        ("power", "f8"),  # cores x speed
        ("active", "f8"),  # threads that run: the load without travelling tasks
        ("work", "f8"),  # the clock: work done by each task that has been there all the time
        ("since", "f8"),  # when the clock was last brought up to date
        ("rate", "f8"),  # work a second
        ("due", "f8"),  # when the next task ends
        ("root", "i8"),  # the task that ends next, -1 without tasks
        ("head", "i8"),  # first resident
        ("tail", "i8"),  # last resident
        ("residents", "i8"),  # how many
        ("place", "i8"),  # in the heap of hosts
    ],
    align=True,
)
"""A host with a clock that counts the work done by any one of its tasks."""

TASK = np.dtype(
    [
        ("key", "f8"),  # the clock's reading at which the task ends; while it travels, when it arrives
        ("left", "f8"),  # work left while it waits or travels
        ("cores", "f8"),
        ("load_before", "f8"),
        ("end_s", "f8"),
        ("job", "i8"),
        ("child", "i8"),  # pairing heap
        ("right", "i8"),
        ("back", "i8"),  # left sibling, or parent of a first child
        ("after", "i8"),  # list of residents
        ("before", "i8"),
        ("host", "i8"),
        ("first_host", "i8"),
        ("moves", "i8"),
        ("travelling", "?"),
    ],
    align=True,
)
"""A task, its place in the heap of its host and in the list of the host's residents."""


class World(NamedTuple):
    """Hosts and tasks as records, since a kernel pays for every array that it is handed; H hosts, T tasks."""

    hosts: Any  # HOST[H]
    tasks: Any  # TASK[T]
    heap: Longs  # [H], hosts in a binary heap by (due, root)
    used: Floats  # [H, R]
    capacity: Floats  # [H, R]
    demand: Floats  # [J, R]


class Jobs(NamedTuple):
    """What is to be run; never changed. J jobs."""

    submit_s: Floats  # [J]
    first_task: Longs  # [J + 1]
    seen: Floats  # [J, R], as the placement policy is told
    pause_s: Floats  # [J], how long a moved task stands still
    kind: Longs  # [J], jobs of equal demand have equal numbers


class Clock(NamedTuple):
    """Scalars that change."""

    real: Floats  # SCALE, NOW
    whole: Longs  # ARRIVED, ENDED, TICK, LAST_HOST, EVENTS, FLYING_ROOT, STILL, CONTENT, WRONG


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


class Buffers(NamedTuple):
    """Room for what one decision needs."""

    free: Floats  # [R]
    capacity: Floats  # [R]
    demand: Floats  # [R]
    order: Longs  # [H]
    contacts: Longs  # [H]
    cost: Floats  # [H + 1, R], what each resource of a contact costs now
    room: Floats  # [H + 1, R], its capacity as the cost sees it
    cheapest: Floats  # [kinds, 2], the least and the second least cost that a task of this kind adds to a host
    cheapest_host: Longs  # [kinds], where it is least
    seen_at: Longs  # [kinds], the tick at which that was found


def allocate(problem: SharedProblem) -> tuple[World, Jobs, Clock, Buffers]:
    """The state before the first event."""
    workload, cluster = problem.workload, problem.cluster
    resources = len(workload.resources)
    kind = np.unique(workload.demand, axis=0, return_inverse=True)[1].astype(np.int64)
    world = World(
        _hosts(problem), _tasks(problem), np.arange(cluster.hosts), np.zeros((cluster.hosts, resources)),
        _own(cluster.capacity), _own(workload.demand),
    )  # fmt: skip
    jobs = Jobs(
        _own(workload.submit_s), _own(workload.first_task), _own(problem.demand_seen),
        _own(problem.migration.of(workload.demand)), kind.reshape(-1),
    )  # fmt: skip
    kinds = int(kind.max(initial=0)) + 1
    rows = (np.zeros(resources), np.zeros(resources), np.zeros(resources))
    tables = (np.zeros((cluster.hosts + 1, resources)), np.zeros((cluster.hosts + 1, resources)))
    buffers = Buffers(
        *rows, np.arange(cluster.hosts), np.zeros(cluster.hosts, np.int64), *tables, np.zeros((kinds, 2)),
        np.zeros(kinds, np.int64), np.zeros(kinds, np.int64),
    )  # fmt: skip
    return world, jobs, Clock(np.array([1.0, 0.0]), np.array([0, 0, 1, -1, 0, -1, 0, 0, 0])), buffers


def _hosts(problem: SharedProblem) -> Any:
    shared = SharedHosts(problem.cluster, problem.cpu_load)
    hosts = np.zeros(shared.hosts, HOST)
    for name in ("cores", "speed", "unit", "power"):
        hosts[name] = getattr(shared, name)
    hosts["due"] = 1e300
    hosts["place"] = np.arange(shared.hosts)
    for name in ("root", "head", "tail"):
        hosts[name] = -1
    return hosts


def _tasks(problem: SharedProblem) -> Any:
    owner = problem.owner
    tasks = np.zeros(len(owner), TASK)
    tasks["left"] = problem.workload.runtime_s[owner]
    tasks["cores"] = problem.workload.demand[owner, 0]
    tasks["end_s"] = np.nan
    tasks["job"] = owner
    for name in ("child", "right", "back", "after", "before", "host", "first_host"):
        tasks[name] = -1
    return tasks


def _own(column: Any) -> Any:
    """A writeable, contiguous copy: the compiled engine takes one array type only."""
    return np.array(column, order="C", copy=True)
