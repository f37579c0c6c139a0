"""Orders compiled: the same function that plain Python runs, as a *ranker* that ranks many jobs in one call."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any, cast

import numpy as np
from numba import njit, types

from loadmaster.compiled_rules.policies import CHECKED, compiling, with_helpers
from loadmaster.jit.kernels import LEAN, cached_njit, cached_under
from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError, LoadmasterError
from loadmaster.order import ORDERS, AnyOrder, Backlog, Job, JobColumns, Order
from loadmaster.order.job import MOST_CORE_S
from loadmaster.order.order import rank_not_finite
from loadmaster.order.order_in_process import OrderInProcess
from loadmaster.order.trial import try_out
from loadmaster.rules.function_checks import RANK as RANK_SHAPE
from loadmaster.rules.function_checks import check_function

_WHOLE = {"tasks", "user", "account", "partition", "qos"}
_FLOATS, _INTS = types.Array(types.float64, 1, "C"), types.Array(types.int32, 1, "C")
COLUMNS = types.NamedTuple([_INTS if name in _WHOLE else _FLOATS for name in Job._fields], JobColumns)
"""`JobColumns` as compiled code takes it."""
RANKER = types.int64(COLUMNS, _INTS, types.int64, types.float64, _FLOATS)
"""rank(columns, jobs, n, now, out) -> number of ranks that are not finite.

