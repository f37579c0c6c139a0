"""The arrays of the compiled engine for time-shared hosts: allocated here, changed by the kernels alone."""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.compiled_rules.policies import is_built_in
from loadmaster.model.arrays import Floats, Longs
from loadmaster.move.enhanced_mosix import EnhancedMosix
from loadmaster.scheduling.time_shared import Method
from loadmaster.sharing.host_loads import HostLoads
from loadmaster.sim.timeshared.problem import TimesharedProblem

SCALE, NOW = 0, 1
"""Places in `TimeSharedClock.real`."""
ARRIVED, ENDED, TICK, LAST_HOST, EVENTS, FLYING_ROOT, STILL, CONTENT, WRONG, OVERFLOWN, ENDLESS = range(11)
"""Places in `TimeSharedClock.whole`; STILL: ticks without a move since anything happened; CONTENT: no tick could move
any; WRONG: a score was no finite number; OVERFLOWN: a cost was none, so that nothing may be read off the costs;
ENDLESS: tasks are left, and nothing happens before `NEVER_S`."""
NEVER_S = 1e300
"""The moment of what never happens."""
NO_MOVER, MOSIX, ENHANCED_MOSIX, ASSIGN_U_R = 0, 1, 2, 3
"""Kinds of movers that are compiled."""
BY_SCORE, BY_COST, BY_SLOPE = 0, 1, 2
"""How a host is found: by asking the policy of all, or by the costs first: their growth or their slope."""
MOST_ROWS = 1 << 18
"""Of remembered factors."""


