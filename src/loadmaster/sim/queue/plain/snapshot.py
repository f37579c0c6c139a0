"""The snapshots of a run in the plain engine."""

from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.amounts import rounded_up
from loadmaster.model.cards import HostCards
from loadmaster.model.on_demand import on_demand
from loadmaster.model.request import RowRequest, requests_of
from loadmaster.model.snapshot import Promise, Queue, Running, Snapshot
from loadmaster.order.order import columns_of
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints

if TYPE_CHECKING:
    from loadmaster.sim.queue.reference import Replay


def snapshot_of(engine: "Replay", eligible: list[int]) -> Snapshot:
    """The moment of a pass, with the jobs `eligible` in the queue. It stays as it is when the run goes on."""
    amounts = list(engine.occupancy.amounts)
    queue = _queue(engine, eligible)
    given = {
        **engine.same_for_all,
        "now_s": engine.now_s,
        "amounts": amounts,
        "together": rounded_up(engine.occupancy.together),
        "queue": queue,
        "running": _busy(engine),
        "last_host": engine.last_host,
        "need": engine.ranking.need(queue.job),
        "promises": _earlier_promises(engine, eligible),
        "early_end": engine.early_end,
        "clock": engine.clock,
        "arrived": engine.arrived_now,
        "ended": engine.ended_now,
    }
    if engine.binding is not None and engine.allowance is not None:
        given["left"] = engine.allowance.left_at(engine.now_s)
        given["closures"] = engine.binding.calendar.at(engine.now_s)
        ends_s = {job: run.expected_end_s for job, run in engine.occupancy.running.items()}
        if engine.binding.cluster_wide:
            given["cluster_wide_ends"] = engine.allowance.cluster_wide_ends(ends_s)
            given["cluster_wide_changes"] = engine.allowance.cluster_wide_changes(engine.now_s)
    resources = engine.cluster.capacity.shape[1]

    def gather(name: str) -> Any:
        if name == "free":
            return np.array(amounts)[:, :resources]
        assert name == "free_cards", name
        return None if engine.cards is None else np.array(amounts)[:, resources:]

    return _seen(gather, given)


def same_for_all(engine: "Replay") -> dict[str, Any]:
    """What all snapshots of a run have in common."""
    binding = engine.binding
    return {
        "cluster": engine.cluster,
        "seed": engine.seed,
        "as_pool": engine.as_pool,
        "left": None,
        "closures": (),
        "cluster_wide": 0 if binding is None else binding.cluster_wide,
        "cluster_wide_ends": (),
        "cluster_wide_changes": (),
        "allowed": None if binding is None else binding.entries.allowed,
        "partitions": None if binding is None else binding.partition_hosts,
        "limits_stop": binding is not None and binding.rules.limits_stop,
        "rules": None,
    }


def _earlier_promises(engine: "Replay", eligible: list[int]) -> dict[int, Promise]:
    """Promises of earlier passes to jobs that may start still."""
    if engine.binding is None:
        return engine.promises
    return {job: engine.promises[job] for job in eligible if job in engine.promises}


def requests_seen(
    workload: Workload, binding: ResolvedConstraints | None, cards: HostCards | None = None
) -> list[RowRequest]:
    """What each job of a run asks of the hosts, or each entry of its binding."""
    layout = None if cards is None else cards.layout
    if binding is None:
        return requests_of(workload.demand, workload.task_count, None, None, None, layout)
    entries = binding.entries
    tasks = workload.task_count[entries.job]
    hosts = entries.hosts, entries.min_hosts, entries.max_hosts
    return requests_of(workload.demand[entries.job], tasks, *hosts, layout)


def columns_seen(workload: Workload, binding: ResolvedConstraints | None) -> dict[str, Any]:
    """The columns of a log that a queue shows; what is written into them while the log is replayed is seen."""
    return {
        "demand": workload.demand,
        "tasks": workload.task_count,
        "expected_s": workload.expected_s,
        "project": workload.projects,
        "first_task": workload.first_task,
        "user": workload.user,
        "eligible_s": workload.submit_s if binding is None else binding.eligible_s,
    }


_UNBOUND_QUEUE = dict.fromkeys(("tier", "partition", "hosts", "array", "min_hosts", "max_hosts", "uses"))
"""The columns that constraints fill, where there are none."""


def _queue(engine: "Replay", eligible: list[int]) -> Queue:
    """The queue; columns of the log are gathered when a rule looks at them."""
    rows = jobs = np.array(eligible, dtype=np.int64)
    given: dict[str, Any] = _UNBOUND_QUEUE
    if engine.binding is not None:
        rows = engine.binding.entries.open_to(jobs)
        jobs = engine.binding.entries.job[rows]
        given = engine.binding.queue_columns(rows)
    columns = engine.columns

    def gather(name: str) -> Any:
        if name == "runtimes_s":
            return columns["expected_s"][jobs].tolist()
        column = columns.get(name)
        return None if column is None else column[jobs]

    rank, orders = engine.ranking.ranks(jobs, engine.now_s), columns_of(engine.ranking, jobs)
    requests = list(map(engine.requests.__getitem__, rows.tolist()))
    cards = None if engine.cards is None else engine.cards.layout
    own = {"job": jobs, "rank": rank, "columns": orders, "requests": requests, "cards": cards}
    return _seen_queue(gather, {**given, **own})


def _busy(engine: "Replay") -> Running:
    """What runs; columns are gathered when a rule looks at them."""
    running, work = engine.occupancy.running.copy(), engine.workload

    def gather(name: str) -> Any:
        if name == "ends":
            return list(chain.from_iterable(sorted(map(_ENDS, running.values()))))
        runs = running.items()
        if name in ("host", "expected_end_s", "start_s"):
            found = (run.hosts if name == "host" else [getattr(run, name)] * len(run.hosts) for _, run in runs)
            return np.array(list(chain.from_iterable(found)), np.int32 if name == "host" else float)
        if name == "cards":
            each = (engine.request_of[job].each(run.cards) for job, run in runs)
            held = [amounts[engine.cluster.capacity.shape[1] :] for amounts in chain.from_iterable(each)]
            return None if engine.cards is None else np.array(held, float).reshape(len(held), engine.cards.most)
        owner = np.array([job for job, run in runs for _ in run.hosts], np.int64)
        return owner if name == "job" else (work.demand if name == "demand" else work.projects)[owner]

    return _seen_running(gather, {})


_ENDS = attrgetter("ends")
_seen, _seen_queue, _seen_running = on_demand(Snapshot), on_demand(Queue), on_demand(Running)
