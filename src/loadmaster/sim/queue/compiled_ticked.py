"""Compiles the function through which the engine tells multifactor priorities what has happened.

The engine is compiled once for all orders, so that it receives this one through a pointer; what is behind it is
compiled where somebody uses it, and is idle otherwise.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from numba import types

from loadmaster.kernels import LEAN, kept_njit
from loadmaster.lent import Lent
from loadmaster.sim.queue.ticked_kernel import reckon


def reckoner_type(heard: tuple[Any, ...]) -> Any:
    """The type of `reckoner` for tuples of these types, which are lent to it."""
    return types.void(*(Lent(each) for each in heard), types.float64)


@cache
def reckoner(heard: tuple[Any, ...], told: bool) -> Callable[..., None]:
    """`ticked_kernel.reckon` for tuples of these types; one that does nothing if nobody will call it."""

    def entry(book, waiting, ranked, jobs, now):  # type: ignore[no-untyped-def]
        reckon(book, waiting, ranked, jobs, now)

    def idle(book, waiting, ranked, jobs, now):  # type: ignore[no-untyped-def]
        pass

    kept = kept_njit(reckoner_type(heard), **LEAN, no_cpython_wrapper=True)
    made: Callable[..., None] = kept(entry if told else idle)
    return made
