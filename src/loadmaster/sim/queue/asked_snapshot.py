"""What a scheduler that is asked sees of a run whose moments are compiled."""

from typing import TYPE_CHECKING, Any

import numpy as np

from loadmaster.compiled_order import ranker, refusing_order
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.snapshot import Promise, Queue, Running, Snapshot
from loadmaster.order import Order
from loadmaster.order.order import columns_of as told_columns
from loadmaster.order.order import rank_not_finite
from loadmaster.schedule.binding import Binding, is_one_pool
from loadmaster.sim.queue.bound_arrays import open_rows
from loadmaster.sim.queue.laid_out import EngineArrays, columns_of

if TYPE_CHECKING:
    from loadmaster.sim.queue.asking import Asking


class Eyes:
    """What the scheduler sees of the run."""

    def __init__(self, run: "Asking", table: EngineArrays) -> None:
        self._run, self._table = run, table
        self._row = open_rows(run.binding)
        self._as_pool = is_one_pool(run.workload, run.cluster, run.binding if run.binds else None)
        self._uses: dict[int, tuple[tuple[int, float], ...]] = {}
        order = run.scheduler.discipline.order
        self._order = order if type(order) is Order else None
        self._columns = columns_of(run.workload, None, moving=self._order is not None)
        self._ranker = ranker(self._order) if self._order is not None else None

    def snapshot(self, eligible: Longs) -> Snapshot:
        """The moment of a pass."""
        run, state = self._run, self._table.state
        queue, given = self._queue(eligible), dict[str, Any]()
        if run.binds:
            given = {
                "allowed": run.binding.entries.allowed, "left": state.left.copy(),
                "closures": run.binding.calendar.at(run.now_s), "partitions": run.binding.partition_hosts,
                "limits_stop": run.binding.rules.limits_stop,
            }  # fmt: skip
        return Snapshot(
            run.now_s, run.cluster, state.free.copy(), queue, self._busy(), run.last_host, run.seed,
            need=run.ranking.need(queue.job), promises=self._standing(eligible), early_end=run.early_end,
            as_pool=self._as_pool, clock=run.clock, arrived=run.arrived_now, ended=run.ended_now, **given,
        )  # fmt: skip

    def _queue(self, eligible: Longs) -> Queue:
        run, bound, work = self._run, self._run.bound, self._run.workload
        first = bound.job.rows
        rows = _spread(first[eligible], first[eligible + 1] - first[eligible])
        jobs = bound.row.owner[rows].astype(np.int64)
        given = self._bound_columns(run.binding, self._row[rows]) if run.binds else {}
        return Queue(
            jobs, work.demand[jobs], work.task_count[jobs], work.expected_s[jobs], work.projects[jobs],
            work.first_task[jobs], rank=self._ranks(jobs), user=None if work.user is None else work.user[jobs],
            eligible_s=(run.binding.eligible_s if run.binds else work.submit_s)[jobs],
            columns=told_columns(run.ranking, jobs), **given,
        )  # fmt: skip

    def _bound_columns(self, binding: Binding, entries: Longs) -> dict[str, Any]:
        columns = binding.columns(entries)
        for entry in entries.tolist():
            if entry not in self._uses:
                self._uses[entry] = binding.counters.uses(entry)
        return {**columns, "uses": tuple(map(self._uses.__getitem__, entries.tolist()))}

    def _ranks(self, jobs: Longs) -> Floats | None:
        run = self._run
        if self._order is None or self._ranker is None:
            return run.ranking.ranks(jobs, run.now_s)
        ranks = np.zeros(len(jobs))
        with refusing_order(self._order):
            wrong = self._ranker(self._columns, jobs.astype(np.int32), len(jobs), run.now_s, ranks)
        if wrong:
            raise rank_not_finite(self._order.name)
        return ranks

    def _busy(self) -> Running:
        run, work = self._run, self._run.workload
        jobs = np.array(list(run.running), np.int64)
        owner = np.repeat(jobs, work.task_count[jobs])
        tasks = _spread(work.first_task[jobs], work.task_count[jobs])
        hosts, start_s = self._table.log.host[tasks], self._table.log.start_s[owner]
        return Running(owner, hosts, work.demand[owner], run.expected_end_s[owner], work.projects[owner], start_s)

    def _standing(self, eligible: Longs) -> dict[int, Promise]:
        """Promises of earlier passes to jobs that may start still."""
        run = self._run
        if not (run.binds and run.promises):
            return run.promises
        return {job: run.promises[job] for job in eligible.tolist() if job in run.promises}


def _spread(first: Longs, many: Any) -> Longs:
    """first[i], first[i] + 1, ... so many[i] numbers of each."""
    before = np.cumsum(many) - many
    return np.asarray(np.repeat(first - before, many) + np.arange(int(np.sum(many))), np.int64)
