"""Compiles the engine over the compiled board, and what it calls through pointers: once for all rules, kept on disk."""
# mypy: disable-error-code="no-untyped-call,no-untyped-def"

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.compiled import RATER
from loadmaster.compiled_order import COLUMNS, RANKER
from loadmaster.compiled_scan import SCAN
from loadmaster.kernels import LEAN, kept_njit
from loadmaster.lent import Lent, lend
from loadmaster.sim.queue.desk_kernel import run_at_desk
from loadmaster.sim.queue.desk_state import Desk
from loadmaster.sim.queue.heard_kernel import hear_nothing, reckon_rows
from loadmaster.sim.queue.preempt_state import Preempts
from loadmaster.sim.queue.served import MEMBERS


def desk_engine(state: tuple[Any, ...], desk: Desk, book: Any, stops: Preempts | None) -> Callable[..., int]:
    """`desk_kernel.run_at_desk` for arguments of these types; `state` is all before the desk."""
    return _engine(tuple(map(typeof, state)), typeof(desk), typeof(book), typeof(stops))


def door_for(function: Callable[..., None], desk: Desk) -> Callable[..., None]:
    """A door of `desk_pass_kernel`, compiled for such a desk."""
    return _kept(function, _door_type(typeof(desk)))


def hearer_for(desk: Desk, ranked: Any, book: Any) -> Callable[..., None]:
    """How the order of the run hears what has happened, and ranks; what does nothing if it is told nothing."""
    kind = _hearer_type(typeof(book), typeof(desk), typeof(ranked))
    return _kept(reckon_rows if desk.told else hear_nothing, kind)


def _door_type(desk: Any) -> Any:
    policy = types.FunctionType(SCAN), types.FunctionType(RATER)
    return types.void(Lent(desk), types.float64, types.int64, *policy)


def _hearer_type(book: Any, desk: Any, ranked: Any) -> Any:
    return types.void(Lent(book), Lent(desk), Lent(ranked), types.float64)


@cache
def _kept(function: Callable[..., None], kind: Any) -> Callable[..., None]:
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # policies are first-class functions
    made: Callable[..., None] = kept_njit(kind, **LEAN, no_cpython_wrapper=True)(function)
    return made


@cache
def _engine(state: tuple[Any, ...], desk: Any, book: Any, stops: Any) -> Callable[..., int]:
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)

    def entry(
        jobs, capacity, rules, state, waiting, ranked, stairs, ends, scores, log, bound, desk, columns, rank, book,
        reckon, scans, rates, serve, stops, alone,
    ):  # fmt: skip
        return run_at_desk(
            lend(jobs), capacity, lend(rules), lend(state), lend(waiting), lend(ranked), lend(stairs), lend(ends),
            lend(scores), lend(log), lend(bound), lend(desk), columns, rank, lend(book), reckon, scans, rates, serve,
            None if stops is None else lend(stops), alone,
        )  # fmt: skip

    ranked = state[5]
    hooks = types.FunctionType(_hearer_type(book, desk, ranked)), types.FunctionType(_door_type(desk))
    scans, rates = types.UniTuple(types.FunctionType(SCAN), MEMBERS), types.UniTuple(types.FunctionType(RATER), MEMBERS)
    signature = types.int64(
        *state, desk, COLUMNS, types.FunctionType(RANKER), book, hooks[0], scans, rates, hooks[1], stops, hooks[1]
    )  # fmt: skip
    engine: Callable[..., int] = kept_njit(signature, nogil=True, error_model="numpy")(entry)
    return engine
