"""Policies compiled by Numba: the same function that plain Python runs.

An engine is compiled once and serves every policy: it receives a policy as a *rater*, a first-class function that
rates many hosts in one call, so that the cost of calling through a pointer is paid once a batch and the score itself
is inlined.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import inspect
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import CellType, FunctionType, ModuleType
from typing import Any, NamedTuple, cast

import numpy as np
from numba import njit, types
from numba.core.caching import NullCache
from numba.core.event import Listener, install_listener

from loadmaster.jit.kernels import cached_njit, cached_under
from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError, LoadmasterError
from loadmaster.place import POLICIES
from loadmaster.place.policy import Context, Policy, failed
from loadmaster.place.policy_in_process import PolicyInProcess
from loadmaster.place.trial import try_out
from loadmaster.results.stamp import file_of
from loadmaster.rules.function_checks import names_in

_FLOATS = types.Array(types.float64, 1, "C")
_TABLE = types.Array(types.float64, 2, "C")
_INTS = types.Array(types.int32, 1, "C")
RATER = types.int64(
    _FLOATS, _TABLE, _TABLE, _INTS, types.int64, types.int64, types.int64, types.int64, _FLOATS, types.int64
)
"""rate(demand[R], free[H, R], capacity[H, R], hosts, n, last_host, task, seed, out, offset) -> number not finite.

Writes to out[offset + h] for the first n of `hosts`: the score, or infinity where the task does not fit.
"""

SCORE = types.float64(_FLOATS, _FLOATS, _FLOATS)
"""score(demand[R], free[R], capacity[R])."""
CONTEXT = types.NamedUniTuple(types.int64, len(Context._fields), Context)
CONTEXT_SCORE = types.float64(_FLOATS, _FLOATS, _FLOATS, CONTEXT)
"""The same with a context."""
READ_ONLY = types.Array(types.float64, 1, "C", readonly=True)
CHECKED: dict[str, Any] = {"error_model": "numpy", "boundscheck": True}
"""Options of a user's own function: an index beyond the resources is an error, not what lies behind the array."""


@lru_cache(maxsize=256)
def rater(policy: Policy, only_fitting: bool = True, hidden: int = 0) -> Callable[..., int]:
    """`policy` compiled as a rater; some tenths of a second where it is not kept on disk.

    Args:
        policy: built-in or of the user's own.
        only_fitting: False for a rater that rates whatever hosts it is given, whether the task fits them or not.
        hidden: the last amounts of a host, which it must have enough of and which the policy does not see.

    Raises:
        InputError: the function uses Python that cannot be compiled.
    """
    with compiling(policy.name):
        rate = (_contextual if policy.contextual else _plain)(_score(policy), only_fitting, hidden)
        name = (policy.name if only_fitting else f"{policy.name}_any") + (f"_{hidden}" if hidden else "")
        kept = kept_as(policy, name, (__name__,), RATER, error_model="numpy", nogil=True)
        return cast(Callable[..., int], kept(rate))


@lru_cache(maxsize=256)
def scorer(policy: Policy) -> Callable[..., float]:
    """The score of `policy` itself compiled, of the type `SCORE` or `CONTEXT_SCORE`: one host a call.

    Raises:
        InputError: the function uses Python that cannot be compiled.
    """
    signature = CONTEXT_SCORE if policy.contextual else SCORE
    with compiling(policy.name):
        if is_built_in(policy):
            return cast(Callable[..., float], cached_njit(signature, nogil=True, error_model="numpy")(policy.score))
        rate = (_one_host_contextual if policy.contextual else _one_host)(_score(policy))
        return njit(signature, nogil=True, error_model="numpy")(rate)


def kept_as(policy: Policy, name: str, modules: tuple[str, ...], signature: Any, **options: Any) -> Any:
    """The decorator of a loop that calls the score of `policy`: kept on disk under `name` for built-in ones.

    What a user's function does stands in no source that we know, so its loops are compiled in every process.
    """
    if is_built_in(policy) and file_of(policy.score.__module__) is not None:
        return cached_under(name, (*modules, "loadmaster.place", policy.score.__module__), signature, **options)
    return njit(signature, **options)


def is_built_in(policy: Policy) -> bool:
    """Whether `policy` is one of the listed ones, which the contract tests have tried on everything."""
    return POLICIES.get(policy.name) is policy


