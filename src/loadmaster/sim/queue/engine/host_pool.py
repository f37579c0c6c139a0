"""The pool of hosts: where a count of free places describes the hosts fully, the engine sees one host.

This holds in two cases. All tasks of a log have the same demand: a host then holds a whole number of tasks. Or equal
hosts hold one task each, whatever its demand. A job then fits if there are as many free places as it has tasks, on any
hosts, and it costs the head's reservation as many places as it takes. So the schedule is that of the real hosts.
"""

import numpy as np

from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.compiled_rules.policies import is_built_in
from loadmaster.model import Cluster
from loadmaster.model.arrays import Floats, Ints, Longs, frozen_bools, frozen_ints, frozen_longs
from loadmaster.model.distinct_rows import distinct_rows
from loadmaster.model.errors import InputError
from loadmaster.order import FairShare
from loadmaster.place import POLICIES, Policy
from loadmaster.place.policy import Context, rated, read_only
from loadmaster.scheduling import AnyPolicy, Discipline
from loadmaster.sim.queue.capabilities import backfilling_kind_of
from loadmaster.sim.queue.engine.host_pool_kernel import BITS, CountedHosts
from loadmaster.sim.queue.engine.state import PROFILE, Jobs

MOST_CLASSES = 256
"""The most classes of hosts with equal scores for which a pool is built."""


def no_pool() -> CountedHosts:
    """The arrays of a run without a pool of hosts: of the types of a pool's arrays, so that one engine serves both."""
    none, nobody = np.zeros(0, np.int64), np.zeros(0, np.int32)
    first_task = frozen_longs(none)
    return CountedHosts(
        np.zeros((0, 0), np.uint64), none, none, nobody, nobody, np.zeros((0, 0), np.int32), first_task, nobody
    )


def pool_of(jobs: Jobs, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, host: Ints) -> CountedHosts | None:
    """The hosts as a pool, or None if a count does not describe them fully; the hosts of tasks are written into `host`.

    No constraint may bind the jobs.
    """
    if not _by_count(policy, discipline, cluster):
        return None
    assert isinstance(policy, Policy)
    if scores_all_alike(policy, jobs, cluster):
        one = np.ones(cluster.hosts, np.int64)
        return free_pool(one, np.zeros(cluster.hosts, np.int32), np.array([[-1, 0]]), jobs.first_task, host)
    if len(jobs.demand) != 1 or not (jobs.demand > 0.0).any():
        return None
    kinds, kind = cluster.kinds
    places = _places(kinds, jobs.demand[0])
    class_of = _classes(policy, jobs.demand[0], kinds, places)
    return None if class_of is None else free_pool(places[kind], kind, class_of, jobs.first_task, host)


def _by_count(policy: AnyPolicy, discipline: Discipline, cluster: Cluster) -> bool:
    """Whether no rule looks at more of a host than its kind and its free capacity."""
    walk, speed = backfilling_kind_of(discipline), cluster.speed
    named = walk.reservations != 0 or walk.kind == PROFILE or type(discipline.order) is FairShare  # it counts by itself
    at_pace = speed is not None and bool((speed == 1.0).all())
    return at_pace and not named and type(policy) is Policy and not (policy.contextual or policy.varies)


def free_pool(places: Longs, kind: Ints, class_of: Longs, first_task: Longs, host: Ints) -> CountedHosts:
    """A pool of hosts with so many places, int64[H], all free; see `CountedHosts` for the other arguments."""
    classes = np.zeros(int(class_of.max(initial=0)) + 1, np.int64)
    members = np.zeros((len(classes), -(-len(places) // BITS)), np.uint64)
    left, of = places.astype(np.int32), class_of.astype(np.int32)
    pool = CountedHosts(members, classes, classes.copy(), left, kind.astype(np.int32), of, first_task, host)
    into_classes(pool)
    return pool


def into_classes(pool: CountedHosts) -> None:
    """Put each host into the class of its free places; changed in place."""
    belongs = pool.class_of[pool.kind, pool.left]
    bits = np.zeros((len(pool.many), pool.members.shape[1] * BITS), np.uint8)
    bits[belongs[belongs >= 0], np.flatnonzero(belongs >= 0)] = 1
    pool.members[:] = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    pool.many[:] = bits.sum(axis=1)
    pool.lowest[:] = 0


def on_one_host(jobs: Jobs, pool: CountedHosts) -> tuple[Jobs, Cluster]:
    """The same jobs on one host with the places of the whole pool: a job requests one place a task."""
    number = len(jobs.tasks)
    demand, kind = distinct_rows(np.array(jobs.tasks, np.float64)[:, None])
    as_one = jobs._replace(
        kind=frozen_ints(kind),
        demand=demand,
        tasks=frozen_ints(np.ones(number, np.int32)),
        first_task=frozen_longs(np.arange(number + 1)),
        smallest=frozen_bools(demand[:, 0] == demand.min(initial=np.inf)),
        holdable=frozen_bools(np.ones(len(demand), np.bool_)),
        allowed=frozen_bools(np.ones((1, 1), np.bool_)),
    )
    return as_one, Cluster(("places",), np.full((1, 1), float(pool.left.sum())))


def scores_all_alike(policy: Policy, jobs: Jobs, cluster: Cluster) -> bool:
    """Whether the policy scores all free hosts alike: each holds one task, and the policy cannot see host numbers."""
    return is_built_in(policy) and not policy.contextual and hosts_are_one_pool(jobs.demand, cluster)


def _places(kinds: Floats, demand: Floats) -> Longs:
    """int64[K]: how many tasks an empty host of each kind holds."""
    asked = demand > 0.0
    places: Longs = np.floor(kinds[:, asked] / demand[asked]).min(axis=1).astype(np.int64)
    return places


def _classes(policy: Policy, demand: Floats, kinds: Floats, places: Longs) -> Longs | None:
    """`CountedHosts.class_of` for kinds of hosts that hold so many tasks; None if there are too many classes."""
    left = np.arange(places.max(initial=0) + 1)
    class_of = np.where((left > 0) & (left <= places[:, None]), 0, -1)
    if policy is POLICIES["first-fit"]:
        return class_of
    kind, left = np.nonzero(class_of == 0)
    if len(kind) > MOST_CLASSES:
        return None
    rows = kinds[kind] - (places[kind] - left)[:, None] * demand, kinds[kind]
    demand, free, capacity = map(read_only, (demand, *rows))
    one_task = Context(0, 0, 0, 0, 0)
    try:
        scores = [rated(policy, demand, free[i], capacity[i], one_task) for i in range(len(kind))]
    except InputError:  # that state of a host may never occur in a run
        return None
    class_of[kind, left] = np.unique(scores, return_inverse=True)[1]
    return class_of
