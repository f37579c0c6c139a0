"""Compiles the engine, and what it calls through pointers: once for all rules, kept on disk."""
# mypy: disable-error-code="no-untyped-call,no-untyped-def"

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.compiled import RATER, of_ones_own, rater, refusing
from loadmaster.compiled_order import RANKER, no_ranker, ranker, refusing_order
from loadmaster.compiled_scan import SCAN, scanner
from loadmaster.kernels import LEAN, kept_njit
from loadmaster.layouts import by_layout, entry_of
from loadmaster.lent import LaidOut, Lent, lend
from loadmaster.model.errors import OutOfRoom
from loadmaster.order import AnyOrder, Order
from loadmaster.order.order import rank_not_finite
from loadmaster.place.policy import not_finite
from loadmaster.schedule import AnyPolicy, members_of
from loadmaster.sim.queue.bound_state import BoundState
from loadmaster.sim.queue.desk_state import Desk
from loadmaster.sim.queue.engine_state import Callbacks, EngineArrays, QueueEngine
from loadmaster.sim.queue.heard_kernel import hear_nothing, reckon_rows
from loadmaster.sim.queue.preempt_state import Preempts
from loadmaster.sim.queue.profile.state import Reservations
from loadmaster.sim.queue.queue_kernel import run
from loadmaster.sim.queue.queue_state import NO_RANK, NOT_FINITE, OUT_OF_ROOM
from loadmaster.sim.queue.served import MEMBERS
from loadmaster.sim.queue.ticked_kernel import reckon
from loadmaster.sim.queue.twin_state import TwinArrays

warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # rules are first-class functions


class Parts(NamedTuple):
    """What a run may lack, as `queue_kernel.run` takes it."""

    bound: BoundState | None = None
    own: bool | None = None
    plan: Reservations | None = None
    desk: Desk | None = None
    stops: Preempts | None = None
    twin: TwinArrays | None = None


def callbacks(
    arrays: EngineArrays, parts: Parts, policy: AnyPolicy, order: AnyOrder, orders: Sequence[Order] = ()
) -> Callbacks:  # fmt: skip
    """The rules of a run as the engine calls them; passes over the board are still to be added.

    `orders` are those of a twin's members.

    Raises:
        InputError: one of them cannot be compiled.
    """
    members, resources = members_of(policy), arrays.capacity.shape[1]
    if parts.desk is None:
        hear: Callable[..., None] = _reckon if arrays.rules.told else _idle
    else:
        hear = reckon_rows if parts.desk.told else hear_nothing
    return Callbacks(
        scans=_all_members(tuple(scanner(member, resources) for member in members)),
        rates=None if parts.desk is None and parts.plan is None else _all_members(tuple(map(rater, members))),
        rank=ranker(order) if arrays.rules.moving and isinstance(order, Order) else no_ranker(),
        ranks=_all_members(tuple(map(ranker, orders))) or None,
        reckon=_hearing(_heard(arrays, parts), function=hear),
        serve=None,
        alone=None,
    )


def _heard(arrays: EngineArrays, parts: Parts) -> tuple[Any, ...]:
    """What an order is handed to learn what has happened."""
    if parts.desk is None:
        return arrays.book, arrays.waiting, arrays.ranked, arrays.jobs
    return arrays.book, parts.desk, arrays.ranked


def _all_members(rules: tuple[Any, ...]) -> tuple[Any, ...]:
    """As many as the engine takes, the first once more for those that are missing."""
    return rules + rules[:1] * (MEMBERS - len(rules))


def _reckon(book, waiting, ranked, jobs, now):
    reckon(book, waiting, ranked, jobs, now)


def _idle(book, waiting, ranked, jobs, now):
    pass


@by_layout
def _hearing(heard: tuple[Any, ...], *, function: Callable[..., None]) -> Callable[..., None]:
    """`function`, compiled to hear for such arguments."""
    return _compiled(function, _hearer(*map(typeof, heard)))


@by_layout
def pass_of(desk: Desk, *, door: Callable[..., None]) -> Callable[..., None]:
    """A door of `desk_pass_kernel`, compiled for such a desk."""
    return _compiled(door, _door(typeof(desk)))


def _door(desk: Any) -> Any:
    policy = types.FunctionType(SCAN), types.FunctionType(RATER)
    return types.void(Lent(desk), types.float64, types.int64, *policy)


def _hearer(*heard: Any) -> Any:
    return types.void(*map(Lent, heard), types.float64)


@cache
def _compiled(function: Callable[..., None], signature: Any) -> Callable[..., None]:
    made: Callable[..., None] = kept_njit(signature, **LEAN, no_cpython_wrapper=True)(function)
    return made


def go_on(arrays: EngineArrays, calls: Callbacks, parts: Parts, policy: AnyPolicy, order: AnyOrder) -> int:
    """Run the engine until it is done or needs something of its shell; what, as a number of `queue_state`.

    Raises:
        InputError: a rule fails, or rates or ranks with something that is not a finite number.
    """
    engine, laid_out = _engine(arrays, parts), [LaidOut(arrays), *map(_laid_out, parts)]
    with refusing_order(order), refusing(*members_of(policy)):
        first, *others = (each.address if isinstance(each, LaidOut) else each for each in laid_out)
        status = engine(first, calls, *others)
    if status == NOT_FINITE:
        raise not_finite(of_ones_own(members_of(policy)) or policy.name)
    if status == OUT_OF_ROOM:
        raise OutOfRoom
    if status == NO_RANK:
        raise rank_not_finite(order.name)
    return status


def _laid_out(part: Any) -> Any:
    return LaidOut(part) if isinstance(part, tuple) else part


@by_layout
def _engine(arrays: EngineArrays, parts: Parts) -> Callable[..., int]:
    """The engine for such arguments."""

    def entry(arrays, calls, bound, own, plan, desk, stops, twin):
        engine = QueueEngine(
            arrays.jobs,
            arrays.capacity,
            arrays.rules,
            arrays.state,
            arrays.waiting,
            arrays.ranked,
            arrays.stairs,
            arrays.moment,
            arrays.ends,
            arrays.scores,
            arrays.log,
            arrays.columns,
            arrays.book,
            lend(calls),
        )
        return run(lend(engine), bound, own, plan, desk, stops, twin)

    desk = parts.desk
    rates = types.none if parts.desk is None and parts.plan is None else _members(RATER)
    board = types.none if desk is None else types.FunctionType(_door(typeof(desk)))
    hear = types.FunctionType(_hearer(*map(typeof, _heard(arrays, parts))))
    ranks = types.none if parts.twin is None else _members(RANKER)
    calls = types.NamedTuple((_members(SCAN), rates, types.FunctionType(RANKER), ranks, hear, board, board), Callbacks)
    lent = (Lent(typeof(each)) if isinstance(each, tuple) else typeof(each) for each in parts)
    signature = types.int64(Lent(typeof(arrays)), calls, *lent)
    return entry_of(kept_njit(signature, nogil=True, error_model="numpy")(entry))


def _members(rule: Any) -> Any:
    return types.UniTuple(types.FunctionType(rule), MEMBERS)
