"""Replays a log with the NetBatch engine: says whether it can, lays out the arrays, names the result."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import typeof, types

from loadmaster.backfilling import Easy
from loadmaster.kernels import LEAN, kept_njit
from loadmaster.layouts import by_layout, entry_of
from loadmaster.lent import lend
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Floats, frozen_floats, frozen_longs
from loadmaster.model.errors import OutOfRoom
from loadmaster.place import POLICIES
from loadmaster.schedule import AnyPolicy, Discipline, is_meta, members_of, names_of
from loadmaster.sim.queue import every_host_kernel, rows_engine_kernel, rows_state
from loadmaster.sim.queue.compiled_meta import known_of
from loadmaster.sim.queue.levels_kernel import ABOVE
from loadmaster.sim.queue.queue_state import OUT_OF_ROOM, Log
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.rows_engine_kernel import run_rows
from loadmaster.sim.queue.rows_kernel import full_rows
from loadmaster.sim.queue.rows_state import EndRing, RowJobs, RowRules, WalkPlan
from loadmaster.sim.queue.served import Progress, by_arrival, serves, walk_of

RULES = {
    POLICIES["first-fit"].score: every_host_kernel.FIRST_FIT,
    POLICIES["best-fit-cores"].score: every_host_kernel.BEST_CORES,
    POLICIES["best-fit-memory"].score: every_host_kernel.BEST_MEMORY,
    POLICIES["worse-fit-cores"].score: every_host_kernel.WORSE_CORES,
    POLICIES["worse-fit-memory"].score: every_host_kernel.WORSE_MEMORY,
    POLICIES["mix-fit"].score: every_host_kernel.MIX_FIT,
    POLICIES["opportunity-cost"].score: every_host_kernel.OPPORTUNITY,
    POLICIES["round-robin"].score: every_host_kernel.ROUND_ROBIN,
}
"""The rule that stands for each score."""
MANY_HOSTS = 8000
"""From so many hosts on a tree of them is faster than rows."""
FEW_HOSTS = 400
"""Up to so many hosts rows are fast where every host of a row has to be rated."""
MOST_LANES = 128
"""Most cores of a host that a tree takes: it has a lane for each."""
MOST_KINDS = 62
MOST_CORES = 1024
MOST_CYCLES = 2**24
"""Longest runtime in cycles that the calendar takes."""
EMPTY_SECONDS = 1000
"""Seconds a job, at most, of a log whose events are looked for second by second."""
MOST_KEY = 2.0**60
"""Memory times hosts that a key has room for."""
SECOND = 1.0
"""The interval that stands for none in a log whose times are whole seconds."""
EXACT = 2.0**53
"""Memory times cores up to which Mix-Fit tells any two amounts apart."""


def serves_rows(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, interval_s: float
) -> bool:
    """Whether this engine can replay the log: cores and memory in whole units, known rules, cycles.

    Jobs of several tasks only under a single rule and where the head of the queue blocks: then nothing is reserved.
    No interval is an interval of a second if nothing happens between two seconds.
    """
    if not (
        serves(policy, discipline)
        and not isinstance(discipline.backfilling, Easy)
        and by_arrival(discipline)
        and all(member.score in RULES for member in members_of(policy))
        and len(workload.resources) == 2
        and (workload.tasks is None or (walk_of(discipline).blocking and not is_meta(policy)))
        and workload.jobs > 0
        and (interval_s > 0 or _in_seconds(workload))
    ):
        return False
    interval_s = interval_s or SECOND
    _, most, whole = workload.least_and_most
    largest = cluster.capacity.max(axis=0)
    return (
        whole
        and bool((cluster.capacity == np.floor(cluster.capacity)).all())
        and float(workload.runtime_s.min()) > 1e-3
        and float(workload.runtime_s.max()) / interval_s < MOST_CYCLES
        and len(cluster.kinds[0]) <= MOST_KINDS
        and most[0] <= largest[0] <= (MOST_LANES if _asks_for_next(policy) else MOST_CORES)
        and float(cluster.capacity[:, 1].min()) > 0
        and (not _rates_all(policy) or (cluster.hosts <= FEW_HOSTS and float(cluster.capacity.min()) > 0))
        and largest[0] * largest[1] < EXACT
        and largest[1] * cluster.hosts < MOST_KEY
    )


def replay_rows(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float,
    progress: Progress | None = None,
) -> Schedule:
    """Replay `workload` exactly as `reference.replay` does; the caller has asked `serves_rows` before."""
    kinds, kind_of = cluster.kinds
    interval_s = interval_s or SECOND
    jobs = RowJobs(
        submit_s=frozen_floats(workload.submit_s),
        runtime_s=frozen_floats(workload.runtime_s),
        demand=frozen_floats(workload.demand),
        first_task=frozen_longs([] if workload.tasks is None else workload.first_task),
    )
    rules = _rules(workload, cluster, policy, discipline, interval_s)
    cores, memory = kinds.astype(np.int64).T
    rows = full_rows(cores, memory, kind_of, rules.any_able, _with_tree(cluster, policy), _in_order(cluster, policy))
    records = Records(workload, names_of(policy))
    log = Log(records.start_s, records.host, *records.buffers)
    tally = np.array([0, 0, -1, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0], np.int64)
    most = _most_running(workload, cluster)
    state = (_calendar(workload, interval_s, most), _plan(kinds, policy, most), np.zeros(workload.jobs, np.int32))
    args = (jobs, rules, rows, *state, tally, log)
    engine = _engine(*args)
    while True:
        status = engine(*args)
        records.keep(int(log.rows[0]))
        if status == OUT_OF_ROOM:
            raise OutOfRoom
        if progress is not None:
            progress(int(tally[rows_state.STARTED]), workload.jobs)
        if status == rows_engine_kernel.DONE:
            return records.schedule()


@by_layout
def _engine(*args: Any) -> Callable[..., int]:
    def entry(jobs, rules, rows, calendar, plan, queue, tally, log):  # type: ignore[no-untyped-def]
        return run_rows(lend(jobs), lend(rules), lend(rows), lend(calendar), lend(plan), queue, tally, lend(log))

    return entry_of(kept_njit(types.int64(*map(typeof, args)), **LEAN)(entry))


def _rules(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, interval_s: float
) -> RowRules:
    walk, meta = walk_of(discipline), known_of(policy)
    assert meta is not None
    least, most, _ = workload.least_and_most
    return RowRules(
        interval_s=float(interval_s),
        reservations=walk.reservations,
        lookahead=walk.lookahead,
        blocking=walk.blocking,
        log_ties=not meta.pruned,
        target=meta.target,
        total_cores=float(cluster.total[0]),
        total_memory=float(cluster.total[1]),
        least_cores=int(least[0]),
        least_memory=int(least[1]),
        any_able=bool((most <= cluster.capacity.min(axis=0)).all()),
    )


def _in_seconds(workload: Workload) -> bool:
    """Whether all events fall on whole seconds, close enough together that looking at every second costs little."""
    whole = all(bool((column == np.floor(column)).all()) for column in (workload.submit_s, workload.runtime_s))
    return whole and workload.span_s < EMPTY_SECONDS * workload.jobs


def _with_tree(cluster: Cluster, policy: AnyPolicy) -> bool:
    """Whether the hosts are held in a tree: where they are many, and where the next one after another is asked for."""
    few = float(cluster.capacity[:, 0].max()) <= MOST_LANES
    return _asks_for_next(policy) or (cluster.hosts >= MANY_HOSTS and few)


def _in_order(cluster: Cluster, policy: AnyPolicy) -> bool:
    """Whether the keys of each row are kept in order: where hosts are many and looked for by an amount of memory."""
    by_memory = {every_host_kernel.BEST_MEMORY, every_host_kernel.MIX_FIT}
    return cluster.hosts >= MANY_HOSTS and any(RULES[member.score] in by_memory for member in members_of(policy))


def _asks_for_next(policy: AnyPolicy) -> bool:
    return any(RULES[member.score] == every_host_kernel.ROUND_ROBIN for member in members_of(policy))


def _rates_all(policy: AnyPolicy) -> bool:
    return any(RULES[member.score] == every_host_kernel.OPPORTUNITY for member in members_of(policy))


def _most_running(workload: Workload, cluster: Cluster) -> int:
    """A bound on the tasks that run and start at once: all cores, by the least that one holds; or all tasks."""
    least = workload.least_and_most[0][0]
    tasks = workload.jobs if workload.tasks is None else int(workload.tasks.sum())
    return max(1, min(tasks, int(cluster.total[0] / least) if least > 0 else tasks))


def _calendar(workload: Workload, interval_s: float, most: int) -> EndRing:
    longest = int(workload.runtime_s.max() / interval_s) + 3
    run = np.zeros(most + 1, rows_state.RUN)  # one a running task, and run 0; the engine checks before it starts more
    run["after"] = np.arange(1, most + 2)
    return EndRing(np.full(1 << longest.bit_length(), -1, np.int32), run)


def _plan(kinds: Floats, policy: AnyPolicy, most: int) -> WalkPlan:
    # Starts take their hosts at once, so that those of a walk are among the `most` that run; `_place` checks. When
    # `run_mask` is full its reservations are made.
    return WalkPlan(
        position=np.zeros(most, np.int32),
        host=np.zeros(most, np.int32),
        best_position=np.zeros(most, np.int32),
        best_host=np.zeros(most, np.int32),
        failed=np.zeros(int(kinds[:, 0].max()) + 1, np.int64),
        open=np.zeros(int(kinds[:, 0].max()) + 1, np.int64),
        known=np.full(int(kinds[:, 0].max()) + 1, ABOVE),
        members=np.array([RULES[member.score] for member in members_of(policy)], np.int64),
        run_mask=np.zeros(64, np.int64),
        run_size=np.zeros(64, np.int64),
    )