def never_remembered(policy: Policy) -> bool:
    """Whether scores may not be remembered: of one's own with a context not, whatever its author says of it."""
    return policy.varies or (policy.contextual and not is_built_in(policy))


def check_policy(policy: Policy, demand: Floats, capacity: Floats, resources: tuple[str, ...]) -> None:
    """The one soundness check, which every engine makes before it runs a policy.

    Built-in ones pass, and those of this process, whose state a trial could change.
    Of the others a plain `Policy` is compiled first, so that what cannot be compiled is never run; a subclass
    runs as Python alone. Then it is tried out (`place.trial.try_out`, for the arguments and the refusals).
    """
    if is_built_in(policy) or isinstance(policy, PolicyInProcess):
        return
    if type(policy) is Policy:
        with compiling(policy.name):
            _score(policy)
    try_out(policy, demand, capacity, resources)


def of_ones_own(policies: tuple[Policy, ...]) -> str:
    """The names of those policies that a user has written; empty where all are built in."""
    return ", ".join(policy.name for policy in policies if not is_built_in(policy))


@contextmanager
def refusing(*policies: Policy) -> Iterator[None]:
    """Around a call of a compiled engine: an error in a policy of one's own, such as a bad index, ends in one line.

    Where all of `policies` are built in, an error is a fault of this package, and passes as it is.
    """
    try:
        yield
    except (MemoryError, LoadmasterError):
        raise
    except Exception as error:
        own = of_ones_own(policies)
        if not own:
            raise
        raise failed(own, error) from error


@contextmanager
def compiling(name: str, kind: str = "a policy", unknown_attribute: str = "") -> Iterator[None]:
    """Around the compilation of a user's function `name`: what Numba cannot compile ends in one line.

    Where that is an attribute that its argument does not have, `unknown_attribute` says which there are.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # Numba lets many kinds through as they are
        lines = str(error).strip().splitlines()
        telling = [line for line in lines if not line.lstrip().startswith(_NOT_TELLING)]
        why = next((line for line in telling if _TELLING.search(line)), lines[0] if lines else type(error).__name__)
        if "setitem(readonly" in str(error) or "readonly array" in why:
            raise InputError(name, f"{kind} must not change its arguments", fix="work on a copy") from error
        fix = f"use numbers, loops and math only, and change no argument; see the guide on adding {kind}"
        if unknown_attribute and why.strip().startswith("Unknown attribute"):
            why, fix = why.partition(" of type")[0], unknown_attribute
        raise InputError(name, f"this {kind.split()[-1]} cannot be compiled: {why.strip()[:160]}", fix=fix) from error


@lru_cache(maxsize=256)
def _score(policy: Policy) -> Any:
    """The score compiled: a user's own so that it can neither read out of bounds nor write, which built-in ones do not.

    Its own helpers are compiled with it, in the same way.
    """
    if is_built_in(policy):
        return njit(error_model="numpy")(policy.score)
    return _checked(policy)


@lru_cache(maxsize=256)
def score_for_scans(policy: Policy) -> Any:
    """As `_score`, but compiled so that it dissolves in the loop that calls it."""
    if is_built_in(policy):
        return njit(error_model="numpy", inline="always")(policy.score)
    return _checked(policy, forceinline=True)


def _checked(policy: Policy, **options: Any) -> Any:
    rows = (READ_ONLY, READ_ONLY, READ_ONLY, *((CONTEXT,) if policy.contextual else ()))
    score: Any = policy.score
    return njit(types.float64(*rows), **CHECKED, **options)(with_helpers(getattr(score, "py_func", score), {}))


def with_helpers(function: FunctionType, done: dict[Any, Any]) -> FunctionType:
    """A copy of `function` in which the functions of the user's that it calls are compiled as it is.

    Raises:
        InputError: it uses `.flat`, whose indices and writes Numba does not check.
    """
    used = names_in(function)
    if "flat" in used - set(function.__globals__):
        raise InputError(function.__name__, "indices of .flat are not checked", fix="use the array's own index")

    def compiled(value: Any) -> Any:
        if isinstance(value, ModuleType) and not _is_known(value.__name__):
            if value not in done:
                done[value] = ModuleType(value.__name__)  # what is in it is not reached but through this
                inside = {name: getattr(value, name) for name in used if hasattr(value, name)}
                vars(done[value]).update({name: compiled(each) for name, each in inside.items()})
            return done[value]
        plain = getattr(value, "py_func", value)
        if not inspect.isfunction(plain) or _is_known(plain.__module__):
            return value
        if plain not in done:
            with_helpers(plain, done)
        return done[plain]

    known, held = function.__globals__, function.__closure__ or ()
    names: dict[str, Any] = {"__builtins__": known["__builtins__"], "__name__": function.__module__}
    cells = tuple(CellType() for _ in held)
    copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
    done[function] = njit(**CHECKED)(copy)  # before its helpers: one of them may call it
    names.update({name: compiled(known[name]) for name in used if name in known})
    for cell, original in zip(cells, held, strict=True):
        cell.cell_contents = compiled(original.cell_contents)
    return copy


def _is_known(module: str) -> bool:
    """Whether Numba has versions of its own of what is in this module."""
    return module.partition(".")[0] in ("numpy", "numba", "math")


_NOT_TELLING = ("Failed in nopython mode pipeline", "Rejected as", "-", ">>>", "*", "There are")
_TELLING = re.compile(r"error|not|unknown|cannot|unsupported|must", re.IGNORECASE)
"""Which lines of Numba's long messages say what is wrong."""


