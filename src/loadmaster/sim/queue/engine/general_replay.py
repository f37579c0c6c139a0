"""Replays a log with any backfilling that the compiled board knows, all of it compiled."""

import numpy as np

from loadmaster.backfilling import Blocking, Conservative, Easy, NetBatch, Selective, Skip, Slurm, Stepwise
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.order import FairShare, Order
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler, is_plain_data, members_of, names_of
from loadmaster.scheduling.estimate_model import USERS, Foresight
from loadmaster.scheduling.resolved_constraints import Binding, binding_of, binds
from loadmaster.sim.queue.capabilities import MEMBERS, Progress, is_told, known_of
from loadmaster.sim.queue.engine.arrays import columns_of, laid_out
from loadmaster.sim.queue.engine.compilation import EngineRun, Parts, callbacks, pass_of
from loadmaster.sim.queue.engine.constraint_records import CutRuns, bound_schedule
from loadmaster.sim.queue.engine.general_layout import (
    alone_of,
    desk_of,
    door_of,
    over_blocking,
    rule_for,
    scene_of,
    with_more_steps,
)
from loadmaster.sim.queue.engine.general_state import AGAIN, LEFT_TO_OTHERS, REDO
from loadmaster.sim.queue.engine.initial_state import nobody_ranked
from loadmaster.sim.queue.engine.preemption_state import preempts_of
from loadmaster.sim.queue.engine.priority_ticks import book_of
from loadmaster.sim.queue.engine.records import Records
from loadmaster.sim.queue.engine.runtime_limits import awaited
from loadmaster.sim.queue.engine.starting_state import begin_at_desk, begun_runs, serves_begun, with_ends
from loadmaster.sim.queue.engine.state import ASKED, DONE, STARTED

_KNOWN = (Blocking, Skip, NetBatch, Easy, Stepwise, Selective, Conservative, Slurm)
"""By their exact type: a subclass has rules of its own, which only the plain board asks."""


def serves(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether this engine knows order, backfilling and policy, and takes so many members."""
    backfilling, order = discipline.backfilling, discipline.order
    by_rank = type(backfilling) is Slurm and backfilling.bf_min_prio_reserve > 0  # which static orders do not keep
    return (
        type(discipline) is Discipline and type(backfilling) in _KNOWN and not by_rank
        and (type(order) in (Order, FairShare) or is_told(order)) and is_plain_data(policy)
        and known_of(policy) is not None and len(members_of(policy)) <= MEMBERS
    )  # fmt: skip


def replay_at_desk(
    workload: Workload,
    cluster: Cluster,
    scheduler: Scheduler,
    *,
    interval_s: float,
    seed: int,
    progress: Progress | None = None,
    foresight: Foresight = USERS,
    binding: Binding | None = None,
) -> Schedule | None:
    """Replay `workload` exactly as `reference.replay` does; None if something in it only a plain engine serves.

    `binding` is what binds its jobs; None: what their constraints and the rules of `cluster` say.

    Raises:
        InputError: a policy cannot be compiled, or rates a host with something that is not a finite number.
    """
    policy, discipline = scheduler.policy, scheduler.discipline
    jobs = awaited(workload, foresight)
    workload = jobs.workload
    given, binding = binding, binding or binding_of(workload, cluster)
    scene = scene_of(workload, cluster, binding, discipline, seed, bound=given is not None or binds(workload, cluster))
    rule = rule_for(scene, discipline)
    if rule is None or not serves_begun(workload, binding):
        return None
    records, cut = Records(workload, names_of(policy)), CutRuns()
    walk = Scheduler(policy, over_blocking(discipline))
    laid, bound = laid_out(workload, cluster, walk, interval_s, seed, records, binding, news=True)
    assert bound is not None
    ranked = nobody_ranked(len(laid.jobs.kind), laid.ranked.happened)
    laid = laid._replace(rules=laid.rules._replace(backfilling=ASKED, moving=True), ranked=ranked)
    bound.job.well[:-1] &= ~jobs.killed
    desk = desk_of(scene, rule, binding, discipline, policy, laid, bound, jobs)
    runs = begun_runs(workload, cluster, binding)
    if runs is not None:
        begin_at_desk(desk, runs)
    stops = preempts_of(workload, cluster, binding, exact_ends=rule.slurm is not None)
    parts = Parts(bound, desk=desk, stops=stops)
    columns = columns_of(workload, bound, moving=desk.moves)
    if desk.moves:
        columns = columns._replace(expected_s=desk.row_expected_s)
    book = book_of(discipline.order, workload, cluster)
    engine = laid._replace(scores=desk.scores, columns=columns, book=book)
    calls = callbacks(engine, parts, policy, discipline.order)
    door = door_of(rule)
    alone = door if stops is None else alone_of(rule)
    calls = calls._replace(serve=pass_of(desk, door=door), alone=pass_of(desk, door=alone))
    engine = engine._replace(calls=calls)
    run = EngineRun(engine, parts)
    status = AGAIN
    while status != DONE:
        status = run.go_on(policy, discipline.order)
        records.keep(int(engine.log.rows[0]))
        cut.keep(bound, workload.task_count)
        if status == LEFT_TO_OTHERS:
            return None
        if progress is not None:
            progress(min(int(engine.state.tally[STARTED]), workload.jobs), workload.jobs)
        if status == AGAIN:
            desk = with_more_steps(desk, scene)
            desk.tally[REDO] = 1
            run = EngineRun(engine, parts._replace(desk=desk))
    preempted = None if stops is None else stops.told["preempted"]
    schedule = bound_schedule(with_ends(records.schedule(), workload, cluster), binding, bound, cut, cluster, preempted)
    return jobs.finished(schedule, np.array(bound.job.end_s[:-1]))
