"""Replays a log with the compiled engine: lays out the arrays, runs it, names the result."""

from contextlib import ExitStack
from dataclasses import replace

from loadmaster.compiled_rules.orders import refusing_order
from loadmaster.model import Schedule, Workload
from loadmaster.model.cycles import followed_of
from loadmaster.order import Order
from loadmaster.scheduling import AnyPolicy, Discipline, Twin, names_of
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints
from loadmaster.sim.queue.engine.arrays import columns_of, engine_arrays
from loadmaster.sim.queue.engine.compilation import EngineRun, Parts, callbacks
from loadmaster.sim.queue.engine.constraint_records import CutRuns, bound_schedule
from loadmaster.sim.queue.engine.estimates_kernel import Estimates
from loadmaster.sim.queue.engine.profile.layout import plan_of, with_room
from loadmaster.sim.queue.engine.records import Records
from loadmaster.sim.queue.engine.starting_state import with_ends
from loadmaster.sim.queue.engine.state import DONE, MORE_ROOM, PROFILE, STARTED
from loadmaster.sim.queue.engine.twin_arrays import twin_of
from loadmaster.sim.queue.queue_run import QueueRun
from loadmaster.sim.queue.unit_speed import ends_of


def replay_compiled(
    run: QueueRun, *, binding: ResolvedConstraints | None = None, estimates: Estimates | None = None
) -> Schedule:
    """Make `run` exactly as `reference.replay` does, compiled; the estimates of its jobs are what is expected of them.

    Args:
        run: the jobs, the hosts, the rules.
        binding: what binds the jobs; None: nothing.
        estimates: what is expected of jobs that nothing binds, where that is not known before; its `expected_s` are
            then the estimates of the jobs.

    Raises:
        InputError: a policy cannot be compiled, or rates a host with something that is not a finite number.
        ValueError: reservations are kept, and constraints bind the jobs.
    """
    workload, cluster, policy, discipline = run.workload, run.cluster, run.policy, run.discipline
    order, records = discipline.order, _records(workload, policy, discipline)
    engine, bound = engine_arrays(run, records, binding, estimates=estimates)
    columns = columns_of(workload, bound, moving=engine.rules.moving and not engine.rules.tracks_events)
    if engine.rules.moving and estimates is not None:
        columns = columns._replace(expected_s=estimates.expected_s)
    engine = engine._replace(columns=columns)
    parts = Parts(bound, shadow=True)
    if engine.rules.backfilling == PROFILE:
        if binding is not None:  # its rows are the jobs, not their entries in several partitions
            raise ValueError("kept reservations serve no constraints")
        parts = Parts(plan=plan_of(engine, workload, cluster, discipline))
    if isinstance(discipline, Twin):
        parts = Parts(twin=twin_of(discipline, engine, workload, cluster, policy))
    orders = _orders_of(discipline)
    engine = engine._replace(calls=callbacks(engine, parts, policy, order, orders))
    loop = EngineRun(engine, parts)
    cut, status = CutRuns(), MORE_ROOM
    while status != DONE:
        with ExitStack() as stack:
            for each in orders:
                stack.enter_context(refusing_order(each))
            status = loop.go_on(policy, order)
        records.keep(int(engine.log.rows[0]))
        if bound is not None:
            cut.keep(bound, workload.task_count)
        if status == MORE_ROOM and parts.plan is not None:
            parts = parts._replace(plan=with_room(parts.plan))
            loop = EngineRun(engine, parts)
        run.tell(int(engine.state.tally[STARTED]))
    schedule = with_ends(records.schedule(), workload, cluster)
    if engine.state.cards is not None:
        schedule = replace(schedule, cards=engine.state.cards.taken)
    if binding is None:
        return schedule
    if bound is not None:
        return bound_schedule(schedule, binding, bound, cut, cluster)
    assert cluster.speed is not None
    if schedule.end_s is None and (cluster.speed != 1.0).any():
        schedule = replace(schedule, end_s=ends_of(workload, cluster, schedule))
    return replace(schedule, never=binding.count_never())


def _records(workload: Workload, policy: AnyPolicy, discipline: Discipline) -> Records:
    """The records; for a twin, cycles name the member that it followed."""
    if isinstance(discipline, Twin):
        return Records(workload, tuple(member.name for member in discipline.members), followed_of)
    return Records(workload, names_of(policy))


def _orders_of(discipline: Discipline) -> list[Order]:
    """The orders of a twin's members; none under any other discipline."""
    members = discipline.members if isinstance(discipline, Twin) else ()
    return [member.order for member in members if isinstance(member.order, Order)]
