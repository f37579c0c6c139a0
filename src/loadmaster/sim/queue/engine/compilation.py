"""Compiles the engine, and what it calls through pointers: once for all rules, kept on disk."""
# mypy: disable-error-code="no-untyped-call,no-untyped-def"

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.compiled_rules.orders import RANKER, no_ranker, ranker, refusing_order
from loadmaster.compiled_rules.policies import RATER, of_ones_own, rater, refusing
from loadmaster.compiled_rules.scans import SCAN, scanner
from loadmaster.jit.by_reference import LaidOut, Lent
from loadmaster.jit.kernels import LEAN, kept_njit
from loadmaster.jit.layouts import by_layout, entry_of
from loadmaster.model.errors import OutOfRoom
from loadmaster.order import AnyOrder, Order
from loadmaster.order.order import rank_not_finite
from loadmaster.place.policy import not_finite
from loadmaster.scheduling import AnyPolicy, members_of
from loadmaster.sim.queue.capabilities import MEMBERS
from loadmaster.sim.queue.engine.constraint_state import BoundState
from loadmaster.sim.queue.engine.general_state import Desk
from loadmaster.sim.queue.engine.loop_kernel import run
from loadmaster.sim.queue.engine.preemption_state import Preempts
from loadmaster.sim.queue.engine.priority_events_kernel import hear_nothing, reckon_rows
from loadmaster.sim.queue.engine.priority_ticks_kernel import reckon
from loadmaster.sim.queue.engine.profile.state import Reservations
from loadmaster.sim.queue.engine.queue_engine import Callbacks, QueueEngine
from loadmaster.sim.queue.engine.state import NO_RANK, NOT_FINITE, OUT_OF_ROOM
from loadmaster.sim.queue.engine.twin_arrays import TwinArrays

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
    engine: QueueEngine, parts: Parts, policy: AnyPolicy, order: AnyOrder, orders: Sequence[Order] = ()
) -> Callbacks:  # fmt: skip
    """The rules of a run as the engine calls them; passes over the board are still to be added.

    `orders` are those of a twin's members.

    Raises:
        InputError: one of them cannot be compiled.
    """
    members, resources = members_of(policy), engine.capacity.shape[1]
    if parts.desk is None:
        hear: Callable[..., None] = _reckon if engine.rules.told else _idle
    else:
        hear = reckon_rows if parts.desk.told else hear_nothing
    return Callbacks(
        scans=_all_members(tuple(scanner(member, resources) for member in members)),
        rates=None if parts.desk is None and parts.plan is None else _all_members(tuple(map(rater, members))),
        rank=ranker(order) if engine.rules.moving and isinstance(order, Order) else no_ranker(),
        ranks=_all_members(tuple(map(ranker, orders))) or None,
        reckon=_hearing(_heard(engine, parts), function=hear),
        serve=None,
        alone=None,
    )


def _heard(engine: QueueEngine, parts: Parts) -> tuple[Any, ...]:
    """What an order is handed to learn what has happened."""
    if parts.desk is None:
        return engine.book, engine.waiting, engine.ranked, engine.jobs
    return engine.book, parts.desk, engine.ranked


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


class EngineRun:
    """A run of the engine: laid out once, and gone on with until it is done.

    Args:
        engine: with its `calls`.
        parts: what else the run has.
    """

    def __init__(self, engine: QueueEngine, parts: Parts) -> None:
        self._entry = _entry(engine, parts)
        self._laid_out = [LaidOut(each) if isinstance(each, tuple) else each for each in (engine, *parts)]
        self._arguments = [each.address if isinstance(each, LaidOut) else each for each in self._laid_out]

    def go_on(self, policy: AnyPolicy, order: AnyOrder) -> int:
        """Run until all is done or something is asked of the shell; what, as a number of `queue_state`.

        Raises:
            InputError: a rule fails, or rates or ranks with something that is not a finite number.
        """
        with refusing_order(order), refusing(*members_of(policy)):
            status = self._entry(*self._arguments)
        if status == NOT_FINITE:
            raise not_finite(of_ones_own(members_of(policy)) or policy.name)
        if status == OUT_OF_ROOM:
            raise OutOfRoom
        if status == NO_RANK:
            raise rank_not_finite(order.name)
        return int(status)


@by_layout
def _entry(engine: QueueEngine, parts: Parts) -> Callable[..., int]:
    """The engine for such arguments."""

    def entry(engine, bound, own, plan, desk, stops, twin):
        return run(engine, bound, own, plan, desk, stops, twin)

    kind = types.NamedTuple((*map(typeof, engine[:-1]), _type_of_calls(engine, parts)), QueueEngine)
    lent = (Lent(typeof(each)) if isinstance(each, tuple) else typeof(each) for each in parts)
    signature = types.int64(Lent(kind), *lent)
    return entry_of(kept_njit(signature, nogil=True, error_model="numpy")(entry))


def _type_of_calls(engine: QueueEngine, parts: Parts) -> Any:
    """Numba's own would tell one rule from another."""
    desk = parts.desk
    rates = types.none if desk is None and parts.plan is None else _members(RATER)
    board = types.none if desk is None else types.FunctionType(_door(typeof(desk)))
    hear = types.FunctionType(_hearer(*map(typeof, _heard(engine, parts))))
    ranks = types.none if parts.twin is None else _members(RANKER)
    functions = _members(SCAN), rates, types.FunctionType(RANKER), ranks, hear, board, board
    return types.NamedTuple(functions, Callbacks)


def _members(rule: Any) -> Any:
    return types.UniTuple(types.FunctionType(rule), MEMBERS)
