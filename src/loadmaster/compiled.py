"""The only door to Numba for policies: the very function that plain Python runs, compiled.

An engine is compiled once and serves every policy: it receives a policy as a *rater*, a first-class function that
rates many hosts in one call, so that the cost of calling through a pointer is paid once a batch and the score itself
is inlined.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np
from numba import njit, types
from numba.core.errors import NumbaError
from numba.core.event import install_timer

from loadmaster.model.errors import InputError
from loadmaster.place.policy import Context, Policy

LEAN: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Options of kernels that allocate nothing: without Numba's counting of references, which atomic instructions make
the dearest part of a call with many arrays."""
lean: Any = njit(**LEAN)
"""The decorator of such a kernel."""
_INNER: dict[str, Any] = {**LEAN, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner: Any = njit(**_INNER)
"""The same for parts that only kernels call: without a door for Python, which is dear to compile."""
inlined: Any = njit(**_INNER, forceinline=True)
"""The same for parts that have one caller: every array handed to a call costs seven words to push and to fetch."""

_FLOATS = types.Array(types.float64, 1, "C")
_TABLE = types.Array(types.float64, 2, "C")
_INTS = types.Array(types.int32, 1, "C")
RATER = types.int64(
    _FLOATS, _TABLE, _TABLE, _INTS, types.int64, types.int64, types.int64, types.int64, _FLOATS, types.int64
)
"""rate(demand[R], free[H, R], capacity[H, R], hosts, n, last_host, task, seed, out, offset) -> number not finite.

Writes to out[offset + h] for the first n of `hosts`: the score, or infinity where the task does not fit.
"""


@lru_cache(maxsize=256)
def rater(policy: Policy) -> Callable[..., int]:
    """`policy` compiled as a rater; the first call for a policy takes some tenths of a second.

    Raises:
        InputError: the function uses Python that cannot be compiled.
    """
    try:
        score = njit(error_model="numpy")(policy.score)
        return njit(RATER, error_model="numpy", nogil=True)(_contextual(score) if policy.contextual else _plain(score))
    except (NumbaError, ValueError, TypeError, NotImplementedError) as error:  # Numba lets some through as they are
        lines = str(error).strip().splitlines()
        telling = [line for line in lines if not line.lstrip().startswith(_NOT_TELLING)]
        said = next((line for line in telling if _TELLING.search(line)), lines[0])
        raise InputError(
            policy.name, f"this policy cannot be compiled: {said.strip()}",
            fix="use numbers, loops and math only; see the guide on writing a policy",
        ) from error  # fmt: skip


_NOT_TELLING = ("Failed in nopython mode pipeline", "-", ">>>", "*", "There are")
_TELLING = re.compile(r"error|not|unknown|cannot|unsupported|must", re.IGNORECASE)
"""Which lines of Numba's long messages say what is wrong."""


@contextmanager
def timing_compilation() -> Iterator[list[float]]:
    """Around calls that may compile something: holds afterwards the seconds that it took, nothing if all was kept."""
    seconds: list[float] = []
    with install_timer("numba:compile", seconds.append):
        yield seconds


def fingerprint(*modules: ModuleType) -> int:
    """A number that changes with the source of any of `modules`.

    Numba's cache on disk looks at one file alone. An engine's entry closes over this number, which makes it part of
    the cache's key, so that a change in any kernel it calls is seen.
    """
    return zlib.crc32(b"".join(Path(str(module.__file__)).read_bytes() for module in modules))


def kept(entry: Callable[..., Any], signature: Any, **options: Any) -> Callable[..., Any]:
    """`entry` compiled for one signature and kept on disk; what another version of the program left there goes.

    It may close over numbers only, such as a `fingerprint`: with a kernel in its closure, and not at the top of its
    module, Numba would never find again what it has kept.
    """
    held = [cell.cell_contents for cell in entry.__closure__ or ()]
    assert all(isinstance(value, int) for value in held), f"{entry.__qualname__} closes over {held}"
    dispatcher = njit(cache=True, **options)(entry)
    try:
        dispatcher.compile(signature)
    except (AttributeError, ImportError):  # the index names classes that are no longer where they were
        dispatcher._cache.flush()
        dispatcher.compile(signature)
    dispatcher.disable_compile()
    return cast(Callable[..., Any], dispatcher)


def _plain(score):
    def rate(demand, free, capacity, hosts, n, last_host, task, seed, out, offset):
        resources = demand.shape[0]
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
            value = np.inf
            if fits:
                value = float(score(demand, left, whole))
                wrong += not np.isfinite(value)
            out[offset + host] = value
        return wrong

    return rate


def _contextual(score):
    def rate(demand, free, capacity, hosts, n, last_host, task, seed, out, offset):
        resources = demand.shape[0]
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
            value = np.inf
            if fits:
                context = Context(host, free.shape[0], last_host, task, seed)
                value = float(score(demand, left, whole, context))
                wrong += not np.isfinite(value)
            out[offset + host] = value
        return wrong

    return rate
