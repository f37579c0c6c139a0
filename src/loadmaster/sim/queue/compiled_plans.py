"""Compiles the engines of conservative backfilling, which plan anew: once for all policies."""
# mypy: disable-error-code="no-untyped-def"

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from numba import typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.compiled import RATER
from loadmaster.compiled_scan import SCAN
from loadmaster.kernels import kept_njit
from loadmaster.lent import lend
from loadmaster.sim.queue.plan_engine_kernel import run as run_planned


def plan_engine(arguments: tuple[Any, ...]) -> Callable[..., int]:
    """`plan_engine_kernel.run` for arguments of these types, and a policy's scan and rater behind them."""
    return _kept(_plan_entry, tuple(map(typeof, arguments)))


def _plan_entry(jobs, capacity, rules, state, scores, plan, log, scan, rate):
    return run_planned(
        lend(jobs), capacity, lend(rules), lend(state), lend(scores), lend(plan), lend(log), scan, rate
    )  # fmt: skip


@cache
def _kept(entry: Callable[..., int], layout: tuple[Any, ...]) -> Callable[..., int]:
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # they are first-class functions
    signature = types.int64(*layout, types.FunctionType(SCAN), types.FunctionType(RATER))
    engine: Callable[..., int] = kept_njit(signature, nogil=True, error_model="numpy")(entry)
    return engine
