"""Replays a log under conservative backfilling, compiled: lays out the arrays, names the result."""

from typing import TypeGuard

import numpy as np

from loadmaster.backfilling import Conservative
from loadmaster.backfilling.skyline_kernel import Skyline, begun_skyline, with_more_room
from loadmaster.backfilling.soon_kernel import empty_soon
from loadmaster.compiled import never_remembered, rater
from loadmaster.compiled_scan import scanner
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import frozen_floats
from loadmaster.place import Policy
from loadmaster.schedule import AnyPolicy, Discipline
from loadmaster.scores_kernel import empty_scores
from loadmaster.sim.queue.compiled_plans import plan_engine
from loadmaster.sim.queue.conservative_runs import conservative_of, replayed
from loadmaster.sim.queue.laid_out import jobs_of, often
from loadmaster.sim.queue.plan_state import BLOCK, HandOfPlan, PassedOver, PlanArrays, Promises, Unlike
from loadmaster.sim.queue.queue_state import Jobs, Log
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.served import Progress
from loadmaster.sim.queue.starts_kernel import LAST_HOST, RUNNING_TASKS, STARTED, WAITING_TASKS, StartRules, StartState

PARTS = 0.1
"""Classes of one demand for each doubling of the expected runtime: few, since each learns of each plan by itself."""
MOST_UNSEEN = 32
"""Plans that ended before those of earlier decisions, of which it is still known what they changed."""
MOST_UNDONE = 2**16
"""Bounds that one decision may learn for itself; it goes on without more of them."""


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
        self._hosts, self._state = cluster.hosts, _state(jobs, workload, cluster)
        scores = empty_scores(cluster.kinds, jobs.demand, often(jobs))
        self._given = jobs, np.array(cluster.capacity), rules, self._state, scores
        self._plan = _plan(jobs, cluster)
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
        """Give the plan room for more steps: more than `plan_ahead_kernel.room_needed` says, for some decisions.

        In a decision a host is copied once and each job held once, and a host has two steps a task and one; so its
        room, doubled when full, comes to at most eight times that. The skyline checks.
        """
        tally = self._state.tally
        tasks = int(tally[RUNNING_TASKS]) + int(tally[WAITING_TASKS])
        base = with_more_room(self._plan.base, 48 * (self._hosts + 1) + 64 * tasks)
        self._plan = self._plan._replace(base=base, ahead=_ahead(base))


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
    most = int(jobs.tasks.max(initial=1))  # hosts are noted for one job at a time, one a task
    # A job waits, starts, and outlives its estimate once; `hosts` has each once, by its stamp in `kept`.
    tally = np.zeros(12, np.int64)
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
        kept=np.zeros(hosts, np.int64),
        hosts=np.zeros(hosts, np.int32),
        over_s=np.zeros(total),
        over=np.zeros(total, np.int32),
        overdue=np.zeros(total, np.int32),
        runs=np.zeros(total, np.bool_),
        now=np.zeros(1),
        tally=tally,
    )


def _plan(jobs: Jobs, cluster: Cluster) -> PlanArrays:
    """Nobody runs, and nothing is known."""
    hosts, kinds = cluster.hosts, len(jobs.demand)
    base = begun_skyline(np.array(cluster.capacity))
    soon = empty_soon(jobs.demand, jobs.kind, jobs.expected_s, hosts, PARTS)
    return PlanArrays(
        base=base,
        ahead=_ahead(base),
        soon=soon,
        block_s=np.zeros((len(soon.need), -(-hosts // BLOCK))),
        changes=np.ones(1, np.int64),
        changed_at=np.ones(hosts, np.int64),
        exact_at=np.zeros((len(soon.need), hosts), np.int64),
        likely=np.zeros(len(soon.need), np.int32),
        # What has no room here is not learnt.
        undo_class=np.zeros(MOST_UNDONE, np.int32),
        undo_host=np.zeros(MOST_UNDONE, np.int32),
        undo_s=np.zeros(MOST_UNDONE),
        undo=np.zeros(1, np.int64),
        least=jobs.demand.min(axis=0, initial=np.inf),
        roomy=np.zeros(hosts, np.int32),  # listed by one walk over the hosts
        many_roomy=np.zeros(1, np.int64),
        dead_at=np.zeros(kinds, np.int64),
        dead_long_s=np.zeros(kinds),
        bound_at=np.zeros(kinds, np.int64),
        bound_tasks=np.zeros(kinds, np.int32),
        bound_long_s=np.zeros(kinds),
        bound_s=np.zeros(kinds),
        promised=Promises(
            np.full(1, -1, np.int64),
            np.zeros(len(jobs.kind)),
            np.zeros(int(jobs.tasks.sum()), np.int32),
            np.zeros(len(jobs.kind), np.bool_),
        ),
        unlike=_unlike(hosts),
        since=_unlike(hosts),
        unseen=_unseen(hosts),
        begun=np.zeros(len(jobs.kind), np.int32),  # a job starts once
        many_begun=np.zeros(1, np.int64),
        hand=_hand(cluster),
    )


def _unlike(hosts: int) -> Unlike:
    """Nothing is. A host is listed once, when its first time is noted, which is never infinite."""
    soonest, latest = np.full(hosts, np.inf), np.full(hosts, -np.inf)
    return Unlike(
        np.zeros(hosts, np.int32), np.zeros(1, np.int64), soonest, latest, soonest.copy(), latest.copy()
    )  # fmt: skip


def _unseen(hosts: int) -> PassedOver:
    """Nothing is. `leave_off` empties a full stack, of which each entry has at most all hosts."""
    room = MOST_UNSEEN * hosts
    return PassedOver(
        np.zeros(1, np.int64), np.zeros(MOST_UNSEEN, np.int64), np.zeros(MOST_UNSEEN + 1, np.int64),
        np.zeros(room, np.int32), np.zeros((room, 4)),
    )  # fmt: skip


def _ahead(base: Skyline) -> Skyline:
    """Nothing is planned."""
    pointers = {each: getattr(base, each).copy() for each in ("base", "room", "first", "many")}
    return base._replace(**pointers)


def _hand(cluster: Cluster) -> HandOfPlan:
    hosts, resources = cluster.capacity.shape
    # A host is in `able`, in the heap of turns or in neither.
    return HandOfPlan(
        able=np.zeros(hosts, np.int32),
        window=np.zeros((hosts, resources)),
        value=np.zeros(hosts),
        again=np.zeros(1, np.int32),
        turn_s=np.zeros(hosts),
        turn_host=np.zeros(hosts, np.int32),
        exact_at=np.zeros(hosts, np.int64),
        question=np.zeros(1, np.int64),
    )
