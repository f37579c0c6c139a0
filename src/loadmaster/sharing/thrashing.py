"""Thrashing: a host whose memory is over-committed does less, however it divides its CPU (rule S2)."""

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError

OVERFULL = 1.0 + 1e-9
"""Part of a resource beyond which it is over-committed (rule A2)."""
THRASH = 10.0
"""The factor in the slides of Amir et al.; their paper gives no number."""


def overcommitted(used: Floats, capacity: Floats) -> bool:
    """Whether a resource other than the cores is requested beyond what a host has; float64[R] each."""
    return bool((used[1:] > capacity[1:] * OVERFULL).any())


def check_thrash(thrash: float) -> None:
    """Refuse what is no factor to slow down by.

    Raises:
        InputError: it is one.
    """
    if not 1.0 <= thrash < float("inf"):
        raise InputError(thrash, "thrashing slows a host down, so its factor is a number, 1 or more")
