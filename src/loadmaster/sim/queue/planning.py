"""Replays a log under conservative backfilling, compiled: lays out the arrays, names the result."""

from typing import TypeGuard

import numpy as np

from loadmaster.backfilling import Conservative
from loadmaster.compiled import never_remembered, rater
from loadmaster.compiled_scan import scanner
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import frozen_floats
from loadmaster.place import Policy
from loadmaster.schedule import AnyPolicy, Discipline
from loadmaster.scores_kernel import empty_scores
from loadmaster.sim.queue.compiled_plans import plan_engine
from loadmaster.sim.queue.conservative_runs import conservative_of, replayed
from loadmaster.sim.queue.ends_kernel import empty_ends
from loadmaster.sim.queue.laid_out import jobs_of, often
from loadmaster.sim.queue.outlook_kernel import SLOTS as PLAN_SLOTS
from loadmaster.sim.queue.outlook_kernel import PlanArrays
from loadmaster.sim.queue.queue_state import Jobs, Log
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.served import Progress
from loadmaster.sim.queue.starts_kernel import LAST_HOST, RUNNING_TASKS, STARTED, WAITING_TASKS, StartRules, StartState


def serves(policy: AnyPolicy, discipline: Discipline) -> TypeGuard[Policy]:
    """Whether this engine knows the discipline, and the policy is a single one without methods of its own."""
    backfilling = conservative_of(policy, discipline)
    if backfilling is None:
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
    records = Records(workload)
    run = _Run(workload, cluster, policy, discipline, records, _rules(policy, discipline, interval_s, seed))
    return replayed(run, policy, records, run.log, workload.jobs, progress)


class _Run:
    """One run, whose plan is made anew in every pass."""

    def __init__(
        self, workload: Workload, cluster: Cluster, policy: Policy, discipline: Discipline, records: Records,
        rules: StartRules,
    ) -> None:  # fmt: skip
        jobs = jobs_of(workload, cluster, discipline)
        self.log = Log(records.start_s, records.host, *records.buffers)
        self._jobs, self._cluster, self._state = jobs, cluster, _state(jobs, workload, cluster)
        scores = empty_scores(cluster.kinds, jobs.demand, often(jobs))
        later, ends = empty_scores(cluster.kinds, jobs.demand, np.zeros(len(jobs.demand))), empty_ends(workload.jobs)
        self._given = jobs, np.array(cluster.capacity), rules, self._state, scores, later, ends
        self._plan = _plan(jobs, cluster, steps=16)
        self._functions = scanner(policy, cluster.capacity.shape[1]), rater(policy)
        self._engine = plan_engine((*self._given, self._plan, self.log))

    @property
    def started(self) -> int:
        """Jobs that have started."""
        return int(self._state.tally[STARTED])

    def go_on(self) -> int:
        """Until something has to be looked at; what, as a number."""
        return self._engine(*self._given, self._plan, self.log, *self._functions)

    def make_room(self) -> None:
        """Give the plan room for more steps."""
        tally = self._state.tally
        needed = self._cluster.hosts + int(tally[RUNNING_TASKS]) + 3 * int(tally[WAITING_TASKS])
        self._plan = _plan(self._jobs, self._cluster, steps=2 * needed)


def _rules(policy: Policy, discipline: Discipline, interval_s: float, seed: int) -> StartRules:
    assert isinstance(discipline.backfilling, Conservative)
    lookahead = discipline.backfilling.lookahead
    return StartRules(
        interval_s=float(interval_s),
        lookahead=-1 if lookahead is None else int(lookahead),
        varies=never_remembered(policy),
        seed=int(seed),
    )


def _state(jobs: Jobs, workload: Workload, cluster: Cluster) -> StartState:
    total, hosts, resources = workload.jobs, cluster.hosts, cluster.capacity.shape[1]
    most = int(jobs.tasks.max(initial=1))
    tasks = int(jobs.first_task[-1])
    tally = np.zeros(10, np.int64)
    tally[LAST_HOST] = -1
    return StartState(
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


def _plan(jobs: Jobs, cluster: Cluster, *, steps: int) -> PlanArrays:
    hosts, resources, kinds = cluster.hosts, cluster.capacity.shape[1], len(jobs.demand)
    return PlanArrays(
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
        begun=np.zeros(len(jobs.kind), np.int32),
        size=np.zeros(7, np.int64),
    )
