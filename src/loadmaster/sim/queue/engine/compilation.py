"""Compiles the engine, and what it calls through pointers: once for all rules, kept on disk."""
# mypy: disable-error-code="no-untyped-call,no-untyped-def"

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.compiled_rules.called_in_process import (
    raising_errors_of_rules,
    ranker_in_process,
    scanner_in_process,
)
from loadmaster.compiled_rules.orders import RANKER, no_ranker, ranker, refusing_order
from loadmaster.compiled_rules.policies import RATER, of_ones_own, rater, refusing
from loadmaster.compiled_rules.scans import SCAN, scanner
from loadmaster.jit.by_reference import ByReference, LaidOut
from loadmaster.jit.kernels import LEAN, cached_njit
from loadmaster.jit.layouts import by_layout, entry_of
from loadmaster.model.errors import OutOfRoom
from loadmaster.order import AnyOrder, Order
from loadmaster.order.order import rank_not_finite
from loadmaster.order.order_in_process import OrderInProcess
from loadmaster.place import Policy
from loadmaster.place.policy import not_finite
from loadmaster.place.policy_in_process import PolicyInProcess
from loadmaster.scheduling import AnyPolicy, members_of
from loadmaster.sim.queue.capabilities import MEMBERS
from loadmaster.sim.queue.engine.constraint_state import ConstraintState
from loadmaster.sim.queue.engine.general_state import GeneralPass
from loadmaster.sim.queue.engine.loop_kernel import run
from loadmaster.sim.queue.engine.preemption_state import PreemptionState
from loadmaster.sim.queue.engine.priority_events_kernel import ignore_events, update_priorities_of_rows
from loadmaster.sim.queue.engine.priority_ticks_kernel import update_priorities
from loadmaster.sim.queue.engine.profile.state import Reservations
from loadmaster.sim.queue.engine.queue_engine import Callbacks, QueueEngine
from loadmaster.sim.queue.engine.state import NO_RANK, NOT_FINITE, OUT_OF_ROOM
from loadmaster.sim.queue.engine.twin_arrays import TwinArrays

warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # rules are first-class functions


class Parts(NamedTuple):
    """The parts that a run may lack, as `loop_kernel.run` takes them."""

    bound: ConstraintState | None = None
    shadow: bool | None = None
    plan: Reservations | None = None
    general: GeneralPass | None = None
    preemption: PreemptionState | None = None
    twin: TwinArrays | None = None


def callbacks(
    engine: QueueEngine, parts: Parts, policy: AnyPolicy, order: AnyOrder, orders: Sequence[Order] = ()
) -> Callbacks:
    """The rules of a run as the engine calls them; the functions of general passes are added later.

    `orders` are those of a twin's members.

    Raises:
        InputError: one of them cannot be compiled.
    """
    members, resources = members_of(policy), engine.capacity.shape[1]
    hidden = 0  # what cards add to the amounts of a host
    if engine.state.cards is not None:
        resources, hidden = engine.state.cards.resources, resources - engine.state.cards.resources
    if parts.general is None:
        on_events: Callable[..., None] = _update_priorities if engine.rules.tracks_events else _idle
    else:
        on_events = update_priorities_of_rows if parts.general.tracks_events else ignore_events
    return Callbacks(
        scans=_all_members(tuple(_scanner(member, resources, hidden) for member in members)),
        rates=None
        if parts.general is None and parts.plan is None
        else _all_members(tuple(rater(member, hidden=hidden) for member in members)),
        rank=_ranker(order) if engine.rules.moving and isinstance(order, Order) else no_ranker(),
        ranks=_all_members(tuple(map(ranker, orders))) or None,
        update_priorities=None
        if engine.ranked is None
        else _order_function(_order_arguments(engine, parts), function=on_events),
        serve=None,
        alone=None,
    )


def _scanner(policy: Policy, resources: int, hidden: int) -> Callable[..., int]:
    if isinstance(policy, PolicyInProcess):
        return scanner_in_process(policy, resources)
    return scanner(policy, resources, hidden)


