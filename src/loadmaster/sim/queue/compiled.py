"""Replays a log with the general compiled engine: validates, lays out the arrays, names the result."""
# mypy: disable-error-code="no-untyped-call"

import warnings
from collections.abc import Callable
from typing import Any

from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.compiled import RATER, of_ones_own, rater, refusing
from loadmaster.compiled_order import COLUMNS, RANKER, no_ranker, ranker, refusing_order
from loadmaster.compiled_scan import SCAN, scanner
from loadmaster.kernels import kept_njit
from loadmaster.layouts import by_layout, entry_of
from loadmaster.lent import lend
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.errors import OutOfRoom
from loadmaster.order import Order
from loadmaster.order.order import rank_not_finite
from loadmaster.place.policy import not_finite
from loadmaster.schedule import AnyPolicy, Discipline, members_of, names_of
from loadmaster.schedule.binding import Binding
from loadmaster.sim.queue.bound_records import CutRuns, bound_schedule
from loadmaster.sim.queue.bound_state import BoundState
from loadmaster.sim.queue.compiled_ticked import reckoner, reckoner_type
from loadmaster.sim.queue.guess_kernel import Guess
from loadmaster.sim.queue.laid_out import EngineArrays, columns_of, laid_out
from loadmaster.sim.queue.profile.layout import plan_of, with_room
from loadmaster.sim.queue.profile.state import Reservations
from loadmaster.sim.queue.queue_kernel import run
from loadmaster.sim.queue.queue_state import DONE, MORE_ROOM, NO_RANK, NOT_FINITE, OUT_OF_ROOM, PROFILE, STARTED
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.served import MEMBERS, Progress
from loadmaster.sim.queue.ticked import book_of
from loadmaster.sim.queue.ticked_kernel import Book


def replay_compiled(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float,
    seed: int,
    progress: Progress | None = None,
    binding: Binding | None = None,
    guess: Guess | None = None,
) -> Schedule:
    """Replay `workload` exactly as `reference.replay` does, compiled; `binding` is what binds its jobs.

    `guess` is what is expected of jobs that nothing binds, where that is not known before; then `workload` has its
    `expected_s` for estimates.

    Raises:
        InputError: a policy cannot be compiled, or rates a host with something that is not a finite number.
    """
    members, order, records = members_of(policy), discipline.order, Records(workload, names_of(policy))
    table, bound = laid_out(workload, cluster, policy, discipline, interval_s, seed, records, binding, guess=guess)
    scans = tuple(scanner(member, cluster.capacity.shape[1]) for member in members)
    scans += (scans[0],) * (MEMBERS - len(scans))
    columns = columns_of(workload, bound, moving=table.rules.moving and not table.rules.told)
    if table.rules.moving and guess is not None:
        columns = columns._replace(expected_s=guess.expected_s)
    rank = ranker(order) if table.rules.moving and isinstance(order, Order) else no_ranker()
    book = book_of(order, workload, cluster)
    plan, rate = None, None
    if table.rules.backfilling == PROFILE:
        plan, rate = plan_of(table, workload, cluster, discipline), rater(members[0])
    engine, reckon = _engine(table, book, bound, plan, told=table.rules.told)
    cut = CutRuns()
    while True:
        with refusing_order(order), refusing(*members):
            status = engine(*table, scans, columns, rank, book, reckon, bound, plan, rate)
        records.keep(int(table.log.rows[0]))
        if bound is not None:
            cut.keep(bound, workload.task_count)
        if status == NOT_FINITE:
            raise not_finite(of_ones_own(members) or policy.name)
        if status == OUT_OF_ROOM:
            raise OutOfRoom
        if status == NO_RANK:
            raise rank_not_finite(discipline.order.name)
        if status == MORE_ROOM and plan is not None:
            plan = with_room(plan)
        if progress is not None:
            progress(min(int(table.state.tally[STARTED]), workload.jobs), workload.jobs)
        if status == DONE and binding is not None and bound is not None:
            return bound_schedule(records.schedule(), binding, bound, cut, cluster)
        if status == DONE:
            return records.schedule()


@by_layout
def _engine(
    table: EngineArrays, book: Book, bound: BoundState | None, plan: Reservations | None, *, told: bool
) -> tuple[Callable[..., int], Any]:  # fmt: skip
    """The engine for such arguments, and the function by which it tells an order what has happened, if it does."""
    heard = typeof(book), typeof(table.waiting), typeof(table.ranked), typeof(table.jobs)
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # scans are first-class functions

    def entry(  # type: ignore[no-untyped-def]
        jobs, capacity, rules, state, waiting, ranked, stairs, moment, ends, scores, log, scans, columns, rank, book,
        reckon, bound, plan, rate,
    ):  # fmt: skip
        return run(
            lend(jobs), capacity, lend(rules), lend(state), lend(waiting), lend(ranked), lend(stairs), lend(moment),
            lend(ends), lend(scores), lend(log), scans, columns, rank, lend(book), reckon,
            lend(bound), lend(plan), rate,
        )  # fmt: skip

    scans = types.UniTuple(types.FunctionType(SCAN), MEMBERS)
    hook = types.FunctionType(reckoner_type(heard))
    rate = types.none if plan is None else types.FunctionType(RATER)
    layout = (typeof(arg) for arg in table)
    rest = types.FunctionType(RANKER), heard[0], hook, typeof(bound), typeof(plan), rate
    signature = types.int64(*layout, scans, COLUMNS, *rest)
    return entry_of(kept_njit(signature, nogil=True, error_model="numpy")(entry)), reckoner(heard, told)
