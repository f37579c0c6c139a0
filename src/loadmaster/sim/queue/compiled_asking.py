"""Compiles what happens between two passes of a run in which a scheduler is asked to decide."""
# mypy: disable-error-code="no-untyped-call"

from collections.abc import Callable
from functools import cache
from typing import Any

from numba import typeof, types

from loadmaster.kernels import kept_njit
from loadmaster.lent import lend
from loadmaster.sim.queue.asked_kernel import step
from loadmaster.sim.queue.laid_out import EngineArrays


def stepper(table: EngineArrays, bound: Any) -> Callable[[], float]:
    """The compiled step over these arrays."""
    given = (
        table.jobs, table.rules, table.state, table.waiting, table.ranked, table.stairs, table.ends, table.scores,
        table.log, bound,
    )  # fmt: skip
    engine = _engine(tuple(typeof(each) for each in given))
    return lambda: engine(*given)


@cache
def _engine(layout: tuple[Any, ...]) -> Callable[..., float]:
    def entry(jobs, rules, state, waiting, ranked, stairs, ends, scores, log, bound):  # type: ignore[no-untyped-def]
        return step(
            lend(jobs), lend(rules), lend(state), lend(waiting), lend(ranked), lend(stairs), lend(ends), lend(scores),
            lend(log), lend(bound),
        )  # fmt: skip

    engine: Callable[..., float] = kept_njit(types.float64(*layout), nogil=True, error_model="numpy")(entry)
    return engine