class Compiled(NamedTuple):
    """One compilation, with all that was compiled within it.

    Attributes:
        seconds: that it took.
        kept: the machine code is kept on disk, so this happens the first time only; a policy's rater is not.
    """

    seconds: float
    kept: bool


@contextmanager
def timing_compilation(begins: Callable[[], None] = lambda: None) -> Iterator[list[Compiled]]:
    """Around calls that may compile something: holds afterwards what was compiled; nothing where all was found on disk.

    Args:
        begins: called whenever the compilation of something begins that is then kept.
    """
    listener = _Listener(begins)
    with install_listener("numba:compile", listener):
        yield listener.found


class _Listener(Listener):
    """Times the outermost of nested compilations."""

    def __init__(self, begins: Callable[[], None]) -> None:
        self.found: list[Compiled] = []
        self._begins = begins
        self._depth = 0
        self._began = 0.0
        self._kept = False

    def on_start(self, event) -> None:
        kept = not isinstance(event.data["dispatcher"]._cache, NullCache)
        if kept and not self._kept:
            self._begins()
        if self._depth == 0:
            self._began = time.monotonic()
        self._kept |= kept
        self._depth += 1

    def on_end(self, event) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.found.append(Compiled(time.monotonic() - self._began, self._kept))
            self._kept = False


def _plain(score, only_fitting, hidden):
    def rate(demand, free, capacity, hosts, n, last_host, task, seed, out, offset):
        resources = demand.shape[0] - hidden
        asked = demand[:resources] if hidden else demand
        left = np.empty(resources)
        whole = np.empty(resources)
        wrong = 0
        for i in range(n):
            host = hosts[i]
            fits = True
            for r in range(resources):
                left[r] = free[host, r]
                whole[r] = capacity[host, r]
                fits &= left[r] >= demand[r]
            for r in range(resources, resources + hidden):
                fits &= free[host, r] >= demand[r]
            value = np.inf
            if fits or not only_fitting:
                value = float(score(asked, left, whole))
                wrong += not np.isfinite(value)
            out[offset + host] = value
        return wrong

    return rate


def _contextual(score, only_fitting, hidden):
    def rate(demand, free, capacity, hosts, n, last_host, task, seed, out, offset):
        resources = demand.shape[0] - hidden
        asked = demand[:resources] if hidden else demand
        left = np.empty(resources)
        whole = np.empty(resources)
        wrong = 0
        for i in range(n):
            host = hosts[i]
            fits = True
            for r in range(resources):
                left[r] = free[host, r]
                whole[r] = capacity[host, r]
                fits &= left[r] >= demand[r]
            for r in range(resources, resources + hidden):
                fits &= free[host, r] >= demand[r]
            value = np.inf
            if fits or not only_fitting:
                context = Context(host + 0, free.shape[0], last_host, task, seed)  # an int64, as the others are
                value = float(score(asked, left, whole, context))
                wrong += not np.isfinite(value)
            out[offset + host] = value
        return wrong

    return rate


def _one_host(score):
    def rate(demand, free, capacity):
        return score(demand, free, capacity)

    return rate


def _one_host_contextual(score):
    def rate(demand, free, capacity, context):
        return score(demand, free, capacity, context)

    return rate
