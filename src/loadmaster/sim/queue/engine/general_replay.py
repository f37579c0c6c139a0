"""Replays a log with any backfilling that the compiled general pass serves."""

from dataclasses import replace

import numpy as np

from loadmaster.backfilling import Slurm
from loadmaster.model import Schedule
from loadmaster.order import FairShare, Order
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler, is_plain_data, members_of, names_of
from loadmaster.scheduling.compiled_decide import has_compiled_form
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints, binds, resolve_constraints
from loadmaster.sim.queue.capabilities import MEMBERS, meta_rule_kind_of, tracks_events_of
from loadmaster.sim.queue.engine.arrays import columns_of, engine_arrays
from loadmaster.sim.queue.engine.compilation import EngineRun, Parts, callbacks, pass_of
from loadmaster.sim.queue.engine.constraint_records import CutRuns, bound_schedule
from loadmaster.sim.queue.engine.general_layout import (
    alone_of,
    general_pass_of,
    over_blocking,
    pass_function,
    rule_for,
    snapshot_arrays_of,
    with_more_steps,
)
from loadmaster.sim.queue.engine.general_state import AGAIN, LEFT_TO_OTHERS, REDO
from loadmaster.sim.queue.engine.initial_state import empty_ranked_queue
from loadmaster.sim.queue.engine.preemption_state import preempts_of
from loadmaster.sim.queue.engine.priority_ticks import book_of
from loadmaster.sim.queue.engine.records import Records
from loadmaster.sim.queue.engine.runtime_limits import runtime_limits
from loadmaster.sim.queue.engine.starting_state import begin_general, runs_of_start, serves_starting_state, with_ends
from loadmaster.sim.queue.engine.state import ASKED, DONE, STARTED
from loadmaster.sim.queue.queue_run import QueueRun


def serves(policy: AnyPolicy, discipline: Discipline) -> bool:
    """Whether this engine serves the order, the backfilling and the policy, and so many members."""
    backfilling, order = discipline.backfilling, discipline.order
    by_rank = type(backfilling) is Slurm and backfilling.bf_min_prio_reserve > 0  # static orders keep no rank
    return (
        type(discipline) is Discipline
        and has_compiled_form(backfilling)
        and not by_rank
        and (type(order) in (Order, FairShare) or tracks_events_of(order))
        and is_plain_data(policy)
        and meta_rule_kind_of(policy) is not None
        and len(members_of(policy)) <= MEMBERS
    )


def replay_general(run: QueueRun, *, binding: ResolvedConstraints | None = None) -> Schedule | None:
    """Make `run` exactly as `reference.replay` does; None if only a plain engine serves some part of it.

    Args:
        run: the jobs, the hosts, the rules.
        binding: what binds the jobs; None: what their constraints and the rules of the cluster say.

    Raises:
        InputError: a policy cannot be compiled, or rates a host with something that is not a finite number.
    """
    cluster, policy, discipline = run.cluster, run.policy, run.discipline
    jobs = runtime_limits(run.workload, run.estimate_model)
    workload = jobs.workload
    given, binding = binding, binding or resolve_constraints(workload, cluster)
    scene = snapshot_arrays_of(
        workload, cluster, binding, discipline, run.seed, bound=given is not None or binds(workload, cluster)
    )
    rule = rule_for(scene, discipline)
    if rule is None or not serves_starting_state(workload, binding):
        return None
    records, cut = Records(workload, names_of(policy)), CutRuns()
    walk = replace(run, workload=workload, scheduler=Scheduler(policy, over_blocking(discipline)))
    laid, bound = engine_arrays(walk, records, binding, news=True)
    assert bound is not None
    assert laid.ranked is not None
    ranked = empty_ranked_queue(len(laid.jobs.kind), laid.ranked.happened)
    laid = laid._replace(rules=laid.rules._replace(backfilling=ASKED, moving=True), ranked=ranked)
    bound.job.well[:-1] &= ~jobs.killed
    general = general_pass_of(scene, rule, binding, discipline, policy, laid, bound, jobs)
    runs = runs_of_start(workload, cluster, binding)
    if runs is not None:
        begin_general(general, runs)
    preemption = preempts_of(workload, cluster, binding, exact_ends=rule.slurm is not None)
    parts = Parts(bound, general=general, preemption=preemption)
    columns = columns_of(workload, bound, moving=general.moves)
    if general.moves:
        columns = columns._replace(expected_s=general.row_expected_s)
    book = book_of(discipline.order, workload, cluster)
    engine = laid._replace(scores=general.scores, columns=columns, book=book)
    calls = callbacks(engine, parts, policy, discipline.order)
    serve = pass_function(rule)
    alone = serve if preemption is None else alone_of(rule)
    calls = calls._replace(serve=pass_of(general, function=serve), alone=pass_of(general, function=alone))
    engine = engine._replace(calls=calls)
    loop = EngineRun(engine, parts)
    status = AGAIN
    while status != DONE:
        status = loop.go_on(policy, discipline.order)
        records.keep(int(engine.log.rows[0]))
        cut.keep(bound, workload.task_count)
        if status == LEFT_TO_OTHERS:
            return None
        run.tell(int(engine.state.tally[STARTED]))
        if status == AGAIN:
            general = with_more_steps(general, scene)
            general.tally[REDO] = 1
            loop = EngineRun(engine, parts._replace(general=general))
    schedule = with_ends(records.schedule(), workload, cluster)
    if engine.state.cards is not None:
        schedule = replace(schedule, cards=engine.state.cards.taken)
    preempted = None if preemption is None else preemption.notices["preempted"]
    schedule = bound_schedule(schedule, binding, bound, cut, cluster, preempted)
    return jobs.finished(schedule, np.array(bound.job.end_s[:-1]))
