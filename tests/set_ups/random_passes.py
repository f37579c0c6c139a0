"""Snapshots at random with all that may bind a job, and whether the compiled pass decides on them as the plain one.

As a program, with Numba switched off (NUMBA_DISABLE_JIT=1): `random_passes.py FIRST LAST` tries the kernels as the
plain Python that they are, on the snapshots of these seeds under every rule, and prints where they differ. With the
name of a backfilling behind it only rules of that class are tried.
"""

import sys

import numpy as np
from bursts import complementary

from loadmaster.backfilling import (
    BACKFILLINGS,
    Blocking,
    Conservative,
    Easy,
    Lookahead,
    NetBatch,
    SchedulingPass,
    Selective,
    Skip,
    Slurm,
    Stepwise,
    earliest_fit_kernel,
    plan_bounds_kernel,
    slurm_table_kernel,
    start_bounds_kernel,
)
from loadmaster.host_index.lanes_kernel import BLOCK, NEVER, NOBODY, UNKNOWN, rank_of
from loadmaster.model import Cluster
from loadmaster.model.snapshot import Closure, Need, NextLoops, Promise, Queue, Running, Snapshot
from loadmaster.place import POLICIES
from loadmaster.place.policy import Context
from loadmaster.scheduling import compiled_decide, snapshot_arrays
from loadmaster.scheduling import slurm_snapshot as slurm_snapshot
from loadmaster.scheduling.snapshot_arrays import SnapshotArrays

RULES = (
    Blocking(), Skip(), NetBatch(), NetBatch(2, 5), NetBatch(0, None),
    Easy(), Easy(fill="shortest"), Easy(heads_of="cluster"), Easy(2), Easy(3, "cluster"), Easy(promise="hosts"),
    Lookahead(), Lookahead(2), Stepwise(3), Stepwise(None), Stepwise(1), Selective(), Selective(1.0), Selective(3.0),
    *(Conservative(early_end) for early_end in ("replan", "arrival", "start", "now", "kept")),
    Slurm(), Slurm(defer=True, bf_resolution=10, bf_window=1, bf_interval=1), Slurm(bf_interval=1, sched_interval=None),
    Slurm(default_queue_depth=3, partition_job_depth=2, bf_interval=1, bf_resolution=10, assoc_limit_stop=True),
    Slurm(bf_interval=1, bf_max_job_test=4, bf_max_job_user=2, bf_max_job_part=3, bf_max_job_start=2),
    Slurm(bf_interval=1, bf_running_job_reserve=True, bf_resolution=20, bf_job_part_count_reserve=2, sched_interval=7),
    Slurm(bf_interval=1, bf_window_linear=5, bf_max_job_array_resv=1, over_time_limit=None, bf_min_age_reserve=20),
    Slurm(bf_interval=1, kill_wait=5, bf_min_prio_reserve=2, sched_interval=7, sched_max_job_start=2, bf_resolution=1),
    Slurm(bf_interval=1, bf_one_resv_per_job=True, bf_resolution=5), Slurm(bf_interval=1, bf_max_job_assoc=1),
    Conservative("replan", 3), Conservative("arrival", 4), Conservative("arrival", promise="hosts"),
)  # fmt: skip
RULES += tuple(
    kind()
    for kind, *_ in BACKFILLINGS.values()
    if compiled_decide.has_compiled_form(kind()) and kind not in map(type, RULES)
)
POLICY_NAMES = ("first-fit", "worse-fit-cores", "round-robin", "best-fit-cores")
NOW_S = 100.0


def decisions(seed, rule):
    """What the plain and the compiled pass decide on the snapshot of a seed; None where only the plain one may."""
    rng = np.random.default_rng(seed)
    snapshot = snapshot_at_random(rng)
    policy = POLICIES[str(rng.choice(POLICY_NAMES))]
    known = compiled_decide.rule_of(rule, snapshot)
    if known is None:
        return None
    this_pass = SchedulingPass(snapshot, policy)
    rule.serve(this_pass)
    return this_pass.decision(), compiled_decide.decide_compiled(SnapshotArrays.of(snapshot), policy, known)


def snapshot_at_random(rng):
    """Up to 15 rows on up to 6 hosts of two kinds, some of one core each: little fits, much is promised."""
    hosts, many, resources = int(rng.integers(1, 7)), int(rng.integers(1, 16)), int(rng.integers(1, 4))
    bound, pool = rng.random() < 0.8, rng.random() < 0.25
    capacity = rng.integers(2, 9, (2, resources)).astype(float)[rng.integers(0, 2, hosts)]
    speed = rng.choice([1.0, 1.0, 2.0, 0.5], hosts) if rng.random() < 0.3 else np.ones(hosts)
    if pool:
        capacity, speed = np.full((hosts, 1), rng.choice([1.0, 5.0])), np.full(hosts, rng.choice([1.0, 2.0]))
    resources = capacity.shape[1]
    cluster = Cluster(("cores", "memory", "gpus")[:resources], capacity, speed=speed)
    free, running = _running(rng, cluster, pool)
    queue, given = _queue(rng, cluster, many, pool), {}
    if bound:
        queue, given = _bound(rng, queue, hosts)
    return Snapshot(
        NOW_S,
        cluster,
        free,
        queue,
        running,
        last_host=int(rng.integers(-1, hosts)),
        seed=int(rng.integers(0, 9)),
        as_pool=pool,
        promises=_promises(rng, queue, hosts, pool and not {"allowed", "closures"} & set(given)),
        clock=NextLoops(
            float(rng.choice([90, 99, 100])), *(float(rng.choice([90, 100, 120, np.inf])) for _ in range(3))
        ),
        early_end=bool(rng.random() < 0.6),
        arrived=bool(rng.random() < 0.6),
        ended=bool(rng.random() < 0.6),
        **given,
    )


