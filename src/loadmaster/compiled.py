"""The door to Numba for policies: the very function that plain Python runs, compiled.

An engine is compiled once and serves every policy: it receives a policy as a *rater*, a first-class function that
rates many hosts in one call, so that the cost of calling through a pointer is paid once a batch and the score itself
is inlined.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
from numba import njit, types
from numba.core.errors import NumbaError
from numba.core.event import install_timer

from loadmaster.model.errors import InputError
from loadmaster.place.policy import Context, Policy

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