Writes to out[k], for k below n, the rank of job jobs[k]; where `jobs` has no entry, of job k itself: twice as fast and
more, since nothing is gathered.
"""
_JOB = types.NamedTuple([types.int64 if name in _WHOLE else types.float64 for name in Job._fields], Job)
_BUILT_IN = [rank for order in ORDERS.values() for rank in (order.rank, *dict(order.forms).values())]
RANK = types.float64(_JOB, types.float64)
"""rank(job, now)."""
_BACKLOG = types.NamedTuple([types.int64, types.float64, types.float64], Backlog)
RANK_BESIDE = types.float64(_JOB, types.float64, _BACKLOG)
"""rank(job, now, backlog)."""


@lru_cache(maxsize=256)
def ranker(order: Order) -> Callable[..., int]:
    """`order` compiled as a ranker; about a second where it is not kept on disk, as those of users never are.

    Raises:
        InputError: the function uses Python that cannot be compiled.
    """
    with compiling(order.name, "an order"):
        all_of = _rank_all_beside if order.asks_backlog else _rank_all
        module = order.rank.__module__
        kept = cached_under(order.rank.__name__, (__name__, module), RANKER, **LEAN) if is_built_in(order) else None
        return cast(Callable[..., int], (kept or njit(RANKER, **LEAN))(all_of(_rank(order))))


@cache
def no_ranker() -> Callable[..., int]:
    """What an engine is given that will request no rank: kept on disk, so that nothing is compiled for it."""
    return cast(Callable[..., int], cached_njit(RANKER, **LEAN)(_rank_none))


def ranks_of(order: Order, columns: JobColumns, now_s: float) -> Floats:
    """float64[J]: how `order` ranks each job of `columns` at a moment.

    Raises:
        InputError: one of the ranks is not a finite number, or the function fails.
    """
    many = len(columns.submit_s)
    ranks, writable = np.zeros(many), JobColumns._make(np.array(column) for column in columns)
    with refusing_order(order):
        wrong = ranker(order)(writable, np.zeros(0, np.int32), many, float(now_s), ranks)
    if wrong:
        raise rank_not_finite(order.name)
    return ranks


def is_compiled(order: AnyOrder) -> bool:
    """Whether `ranker` takes this order; a subclass is a rule of its own, which plain Python runs."""
    return type(order) is Order


def is_built_in(order: AnyOrder) -> bool:
    """Whether its function is one of the listed ones, which the contract tests have tried on everything."""
    return isinstance(order, Order) and any(order.rank is rank for rank in _BUILT_IN)


def check_order(order: AnyOrder, jobs: JobColumns) -> None:
    """The one soundness check, which every engine makes before it runs an order.

    Built-in ones pass, and so do those with a memory and those of this process, whose state a trial could change.
    A function of the user's is looked at, then compiled, so that what cannot be compiled is never run; a
    subclass runs as Python alone. Then it is tried out (`order.trial.try_out`).

    Raises:
        InputError: it is not sound.
    """
    if is_built_in(order) or not isinstance(order, Order) or isinstance(order, OrderInProcess):
        return
    plain = getattr(order.rank, "py_func", order.rank)
    if inspect.isfunction(plain):
        check_function(plain, order.name, RANK_SHAPE)
    if is_compiled(order):
        with compiling(order.name, "an order", f"a job has {', '.join(Job._fields)}"):
            _rank(order)
    try_out(order, jobs)


@contextmanager
def refusing_order(order: AnyOrder) -> Iterator[None]:
    """Around a call of a compiled engine: an error in an order of the user's own ends in one line.

    Where `order` is built in, an error is a fault of this package, and passes as it is.
    """
    try:
        yield
    except (MemoryError, LoadmasterError):
        raise
    except Exception as error:
        if is_built_in(order) or not is_compiled(order):
            raise
        raise InputError(order.name, f"this order fails: {type(error).__name__}: {str(error)[:120]}") from error


@lru_cache(maxsize=256)
def _rank(order: Order) -> Any:
    """The rank of one job, compiled for the ranker that calls it.

    A user's own is compiled at once, with the functions of its file that it calls and with indices checked.
    """
    if is_built_in(order):
        return njit(error_model="numpy")(order.rank)
    rank: Any = order.rank
    shape = RANK_BESIDE if order.asks_backlog else RANK
    return njit(shape, **CHECKED)(with_helpers(getattr(rank, "py_func", rank), {}))


def _rank_none(columns, jobs, n, now, out):
    return 0


@njit(error_model="numpy")
def _job(columns, i):
    return Job(
        columns.submit_s[i],
        columns.eligible_s[i],
        columns.expected_s[i],
        columns.tasks[i] + 0,
        columns.cores[i],
        columns.memory[i],
        columns.user[i] + 0,
        columns.account[i] + 0,
        columns.partition[i] + 0,
        columns.qos[i] + 0,
        columns.priority[i],
        columns.nice[i],
    )


@njit(error_model="numpy")
def _not_finite(out, n):
    wrong = 0
    for k in range(n):
        wrong += not abs(out[k]) < float("inf")
    return wrong


def _rank_all(rank):
    def one(columns, i, now):
        return rank(_job(columns, i), now)

    inlined = njit(error_model="numpy")(one)

    def rank_all(columns, jobs, n, now, out):
        if jobs.shape[0] == 0:
            for k in range(n):
                out[k] = inlined(columns, k, now)
        else:
            for k in range(n):
                out[k] = inlined(columns, jobs[k], now)
        return _not_finite(out, n)

    return rank_all


def _rank_all_beside(rank):
    def one(columns, i, now, backlog):
        return rank(_job(columns, i), now, backlog)

    inlined = njit(error_model="numpy")(one)

    def rank_all(columns, jobs, n, now, out):
        backlog = _backlog(columns, jobs, n, now)
        for k in range(n):
            out[k] = inlined(columns, k if jobs.shape[0] == 0 else jobs[k], now, backlog)
        return _not_finite(out, n)

    return rank_all


@njit(error_model="numpy")
def _backlog(columns, jobs, n, now):
    """What waits, as `JobColumns.backlog` has it."""
    core_s, first_s = np.int64(0), now
    for k in range(n):
        i = k if jobs.shape[0] == 0 else jobs[k]
        core_s += np.int64(min(columns.expected_s[i] * columns.cores[i], MOST_CORE_S))
        first_s = min(first_s, columns.submit_s[i])
    return Backlog(n, float(core_s), now - first_s)