def _running(rng, cluster, pool):
    free, tasks = cluster.capacity.copy(), []
    resources = free.shape[1]
    for number in range(int(rng.integers(0, 10))):
        host = int(rng.integers(0, len(free)))
        demand = cluster.capacity[0] if pool else np.floor(rng.uniform(0, 1, resources) * cluster.capacity[host])
        if (demand <= free[host]).all():
            free[host] -= demand
            again = bool(tasks) and rng.random() < 0.3
            end_s = float(rng.choice([60, 100, 110, 120, 130, 140, 150, 200, 260]))
            start_s = float(rng.integers(0, 100))
            job, end_s = (tasks[-1][0], tasks[-1][3]) if again else (1000 + number, end_s)
            tasks.append((job, host, demand, end_s, start_s))
    columns = list(zip(*tasks, strict=True)) if tasks else [(), (), (), (), ()]
    return free, Running(
        np.array(columns[0], np.int64),
        np.array(columns[1], np.int32),
        np.array(columns[2]).reshape(-1, resources),
        np.array(columns[3], float),
        np.zeros(len(tasks), np.int32),
        np.array(columns[4], float),
    )


def _queue(rng, cluster, many, pool):
    """Rows of jobs; of some jobs several, which request the same."""
    job = np.arange(many, dtype=np.int64)
    if rng.random() < 0.4:
        job = np.sort(rng.integers(0, max(1, many * 2 // 3) + 1, many)).astype(np.int64)
    _, first, which = np.unique(job, return_index=True, return_inverse=True)
    resources = cluster.capacity.shape[1]
    demand = np.floor(rng.uniform(0, 1, (many, resources)) * cluster.capacity.max(axis=0))
    demand = np.full((many, 1), cluster.capacity[0]) if pool else demand
    (own,) = rng.spawn(1)  # which leaves what else is drawn as it is
    if not pool and own.random() < 0.3:
        demand = complementary(own, cluster.capacity.min(axis=0), 3, 1)[own.integers(0, 3, many)]
    tasks = rng.choice([1, 1, 1, 2, 3, 5], many).astype(np.int32)[first][which]
    expected_s = rng.choice([0.0, 5, 10, 20, 30, 50, 100], many)[first][which]
    return Queue(
        job,
        demand[first][which],
        tasks,
        expected_s,
        rng.integers(0, 2, many).astype(np.int32),
        np.cumsum(tasks).astype(np.int64) - tasks,
        eligible_s=rng.integers(0, 100, many).astype(float) if rng.random() < 0.6 else None,
        no_reserve=rng.random(many) < 0.3 if rng.random() < 0.3 else None,
        user=rng.integers(0, 3, many).astype(np.int32) if rng.random() < 0.5 else None,
    )


def _bound(rng, queue, hosts):
    """The same queue bound by some of all that may bind it, and what the snapshot says of it."""
    many, columns, given = len(queue), {}, {}
    if rng.random() < 0.5:
        columns["tier"] = rng.integers(0, 2, many).astype(float)
    if rng.random() < 0.5:
        columns["rank"] = rng.integers(-5, 5, many).astype(float)
    if rng.random() < 0.5:
        columns["partition"] = rng.integers(0, 3, many).astype(np.int32)
        given["partitions"] = rng.random((3, hosts)) < 0.7
    if rng.random() < 0.5:
        sets = int(rng.integers(1, 4))
        columns["hosts"] = rng.integers(0, sets, many).astype(np.int32)
        given["allowed"] = rng.random((sets, hosts)) < 0.6
        if rng.random() < 0.4:  # sets that share no host: a moment in each
            given["allowed"] = np.arange(hosts) % sets == np.arange(sets)[:, None]
            if "partition" in columns:
                columns["partition"], given["partitions"] = columns["hosts"], given["allowed"]
    if rng.random() < 0.4:
        columns["array"] = rng.integers(-1, 3, many).astype(np.int64)
    if rng.random() < 0.25:
        columns["min_hosts"] = rng.integers(0, 4, many).astype(np.int32)
        columns["max_hosts"] = np.where(rng.random(many) < 0.5, 0, rng.integers(1, 4, many)).astype(np.int32)
    if rng.random() < 0.4:
        columns["uses"] = tuple(
            tuple((limit, float(rng.integers(1, 3))) for limit in range(2) if rng.random() < 0.6) for _ in range(many)
        )
        given["left"] = rng.integers(0, 6, 2).astype(float)
        given["limits_stop"] = bool(rng.random() < 0.5)
    if rng.random() < 0.3:
        given["closures"] = tuple(_closure(rng, many, hosts) for _ in range(int(rng.integers(1, 3))))
    if rng.random() < 0.25:
        group, used = rng.integers(0, 3, many).astype(np.int32), rng.integers(0, 5, 3).astype(float)
        given["need"] = Need(group, used, np.array([1.0, 2.0, 1.0]))
    return Queue(**{**vars(queue), **columns}), given


def _closure(rng, many, hosts):
    from_s = float(rng.choice([50, 90, 100, 110, 130]))
    to_s = np.inf if rng.random() < 0.2 else from_s + float(rng.choice([20, 60, 200]))
    for_whom = frozenset(rng.integers(0, many, 2).tolist())
    against = frozenset(rng.integers(0, many, 3).tolist()) if rng.random() < 0.5 else None
    return Closure(rng.random(hosts) < 0.5, from_s, to_s, for_whom, against)


def _promises(rng, queue, hosts, counted):
    promises = {}
    if rng.random() < 0.3:
        return promises
    for job, tasks in dict(zip(queue.job.tolist(), queue.tasks.tolist(), strict=True)).items():
        if rng.random() < 0.5:
            named = rng.integers(0, hosts, tasks) if rng.random() < 0.5 else np.arange(tasks) % hosts
            start_s = float(rng.choice([80, 100, 110, 120, 150, 210]))
            promises[job] = Promise(start_s, () if counted else tuple(named.tolist()))
    return promises


def scan_in_python(policy, resources, hidden=0):
    """What `scans.scanner` compiles; the policy sees the first `resources` amounts of a host."""
    amounts = resources + hidden

    def scan(lanes, demand, blocks, many, slot, since, hosts, last_host, task, seed):
        size = lanes.host.shape[0]
        for block in blocks[:many].tolist():
            kind, low = int(lanes.kind[block]), NEVER
            capacity = lanes.capacity[kind * amounts : kind * amounts + resources]
            here = range(block * BLOCK, (block + 1) * BLOCK)
            for lane in here:
                left = lanes.free[lane::size]
                rank = NEVER
                if (left >= demand).all():
                    rank = lanes.rank[slot * size + lane]
                    if lanes.changed_at[lane] > since:
                        context = Context(int(lanes.host[lane]), hosts, int(last_host), int(task), seed)
                        rank = rank_of(policy.rate(demand[:resources], left[:resources], capacity, context))
                lanes.rank[slot * size + lane] = rank
                low = min(low, rank)
            at = slot * lanes.kind.shape[0] + block
            holders = [int(lanes.host[lane]) for lane in here if lanes.rank[slot * size + lane] == low]
            lanes.least[at], lanes.holder[at] = low, min(holders, default=NOBODY) if since >= 0 else UNKNOWN
        return 0

    return scan


def rate_in_python(policy, hidden=0):
    """What `compiled.rater` compiles; the policy does not see the `hidden` last amounts of a host."""

    def rate(demand, free, capacity, hosts, many, last_host, task, seed, out, offset):
        asked, seen = len(demand), len(demand) - hidden
        for host in hosts[:many].tolist():
            context = Context(host, len(free), int(last_host), int(task), seed)
            fits = (free[host, :asked] >= demand).all()
            left, whole = free[host, :seen], capacity[host, :seen]
            out[offset + host] = policy.rate(demand[:seen], left, whole, context) if fits else np.inf
        return 0

    return rate


class AsItIs:
    """A tuple that kernels in Python take as it is."""

    def __init__(self, values):
        self.address = values


def differing(first, last, *names):
    """Every (seed, rule) on whose snapshot the two passes do not decide the same; and how many were compared."""
    compared, found = 0, []
    kinds = tuple(BACKFILLINGS[name][0] for name in names or BACKFILLINGS)
    for seed in range(first, last):
        for rule in (rule for rule in RULES if isinstance(rule, kinds)):
            both = decisions(seed, rule)
            compared += both is not None
            if both is not None and both[0] != both[1]:
                found.append(f"{seed} {rule}")
    return compared, found


def in_python():
    """Let the kernels run as plain Python, with several blocks of hosts, or of steps of time."""
    compiled_decide.scanner, compiled_decide.rater = scan_in_python, rate_in_python
    compiled_decide.LaidOut = AsItIs
    compiled_decide._entry = lambda lent, rules, function, plans: function
    for module in (
        plan_bounds_kernel,
        earliest_fit_kernel,
        snapshot_arrays,
        start_bounds_kernel,
        slurm_snapshot,
        slurm_table_kernel,
    ):
        module.BLOCK = 2


if __name__ == "__main__":
    in_python()
    print(*differing(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
