"""Replays a log with the NetBatch engine: says whether it can, lays out the arrays, names the result."""
# mypy: disable-error-code="no-untyped-call"

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import polars as pl
from numba import njit, typeof, types

from loadmaster.compiled import LEAN, fingerprint
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Floats, Ints, Longs, frozen_floats
from loadmaster.order import Discipline, Fcfs, NetBatch
from loadmaster.place import POLICIES
from loadmaster.schedule import AnyPolicy, MaxJobs
from loadmaster.sim import netbatch_kernel, rows_kernel
from loadmaster.sim.cycle_kernel import Log
from loadmaster.sim.cycles import TARGETS, Progress, members_of
from loadmaster.sim.netbatch_kernel import Calendar, Plan, RowJobs, RowRules, run_rows
from loadmaster.sim.records import Records
from loadmaster.sim.rows_kernel import full_rows

RULES = {
    POLICIES["first-fit"].score: rows_kernel.FIRST_FIT,
    POLICIES["best-fit-cores"].score: rows_kernel.BEST_CORES,
    POLICIES["best-fit-memory"].score: rows_kernel.BEST_MEMORY,
    POLICIES["worse-fit-cores"].score: rows_kernel.WORSE_CORES,
    POLICIES["worse-fit-memory"].score: rows_kernel.WORSE_MEMORY,
    POLICIES["mix-fit"].score: rows_kernel.MIX_FIT,
}
"""The rule that stands for each score."""
MOST_KINDS = 62
MOST_CORES = 1024
MOST_CYCLES = 2**24
"""Longest runtime in cycles that the calendar takes."""


def serves_rows(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, interval_s: float
) -> bool:
    """Whether this engine can replay the log: cores and memory in whole units, single tasks, known rules, cycles."""
    return (
        isinstance(discipline, NetBatch | Fcfs)
        and all(member.score in RULES for member in members_of(policy))
        and len(workload.resources) == 2
        and workload.tasks is None
        and workload.jobs > 0
        and interval_s > 0
        and float(workload.runtime_s.min()) > 1e-3
        and float(workload.runtime_s.max()) / interval_s < MOST_CYCLES
        and len(cluster.kinds[0]) <= MOST_KINDS
        and float(cluster.capacity[:, 0].max()) <= MOST_CORES
        and float(cluster.capacity[:, 1].min()) > 0
        and _whole(workload.demand[:, 0])
        and _whole(cluster.capacity[:, 0])
        and float(workload.demand[:, 0].max()) <= float(cluster.capacity[:, 0].max())
        and memory_unit(workload, cluster) > 0
    )


def memory_unit(workload: Workload, cluster: Cluster) -> int:
    """The largest unit in which all amounts of memory are whole and fit in 31 bits, 0 if there is none."""
    amounts = np.concatenate((workload.demand[:, 1], cluster.capacity[:, 1]))
    if not _whole(amounts) or amounts.max() >= 2**53:
        return 0
    unit = int(np.gcd.reduce(_distinct(amounts)))
    return unit if unit > 0 and amounts.max() / unit < 2**31 - 1 else 0


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
    unit = memory_unit(workload, cluster)
    kinds, kind_of = cluster.kinds
    jobs = RowJobs(
        frozen_floats(workload.submit_s),
        frozen_floats(workload.runtime_s),
        workload.demand[:, 0].astype(np.int32),
        (workload.demand[:, 1] / unit).astype(np.int32),
    )
    rows = full_rows(kinds[:, 0].astype(np.int32), (kinds[:, 1] / unit).astype(np.int32), kind_of)
    rules = _rules(workload, cluster, policy, discipline, interval_s, unit)
    records = Records(workload)
    log = Log(records.start_s, records.host, *records.buffers)
    tally = np.array([0, 0, -1, 0, 0, 0, 0, 0, 0], np.int64)
    state = (_calendar(workload, interval_s), _plan(jobs, kinds, kind_of, policy), np.zeros(workload.jobs, np.int32))
    args = (jobs, rules, rows, *state, tally, log)
    engine = _engine(tuple(typeof(arg) for arg in args))
    while True:
        status = engine(*args)
        records.keep(int(log.rows[0]))
        if progress is not None:
            progress(int(tally[netbatch_kernel.STARTED]), workload.jobs)
        if status == netbatch_kernel.DONE:
            return records.schedule()


@cache
def _engine(layout: tuple[Any, ...]) -> Callable[..., int]:
    stamp = fingerprint(netbatch_kernel, rows_kernel)

    def entry(jobs, rules, rows, calendar, plan, queue, tally, log):  # type: ignore[no-untyped-def]
        return run_rows(jobs, rules, rows, calendar, plan, queue, tally, log) if stamp >= 0 else -1

    compiled: Callable[..., int] = njit(types.int64(*layout), cache=True, **LEAN)(entry)
    return compiled


def _rules(
    workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, interval_s: float, unit: int
) -> RowRules:
    reservations = getattr(discipline, "reservations", 0)
    lookahead = getattr(discipline, "lookahead", None)
    return RowRules(
        interval_s=float(interval_s),
        reservations=-1 if reservations is None else int(reservations),
        lookahead=-1 if lookahead is None else int(lookahead),
        blocking=isinstance(discipline, Fcfs),
        log_ties=policy.log_ties if isinstance(policy, MaxJobs) else False,
        target=TARGETS[policy.target] if isinstance(policy, MaxJobs) else 0,
        total_cores=float(cluster.total[0]),
        total_memory=float(cluster.total[1]) / unit,
        least_cores=int(workload.demand[:, 0].min()),
        least_memory=int(workload.demand[:, 1].min() / unit),
        any_able=bool((workload.demand.max(axis=0) <= cluster.capacity.min(axis=0)).all()),
    )


def _calendar(workload: Workload, interval_s: float) -> Calendar:
    longest = int(workload.runtime_s.max() / interval_s) + 3
    ring = 1 << longest.bit_length()
    return Calendar(np.full(ring, -1, np.int32), np.zeros(workload.jobs, np.int32))


def _plan(jobs: RowJobs, kinds: Floats, kind_of: Ints, policy: AnyPolicy) -> Plan:
    least = int(jobs.cores.min())
    most = int(np.dot(np.bincount(kind_of), kinds[:, 0])) // least if least > 0 else len(jobs.cores)
    room = max(1, min(len(jobs.cores), most))
    members = np.array([RULES[member.score] for member in members_of(policy)], np.int64)
    return Plan(
        position=np.zeros(room, np.int32),
        host=np.zeros(room, np.int32),
        best_position=np.zeros(room, np.int32),
        best_host=np.zeros(room, np.int32),
        failed=np.zeros(int(kinds[:, 0].max()) + 1, np.int32),
        members=members,
        run_mask=np.zeros(64, np.int64),
        run_size=np.zeros(64, np.int64),
    )


def _whole(amounts: Floats) -> bool:
    return bool(np.all(amounts == np.floor(amounts)))


def _distinct(amounts: Floats) -> Longs:
    return pl.Series(amounts).unique().to_numpy().astype(np.int64)
