"""Which tasks can be expected to end on machines that their provider takes away."""

import math
from collections.abc import Sequence

from loadmaster.model.errors import InputError
from loadmaster.model.units import show_seconds
from loadmaster.sizing.billing import HostType

MOST_MACHINES = 50
"""Machines that a task may need on average (rule Z9): it then takes 12.5 times as long, and no discount pays that."""


def longest_s(kind: HostType) -> float:
    """The longest task, seconds of work, that can be expected to end on machines of a type (rule Z9).

    A machine is taken away after an exponential time: what needs x mean times, boot included, takes exp(x) machines.

    Example:
        >>> longest_s(HostType("calm")), round(longest_s(HostType("spot", interruptions_per_h=0.05)) / 3600, 1)
        (inf, 78.2)
    """
    if kind.interruptions_per_h == 0:
        return math.inf
    stays_s = math.log(MOST_MACHINES) * 3600.0 / kind.interruptions_per_h
    return max(0.0, stays_s - kind.boot_s) * kind.speed


def ending(types: Sequence[HostType], task_s: float) -> tuple[tuple[HostType, ...], tuple[str, ...]]:
    """The types on which a task of `task_s` seconds of work can be expected to end, and a sentence for each other one.

    Raises:
        InputError: there is no such type.
    """
    left = tuple(kind for kind in types if task_s <= longest_s(kind))
    if not left:
        check_ends(types, task_s)
    return left, tuple(f"{kind.name} is left out: {_why(kind, task_s)}" for kind in types if kind not in left)


def check_ends(types: Sequence[HostType], task_s: float) -> None:
    """Refuse a task that cannot be expected to end on one of `types`.

    Raises:
        InputError: names the first such type.
    """
    for kind in types:
        if task_s > longest_s(kind):
            raise InputError(
                kind.name, _why(kind, task_s), fix="cut it into shorter tasks, or take a type that is left alone longer"
            )


def _why(kind: HostType, task_s: float) -> str:
    often, what = show_seconds(3600.0 / kind.interruptions_per_h), f"a task of {show_seconds(task_s)}"
    if kind.boot_s > 0:
        what = f"a boot and {what}"
    return f"taken away every {often} on average, less than one machine in {MOST_MACHINES} lasts {what}"