HOST = np.dtype(
    [
        ("cores", "f8"),
        ("speed", "f8"),
        ("unit", "f8"),  # see HostLoads.unit
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


class TimesharedWorld(NamedTuple):
    """Hosts and tasks as records, since a kernel pays for every array that it is handed; H hosts, T tasks."""

    hosts: Any  # HOST[H]
    tasks: Any  # TASK[T]
    heap: Longs  # [H], hosts in a binary heap by (due, root)
    used: Floats  # [H, R]
    capacity: Floats  # [H, R]
    demand: Floats  # [J, R]
    cost: Floats  # [R, H], n^use; no columns where costs are not needed
    kind_of: Longs  # [H], hosts whose costs have equal capacities have equal numbers
    first_of: Longs  # [K], a host of each kind
    least: Floats  # [K, R], n^(use of the least demand)
    least_demand: Floats  # [R], of any job
    log_base: Floats  # [1], the logarithm of n


class TimesharedJobs(NamedTuple):
    """What is to be run; never changed. J jobs."""

    submit_s: Floats  # [J]
    first_task: Longs  # [J + 1]
    seen: Floats  # [J, R], as the placement policy is told
    pause_s: Floats  # [J], how long a moved task stands still
    kind: Longs  # [J], jobs of equal demand have equal numbers


class TimeSharedClock(NamedTuple):
    """Scalars that change."""

    real: Floats  # SCALE, NOW
    whole: Longs  # ARRIVED, ENDED, TICK, LAST_HOST, EVENTS, FLYING_ROOT, STILL, CONTENT, WRONG, OVERFLOWN, ENDLESS


class TimesharedRules(NamedTuple):
    """Numbers that say how hosts share, what policies get of them and which tasks move."""

    thrash: float
    scaled: bool
    overcommit: bool
    contextual: bool
    seed: int
    search: int
    mover: int
    period_s: float
    fanout: int
    free_fraction: float
    stability: float


class Buffers(NamedTuple):
    """Room for what one decision needs.

    Each array has an entry for every number that indexes it, save for two. `contacts` holds different hosts, so H
    suffice. `rows` is a power of two, so a key cut to its bits is a row; it is at least K, so that the rows of one kind
    of job for all kinds of hosts are different ones.
    """

    free: Floats  # [R]
    capacity: Floats  # [R]
    demand: Floats  # [R]
    order: Longs  # [H]
    contacts: Longs  # [H]
    factor: Floats  # [rows, 2, R], n^(use of a task) - 1 as it comes, as it goes; by kind of job and of host
    factor_of: Longs  # [rows], of which kinds
    factor_scale: Floats  # [rows], at which scale
    barred: Any  # bool[rows], the host has nothing of what the task requests
    row: Longs  # [K], the row of one kind of job for each kind of host
    weight: Floats  # [K, R], what the task at hand makes of each unit of cost
    barred_kind: Any  # bool[K], as `barred` for the task at hand
    rating: Floats  # [H]
    there: Floats  # [R], costs of a host that may be gained from
    least_here: Floats  # [R], n^(use) of the least of some tasks
    least_cost: Floats  # [K, 2, R], the least cost of the hosts of a kind, and the least elsewhere
    least_host: Longs  # [K, R], where it is least
    cheapest: Floats  # [kinds, 2], the least and the second least cost that a task of this kind adds to a host
    cheapest_host: Longs  # [kinds], where it is least
    seen_at: Longs  # [kinds], the tick at which that was found


def allocate(problem: TimesharedProblem) -> tuple[TimesharedWorld, TimesharedJobs, TimeSharedClock, Buffers]:
    """The state before the first event."""
    workload = problem.workload
    kind = np.unique(workload.demand, axis=0, return_inverse=True)[1].astype(np.int64)
    jobs = TimesharedJobs(
        _own(workload.submit_s),
        _own(workload.first_task),
        _own(problem.demand_seen),
        _own(problem.migration.of(workload.demand)),
        kind.reshape(-1),
    )
    world = _world(problem)
    clock = TimeSharedClock(np.array([1.0, 0.0]), np.array([0, 0, 1, -1, 0, -1, 0, 0, 0, 0, 0]))
    return world, jobs, clock, _buffers(problem, int(kind.max(initial=0)) + 1, len(world.first_of))


def search_of(method: Method) -> int:
    """How a host is found under `method`; by costs only for the listed policies that read them of every host."""
    if not (method.overcommit and method.scaled):
        return BY_SCORE
    searches = {"opportunity-cost": BY_COST, "derivative-cost": BY_SLOPE}
    return searches.get(method.policy.name, BY_SCORE) if is_built_in(method.policy) else BY_SCORE


def _world(problem: TimesharedProblem) -> TimesharedWorld:
    workload, cluster = problem.workload, problem.cluster
    hosts, resources = cluster.hosts, len(workload.resources)
    records = _hosts(problem)
    costed = type(problem.method.mover) is EnhancedMosix or search_of(problem.method) != BY_SCORE
    seen = np.column_stack((records["unit"], cluster.capacity[:, 1:]))
    _, first_of, kind_of = np.unique(seen, axis=0, return_index=True, return_inverse=True)
    return TimesharedWorld(
        records,
        _tasks(problem),
        np.arange(hosts),
        np.zeros((hosts, resources)),
        _own(cluster.capacity),
        _own(workload.demand),
        np.ones((resources, hosts if costed else 0)),
        kind_of.reshape(-1).astype(np.int64),
        first_of.astype(np.int64),
        np.ones((len(first_of), resources)),
        workload.demand.min(axis=0, initial=np.inf),
        np.array([np.log(max(2.0, float(hosts)))]),
    )


def _buffers(problem: TimesharedProblem, kinds: int, host_kinds: int) -> Buffers:
    hosts, resources = problem.cluster.hosts, len(problem.workload.resources)
    moving = type(problem.method.mover) is EnhancedMosix
    wanted = max(host_kinds, min(kinds * host_kinds, MOST_ROWS)) if moving else 1
    rows = 1 << (wanted - 1).bit_length()

    def zeros(*shape: int) -> Floats:
        return np.zeros(shape)

    def longs(*shape: int) -> Longs:
        return np.zeros(shape, np.int64)

    return Buffers(
        zeros(resources),
        zeros(resources),
        zeros(resources),
        np.arange(hosts),
        longs(hosts),
        zeros(rows, 2, resources),
        np.full(rows, -1, np.int64),
        zeros(rows),
        np.zeros(rows, np.bool_),
        longs(host_kinds),
        zeros(host_kinds, resources),
        np.zeros(host_kinds, np.bool_),
        zeros(hosts),
        zeros(resources),
        zeros(resources),
        zeros(host_kinds, 2, resources),
        longs(host_kinds, resources),
        zeros(kinds, 2),
        longs(kinds),
        longs(kinds),
    )


def _hosts(problem: TimesharedProblem) -> Any:
    shared = HostLoads(problem.cluster, problem.cpu_load)
    hosts = np.zeros(shared.hosts, HOST)
    for name in ("cores", "speed", "unit", "power"):
        hosts[name] = getattr(shared, name)
    hosts["due"] = NEVER_S
    hosts["place"] = np.arange(shared.hosts)
    for name in ("root", "head", "tail"):
        hosts[name] = -1
    return hosts


def _tasks(problem: TimesharedProblem) -> Any:
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
