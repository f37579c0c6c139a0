"""Replays a log under conservative backfilling with promises that stand, compiled: lays out what it works on."""

from typing import TypeGuard

import numpy as np

from loadmaster.backfilling import Conservative
from loadmaster.backfilling.conservative_kernel import ARRIVAL, IN_THEIR_ORDER, KEPT, NOW_ONLY
from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.backfilling.skyline_kernel import begun_skyline, with_more_room
from loadmaster.backfilling.soon_kernel import empty_soon
from loadmaster.compiled import never_remembered, rater
from loadmaster.compiled_scan import scanner
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import frozen_floats
from loadmaster.model.distinct import distinct_rows
from loadmaster.place import Policy
from loadmaster.schedule import AnyPolicy, Discipline
from loadmaster.scores_kernel import empty_scores
from loadmaster.sim.queue.compiled_plans import standing_engine
from loadmaster.sim.queue.conservative_runs import conservative_of, replayed
from loadmaster.sim.queue.laid_out import jobs_of, often
from loadmaster.sim.queue.queue_state import Jobs, Log
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.served import Progress
from loadmaster.sim.queue.standing_state import (
    BLOCK,
    BUCKETS,
    LAST_HOST,
    RUNNING_TASKS,
    STARTED,
    WAITING_TASKS,
    Asked,
    Hand,
    PromisesAgain,
    Standing,
    StandingRules,
)

EARLY_END = {"kept": KEPT, "now": NOW_ONLY, "arrival": ARRIVAL, "start": IN_THEIR_ORDER}


def serves(policy: AnyPolicy, discipline: Discipline) -> TypeGuard[Policy]:
    """Whether this engine knows the discipline, and the policy is a single one without methods of its own."""
    backfilling = conservative_of(policy, discipline)
    return backfilling is not None and backfilling.early_end in EARLY_END


