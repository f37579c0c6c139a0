"""What a scheduler sees of a run in the plain engine."""

from typing import TYPE_CHECKING, Any

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.snapshot import Promise, Queue, Running, Snapshot
from loadmaster.order.order import columns_of

if TYPE_CHECKING:
    from loadmaster.sim.queue.reference import Replay


def seen_by(engine: "Replay", eligible: list[int]) -> Snapshot:
    """The moment of a pass, with the jobs `eligible` in the queue."""
    queue = _queue(engine, eligible)
    promises = _standing(engine, eligible)
    given: dict[str, Any] = {}
    if engine.binding is not None and engine.allowance is not None:
        given["allowed"] = engine.binding.entries.allowed
        given["left"] = engine.allowance.left_at(engine.now_s)
        given["closures"] = engine.binding.calendar.at(engine.now_s)
        given["partitions"] = engine.binding.partition_hosts
        given["limits_stop"] = engine.binding.rules.limits_stop
    return Snapshot(
        engine.now_s, engine.cluster, engine.occupancy.free.copy(), queue, _busy(engine), engine.last_host, engine.seed,
        need=engine.ranking.need(queue.job), promises=promises, early_end=engine.early_end, as_pool=engine.as_pool,
        clock=engine.clock, arrived=engine.arrived_now, ended=engine.ended_now,
        **given,
    )  # fmt: skip


def _standing(engine: "Replay", eligible: list[int]) -> dict[int, Promise]:
    """Promises of earlier passes to jobs that may start still."""
    if engine.binding is None:
        return engine.promises
    return {job: engine.promises[job] for job in eligible if job in engine.promises}


def _queue(engine: "Replay", eligible: list[int]) -> Queue:
    jobs, given = np.array(eligible, dtype=np.int64), {}
    if engine.binding is not None:
        rows = engine.binding.entries.open_to(jobs)
        jobs = engine.binding.entries.job[rows]
        given = engine.binding.queue_columns(rows)
    work = engine.workload
    return Queue(
        jobs, work.demand[jobs], work.task_count[jobs], work.expected_s[jobs], work.projects[jobs],
        engine.occupancy.first_task[jobs], rank=engine.ranking.ranks(jobs, engine.now_s),
        user=None if work.user is None else work.user[jobs], eligible_s=_since_s(engine, jobs),
        columns=columns_of(engine.ranking, jobs), **given,
    )  # fmt: skip


def _since_s(engine: "Replay", jobs: Longs) -> Floats:
    return (engine.workload.submit_s if engine.binding is None else engine.binding.eligible_s)[jobs]


def _busy(engine: "Replay") -> Running:
    runs, first = engine.occupancy.running, engine.occupancy.first_task
    jobs = np.fromiter(runs, np.int64, len(runs))
    many = first[jobs + 1] - first[jobs]
    owner = np.repeat(jobs, many)
    task = np.arange(len(owner)) + np.repeat(first[jobs] - np.cumsum(many) + many, many)
    ends = np.repeat(np.array([run.expected_end_s for run in runs.values()], float), many)
    starts = np.repeat(np.array([run.start_s for run in runs.values()], float), many)
    hosts = engine.occupancy.host[task]
    return Running(owner, hosts, engine.workload.demand[owner], ends, engine.workload.projects[owner], starts)
