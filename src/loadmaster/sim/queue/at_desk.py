"""Replays a log with any backfilling that the compiled board knows, all of it compiled."""

from collections.abc import Callable

import numpy as np

from loadmaster.backfilling import Blocking, Conservative, Easy, NetBatch, Selective, Skip, Slurm, Stepwise
from loadmaster.compiled import of_ones_own, rater, refusing
from loadmaster.compiled_order import no_ranker, ranker, refusing_order
from loadmaster.compiled_scan import scanner
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.errors import OutOfRoom
from loadmaster.order import FairShare, Order
from loadmaster.order.order import rank_not_finite
from loadmaster.place.policy import not_finite
from loadmaster.schedule import AnyPolicy, Discipline, is_plain_data, members_of, names_of
from loadmaster.schedule.binding import binding_of
from loadmaster.schedule.foresight import USERS, Foresight
from loadmaster.sim.queue.awaited import awaited
from loadmaster.sim.queue.bound_records import CutRuns, bound_schedule
from loadmaster.sim.queue.bound_state import BoundState
from loadmaster.sim.queue.compiled_desk import desk_engine, door_for, hearer_for
from loadmaster.sim.queue.compiled_meta import known_of
from loadmaster.sim.queue.desk_layout import (
    alone_of,
    desk_of,
    door_of,
    over_blocking,
    rule_for,
    scene_of,
    with_more_steps,
)
from loadmaster.sim.queue.desk_state import AGAIN, LEFT_TO_OTHERS, REDO, Desk
from loadmaster.sim.queue.empty_state import nobody_ranked
from loadmaster.sim.queue.laid_out import EngineArrays, columns_of, laid_out
from loadmaster.sim.queue.preempt_state import Preempts, preempts_of
from loadmaster.sim.queue.queue_state import ASKED, DONE, NO_RANK, NOT_FINITE, OUT_OF_ROOM, STARTED
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.served import MEMBERS, Progress
from loadmaster.sim.queue.ticked import book_of
from loadmaster.sim.queue.told import is_told

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
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float,
    seed: int,
    progress: Progress | None = None,
    foresight: Foresight = USERS,
) -> Schedule | None:
    """Replay `workload` exactly as `reference.replay` does; None if something in it only a plain engine serves.

    Raises:
        InputError: a policy cannot be compiled, or rates a host with something that is not a finite number.
    """
    jobs, members = awaited(workload, foresight), members_of(policy)
    workload, binding = jobs.workload, binding_of(jobs.workload, cluster)
    scene = scene_of(workload, cluster, binding, discipline, seed)
    rule = rule_for(scene, discipline)
    if rule is None:
        return None
    records, cut = Records(workload, names_of(policy)), CutRuns()
    given, bound = laid_out(
        workload, cluster, policy, over_blocking(discipline), interval_s, seed, records, binding, news=True
    )  # fmt: skip
    assert bound is not None
    ranked = nobody_ranked(len(given.jobs.kind), given.ranked.happened)
    given = given._replace(rules=given.rules._replace(backfilling=ASKED, moving=True), ranked=ranked)
    bound.job.well[:-1] &= ~jobs.killed
    desk = desk_of(scene, rule, binding, discipline, policy, given, bound, jobs)
    stops = preempts_of(workload, cluster, binding, exact_ends=rule.slurm is not None)
    engine = _Engine(workload, cluster, policy, discipline, given, bound, desk, stops, door_of(rule), alone_of(rule))
    while True:
        with refusing_order(discipline.order), refusing(*members):
            status = engine.go_on(desk)
        records.keep(int(given.log.rows[0]))
        cut.keep(bound, workload.task_count)
        if status == NOT_FINITE:
            raise not_finite(of_ones_own(members) or policy.name)
        if status == OUT_OF_ROOM:
            raise OutOfRoom
        if status == NO_RANK:
            raise rank_not_finite(discipline.order.name)
        if status == LEFT_TO_OTHERS:
            return None
        if progress is not None:
            progress(min(int(given.state.tally[STARTED]), workload.jobs), workload.jobs)
        if status == DONE:
            schedule = bound_schedule(
                records.schedule(), binding, bound, cut, cluster, None if stops is None else stops.told["preempted"]
            )
            return jobs.finished(schedule, np.array(bound.job.end_s[:-1]))
        if status == AGAIN:
            desk = with_more_steps(desk, scene)
            desk.tally[REDO] = 1


class _Engine:
    """The compiled engine over these arrays."""

    def __init__(
        self, workload: Workload, cluster: Cluster, policy: AnyPolicy, discipline: Discipline, given: EngineArrays,
        bound: BoundState, desk: Desk, stops: Preempts | None, door: Callable[..., None], alone: Callable[..., None],
    ) -> None:  # fmt: skip
        order, members = discipline.order, members_of(policy)
        self._state = (
            given.jobs, given.capacity, given.rules, given.state, given.waiting, given.ranked, given.stairs, given.ends,
            desk.scores, given.log, bound,
        )  # fmt: skip
        rank = ranker(order) if isinstance(order, Order) else no_ranker()
        book = book_of(order, workload, cluster)
        scans = tuple(scanner(member, cluster.capacity.shape[1]) for member in members)
        rates = tuple(rater(member) for member in members)
        more = MEMBERS - len(members)
        columns = columns_of(workload, bound, moving=desk.moves)
        if desk.moves:
            columns = columns._replace(expected_s=desk.row_expected_s)
        self._rules = (
            columns, rank, book, hearer_for(desk, given.ranked, book),
            scans + scans[:1] * more, rates + rates[:1] * more, door_for(door, desk), stops,
            door_for(door if stops is None else alone, desk),
        )  # fmt: skip
        self._run = desk_engine(self._state, desk, book, stops)

    def go_on(self, desk: Desk) -> int:
        """Until something has to be looked at; what, as a number."""
        return self._run(*self._state, desk, *self._rules)