def _ranker(order: Order) -> Callable[..., int]:
    return ranker_in_process(order) if isinstance(order, OrderInProcess) else ranker(order)


def _order_arguments(engine: QueueEngine, parts: Parts) -> tuple[Any, ...]:
    """The arguments of the function that passes events to an order."""
    if parts.general is None:
        return engine.book, engine.waiting, engine.ranked, engine.jobs
    return engine.book, parts.general, engine.ranked


def _all_members(rules: tuple[Any, ...]) -> tuple[Any, ...]:
    """A tuple of `MEMBERS` rules; the first rule fills the places that are left over."""
    return rules + rules[:1] * (MEMBERS - len(rules))


def _update_priorities(book, waiting, ranked, jobs, now):
    update_priorities(book, waiting, ranked, jobs, now)


def _idle(book, waiting, ranked, jobs, now):
    pass


@by_layout
def _order_function(order_events: tuple[Any, ...], *, function: Callable[..., None]) -> Callable[..., None]:
    """`function`, compiled for such arguments."""
    return _compiled(function, _order_signature(*map(typeof, order_events)))


@by_layout
def pass_of(general: GeneralPass, *, function: Callable[..., None]) -> Callable[..., None]:
    """An entry point of `backfilling_passes_kernel`, compiled for such a general pass."""
    return _compiled(function, _pass_signature(typeof(general)))


def _pass_signature(general: Any) -> Any:
    policy = types.FunctionType(SCAN), types.FunctionType(RATER)
    return types.void(ByReference(general), types.float64, types.int64, *policy)


def _order_signature(*order_events: Any) -> Any:
    return types.void(*map(ByReference, order_events), types.float64)


@cache
def _compiled(function: Callable[..., None], signature: Any) -> Callable[..., None]:
    made: Callable[..., None] = cached_njit(signature, **LEAN, no_cpython_wrapper=True)(function)
    return made


class EngineRun:
    """A run of the engine: laid out once, then continued until it is done.

    Args:
        engine: with its `calls`.
        parts: the other parts of the run.
    """

    def __init__(self, engine: QueueEngine, parts: Parts) -> None:
        self._entry = _entry(engine, parts)
        self._laid_out = [LaidOut(each) if isinstance(each, tuple) else each for each in (engine, *parts)]
        self._arguments = [each.address if isinstance(each, LaidOut) else each for each in self._laid_out]

    def go_on(self, policy: AnyPolicy, order: AnyOrder) -> int:
        """Run until all is done or the shell has to act; returns which, as a constant of `state`.

        Raises:
            InputError: a rule fails, or rates or ranks with something that is not a finite number.
        """
        with raising_errors_of_rules(), refusing_order(order), refusing(*members_of(policy)):
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

    def entry(engine, bound, shadow, plan, general, preemption, twin):
        return run(engine, bound, shadow, plan, general, preemption, twin)

    kind = types.NamedTuple((*map(typeof, engine[:-1]), type_of_calls(engine, parts)), QueueEngine)
    lent = (ByReference(typeof(each)) if isinstance(each, tuple) else typeof(each) for each in parts)
    signature = types.int64(ByReference(kind), *lent)
    return entry_of(cached_njit(signature, nogil=True, error_model="numpy")(entry))


def type_of_calls(engine: QueueEngine, parts: Parts) -> Any:
    """The type of the calls; Numba's own inference would give each rule a type of its own."""
    general = parts.general
    rates = types.none if general is None and parts.plan is None else _members(RATER)
    this_pass = types.none if general is None else types.FunctionType(_pass_signature(typeof(general)))
    on_events: types.Type = types.none
    if engine.ranked is not None:
        on_events = types.FunctionType(_order_signature(*map(typeof, _order_arguments(engine, parts))))
    ranks = types.none if parts.twin is None else _members(RANKER)
    functions = _members(SCAN), rates, types.FunctionType(RANKER), ranks, on_events, this_pass, this_pass
    return types.NamedTuple(functions, Callbacks)


def _members(rule: Any) -> Any:
    return types.UniTuple(types.FunctionType(rule), MEMBERS)
