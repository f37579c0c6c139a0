"""Replays a log under conservative backfilling, compiled: lays out the arrays, names the result."""
# mypy: disable-error-code="no-untyped-call"

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, TypeGuard

import numpy as np
from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.backfilling import Conservative
from loadmaster.compiled import RATER, never_remembered, rater, refusing
from loadmaster.compiled_scan import SCAN, scanner
from loadmaster.kernels import kept_njit
from loadmaster.lent import lend
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import frozen_floats
from loadmaster.place import Policy
from loadmaster.place.policy import not_finite
from loadmaster.schedule import AnyPolicy, Discipline
from loadmaster.scores_kernel import empty_scores
from loadmaster.sim.queue.compiled import Progress, by_arrival, jobs_of, often
from loadmaster.sim.queue.ends_kernel import empty_ends
from loadmaster.sim.queue.outlook_kernel import SLOTS as PLAN_SLOTS
from loadmaster.sim.queue.outlook_kernel import Plan
from loadmaster.sim.queue.plan_engine_kernel import MORE_ROOM, run
from loadmaster.sim.queue.queue_state import DONE, NOT_FINITE, Jobs, Log
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.starts_kernel import LAST_HOST, RUNNING_TASKS, STARTED, WAITING_TASKS, Rules, State


def serves(policy: AnyPolicy, discipline: Discipline) -> TypeGuard[Policy]:
    """Whether this engine knows the discipline, and the policy is a single one without methods of its own."""
    backfilling = discipline.backfilling
    if not (type(backfilling) is Conservative and by_arrival(discipline) and type(policy) is Policy):
        return False
    return backfilling.early_end == "replan" and backfilling.promise != "pool"  # the kernel plans anew, host by host


def replay_planned(
    workload: Workload,
    cluster: Cluster,
    policy: Policy,
    discipline: Discipline,
    *,
    interval_s: float,
    seed: int,
    progress: Progress | None = None,
) -> Schedule:
    """Replay `workload` exactly as `reference.replay` does, compiled: equal to the bit, since amounts are exact.

    Raises:
        InputError: the policy cannot be compiled, or rates a host with something that is not a finite number.
    """
    jobs = jobs_of(workload, cluster, discipline)
    rules = _rules(policy, discipline, interval_s, seed)
    state = _state(jobs, workload, cluster)
    kinds = jobs.demand.shape[0]
    scores = empty_scores(cluster.kinds, jobs.demand, often(jobs))
    later, ends = empty_scores(cluster.kinds, jobs.demand, np.zeros(kinds)), empty_ends(workload.jobs)
    plan = _plan(workload.jobs, kinds, cluster, steps=16)
    records = Records(workload)
    log = Log(records.start_s, records.host, *records.buffers)
    capacity, rate = np.array(cluster.capacity), rater(policy)
    scan = scanner(policy, capacity.shape[1])
    engine = _engine(tuple(typeof(arg) for arg in (jobs, capacity, rules, state, scores, later, ends, plan, log)))
    while True:
        with refusing(policy.name):
            status = engine(jobs, capacity, rules, state, scores, later, ends, plan, log, rate, scan)
        records.keep(int(log.rows[0]))
        if status == NOT_FINITE:
            raise not_finite(policy.name)
        if status == MORE_ROOM:
            needed = cluster.hosts + int(state.tally[RUNNING_TASKS]) + 3 * int(state.tally[WAITING_TASKS])
            plan = _plan(workload.jobs, kinds, cluster, steps=2 * needed)
        if progress is not None:
            progress(int(state.tally[STARTED]), workload.jobs)
        if status == DONE:
            return records.schedule()


@cache
def _engine(layout: tuple[Any, ...]) -> Callable[..., int]:
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # they are first-class functions

    def entry(jobs, capacity, rules, state, scores, later, ends, plan, log, rate, scan):  # type: ignore[no-untyped-def]
        return run(
            lend(jobs), capacity, lend(rules), lend(state), lend(scores), lend(later), lend(ends), lend(plan),
            lend(log), rate, scan,
        )  # fmt: skip

    signature = types.int64(*layout, types.FunctionType(RATER), types.FunctionType(SCAN))
    engine: Callable[..., int] = kept_njit(signature, nogil=True, error_model="numpy")(entry)
    return engine


def _rules(policy: Policy, discipline: Discipline, interval_s: float, seed: int) -> Rules:
    assert isinstance(discipline.backfilling, Conservative)
    lookahead = discipline.backfilling.lookahead
    return Rules(
        interval_s=float(interval_s),
        lookahead=-1 if lookahead is None else int(lookahead),
        varies=never_remembered(policy),
        seed=int(seed),
    )


def _state(jobs: Jobs, workload: Workload, cluster: Cluster) -> State:
    total, hosts, resources = workload.jobs, cluster.hosts, cluster.capacity.shape[1]
    most = int(jobs.tasks.max(initial=1))
    tasks = int(jobs.first_task[-1])
    tally = np.zeros(10, np.int64)
    tally[LAST_HOST] = -1
    return State(
        free=np.array(cluster.capacity),
        open=np.ones(hosts, np.bool_),
        expected_s=frozen_floats(workload.expected_s),
        queue=np.zeros(total, np.int32),
        end_s=np.zeros(total),
        ending=np.zeros(total, np.int32),
        undo_host=np.zeros(most, np.int32),
        undo_free=np.zeros((most, resources)),
        then=np.zeros((hosts, resources)),
        then_at=np.zeros(hosts, np.int64),
        kept=np.zeros(hosts, np.int64),
        hosts=np.zeros(hosts, np.int32),
        touched=np.zeros(hosts, np.int32),
        held=np.zeros(hosts, np.int64),
        value=np.zeros(hosts),
        next_task=np.full(tasks, -1, np.int32),
        host_task=np.full(hosts, -1, np.int32),
        task_job=np.repeat(np.arange(total, dtype=np.int32), jobs.tasks),
        now=np.zeros(1),
        tally=tally,
    )


def _plan(jobs: int, kinds: int, cluster: Cluster, *, steps: int) -> Plan:
    hosts, resources = cluster.hosts, cluster.capacity.shape[1]
    return Plan(
        step_s=np.zeros(steps),
        step_free=np.zeros((steps, resources)),
        step_next=np.zeros(steps, np.int32),
        first_step=np.zeros(hosts, np.int32),
        sweep_s=np.zeros(steps),
        sweep_host=np.zeros(steps, np.int32),
        sweep_free=np.zeros((steps, resources)),
        swept=np.zeros(kinds, np.int64),
        swept_at=np.zeros(kinds, np.int64),
        bound_at=np.zeros(kinds, np.int64),
        bound_tasks=np.zeros(kinds, np.int32),
        bound_long_s=np.zeros(kinds),
        bound_s=np.zeros(kinds),
        dead_at=np.zeros(kinds, np.int64),
        dead_long_s=np.zeros(kinds),
        slot=np.zeros(kinds, np.int32),
        slot_at=np.zeros(kinds, np.int64),
        soonest_s=np.zeros((PLAN_SLOTS, hosts)),
        soonest_long_s=np.zeros(PLAN_SLOTS),
        window=np.zeros((hosts, resources)),
        seen=np.zeros(hosts, np.int64),
        cursor=np.zeros(hosts, np.int32),
        turn_s=np.zeros(hosts + 1),
        turn_host=np.zeros(hosts + 1, np.int32),
        begun=np.zeros(jobs, np.int32),
        size=np.zeros(7, np.int64),
    )