def replay_standing(
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
    records, rules = Records(workload), _rules(workload, cluster, policy, discipline, interval_s, seed)
    run = _Run(workload, cluster, policy, discipline, records, rules)
    return replayed(run, policy, records, run.log, workload.jobs, progress)


class _Run:
    """One run, whose plan is kept from event to event."""

    def __init__(
        self, workload: Workload, cluster: Cluster, policy: Policy, discipline: Discipline, records: Records,
        rules: StandingRules,
    ) -> None:  # fmt: skip
        jobs = jobs_of(workload, cluster, discipline)
        asked = _asked(jobs, cluster, as_pool=rules.as_pool)
        self.log = Log(records.start_s, records.host, *records.buffers)
        self._standing, self._hosts = _standing(jobs, asked, cluster), len(asked.capacity)
        self._sky = begun_skyline(asked.capacity)
        self._given = jobs, asked, rules, self._standing
        self._rest = (
            empty_soon(asked.demand, asked.kind, asked.expected_s, self._hosts), _hand(asked),
            empty_scores(cluster.kinds, jobs.demand, often(jobs)), self.log,
        )  # fmt: skip
        self._functions = scanner(policy, cluster.capacity.shape[1]), rater(policy)
        self._engine = standing_engine((*self._given, self._sky, *self._rest))

    @property
    def started(self) -> int:
        """Jobs that have started."""
        return int(self._standing.tally[STARTED])

    def go_on(self) -> int:
        """Until something has to be looked at; what, as a number."""
        return self._engine(*self._given, self._sky, *self._rest, *self._functions)

    def make_room(self) -> None:
        """Give the plan room for more steps: more than `standing_engine_kernel.steps_needed` says, for some passes.

        A pass that moves promises over more hosts than that allows ends in `is_out_of_room`.
        """
        tally = self._standing.tally
        tasks = int(tally[RUNNING_TASKS]) + int(tally[WAITING_TASKS])
        self._sky = with_more_room(self._sky, 48 * (self._hosts + 1) + 64 * tasks)


def _rules(
    workload: Workload, cluster: Cluster, policy: Policy, discipline: Discipline, interval_s: float, seed: int
) -> StandingRules:
    backfilling = discipline.backfilling
    assert isinstance(backfilling, Conservative)
    assert backfilling.early_end is not None
    return StandingRules(
        interval_s=float(interval_s),
        early_end=EARLY_END[backfilling.early_end],
        lookahead=-1 if backfilling.lookahead is None else int(backfilling.lookahead),
        as_pool=backfilling.promise != "hosts" and hosts_are_one_pool(workload.demand, cluster),
        varies=never_remembered(policy),
        seed=int(seed),
    )


def _asked(jobs: Jobs, cluster: Cluster, *, as_pool: bool) -> Asked:
    """What jobs ask of the hosts of the plan; of a pool, one task of so many units."""
    total, expected_s = len(jobs.kind), frozen_floats(jobs.expected_s)
    if not as_pool:
        owner = np.repeat(np.arange(total, dtype=np.int32), jobs.tasks)
        return Asked(
            np.array(jobs.kind), np.array(jobs.tasks), np.array(jobs.first_task), owner, jobs.demand, expected_s,
            np.array(cluster.capacity),
        )  # fmt: skip
    demand, kind = distinct_rows(jobs.tasks[:, None].astype(np.float64))
    number = np.arange(total + 1, dtype=np.int64)
    return Asked(
        kind, np.ones(total, np.int32), number, number[:total].astype(np.int32), demand, expected_s,
        np.full((1, 1), float(cluster.hosts)),
    )  # fmt: skip


def _hand(asked: Asked) -> Hand:
    hosts, resources = asked.capacity.shape
    # A host is in `able`, in the heap of turns or in neither, and is listed once a question.
    return Hand(
        window=np.zeros((hosts, resources)),
        able=np.zeros(hosts, np.int32),
        value=np.zeros(hosts),
        again=np.zeros(1, np.int32),
        host=np.zeros(int(asked.tasks.max(initial=1)), np.int32),
        listed=np.zeros(hosts, np.int32),
        listed_at=np.zeros(hosts, np.int64),
        limit_s=np.zeros(hosts),
        turn_s=np.zeros(hosts),
        turn_host=np.zeros(hosts, np.int32),
        exact_at=np.zeros(hosts, np.int64),
        question=np.zeros(2, np.int64),
    )


def _again(asked: Asked) -> PromisesAgain:
    hosts, resources = asked.capacity.shape
    return PromisesAgain(
        out=np.zeros(len(asked.task_job), np.bool_),
        cleared=np.zeros(hosts, np.int32),  # `cleared_at` lists a host once a pass
        cleared_at=np.zeros(hosts, np.int64),
        near=np.zeros((BUCKETS, hosts), np.int32),
        most=np.zeros((resources, hosts)),
        next_s=np.full(hosts, -np.inf),
    )


def _standing(jobs: Jobs, asked: Asked, cluster: Cluster) -> Standing:
    total, hosts, tasks = len(jobs.kind), len(asked.capacity), len(asked.task_job)
    blocks, groups = total // BLOCK + 1, total // BLOCK**2 + 1
    most, resources = int(jobs.tasks.max(initial=1)), asked.capacity.shape[1]
    ring = np.full(total + 1, total, np.int32)
    tally = np.zeros(24, np.int64)
    tally[LAST_HOST] = -1
    return Standing(
        start_s=np.full(total, np.inf),
        host=np.zeros(tasks, np.int32),
        waits=np.zeros(total, np.bool_),
        runs=np.zeros(total, np.bool_),
        seen=np.zeros(total, np.int64),
        following=ring,
        before=ring.copy(),
        on_first=np.full(hosts, -1, np.int32),
        on_next=np.full(tasks, -1, np.int32),
        on_before=np.full(tasks, -1, np.int32),
        # A full heap of promises is made anew from the jobs that wait, each once; at least half of it is free then.
        due_s=np.zeros(2 * total + 16),
        due=np.zeros(2 * total + 16, np.int32),
        # A job is put into `order` when it leaves the plan, or once a pass, and so stands in it once at a time.
        order_s=np.zeros(total),
        order=np.zeros(total, np.int32),
        # A job is to start once a pass; `note_moved` checks.
        moved=np.zeros(total, np.int32),
        # A job starts once, and so comes once into the heaps of ends, and from there into `overdue`.
        over_s=np.zeros(total),
        over=np.zeros(total, np.int32),
        overdue=np.zeros(total, np.int32),
        end_s=np.zeros(total),
        ending=np.zeros(total, np.int32),
        look_s=np.full(hosts, -np.inf),
        look_most=np.zeros(asked.capacity.shape[1]),
        looked=np.zeros(hosts, np.int32),  # `looked_at` lists a host once a pass
        looked_at=np.zeros(hosts, np.int64),
        block_need=np.full((blocks, resources), np.inf),
        block_s=np.full(blocks, np.inf),
        block_old=np.zeros(blocks, np.bool_),
        group_need=np.full((groups, resources), np.inf),
        group_s=np.full(groups, np.inf),
        group_old=np.zeros(groups, np.bool_),
        again=_again(asked),
        free=np.array(cluster.capacity),
        open=np.ones(cluster.hosts, np.bool_),
        undo_host=np.zeros(most, np.int32),
        undo_free=np.zeros((most, cluster.capacity.shape[1])),
        tally=tally,
        now=np.array([-np.inf, np.inf]),
    )
