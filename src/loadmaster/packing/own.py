"""Packers of the user's own: a function of an instance that names a host for every task."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from loadmaster.model.arrays import Ints
from loadmaster.model.errors import InputError, one_line
from loadmaster.packing.check import RIGID_SLACK
from loadmaster.packing.instance import Instance
from loadmaster.packing.packing import Attempt


def is_packer(function: Callable[..., Any]) -> bool:
    """Whether a function of the user's packs, and does not rate one host: it takes the instance alone.

    Example:
        >>> is_packer(lambda instance: [0]), is_packer(lambda demand, free, capacity: 0.0)
        (True, False)
    """
    needed = [
        each for each in inspect.signature(function).parameters.values() if each.default is inspect.Parameter.empty
    ]
    return len(needed) == 1


def packed_by(place: Callable[[Instance], Any], name: str, instance: Instance) -> Attempt:
    """What `place` makes of an instance: an attempt without a mapping where it leaves a task without a host.

    Args:
        place: gives the host of every task by number, -1 for none; T of them.
        name: of the function, for messages.
        instance: the tasks and the hosts.

    Raises:
        InputError: it fails, or gives what is no placement, or one that overfills a host.
    """
    try:
        host = np.asarray(place(instance), dtype=np.int32)
    except Exception as error:  # whatever the user's own raises
        why = one_line(f"{type(error).__name__}: {error}", 100)
        raise InputError(name, f"this packer fails: {why}") from error
    if host.shape != (instance.tasks,) or (host.size and not (host.min() >= -1 and host.max() < instance.hosts)):
        rule = f"a packer gives a host from 0 to {instance.hosts - 1}, or -1, for each of the {instance.tasks} tasks"
        raise InputError(name, rule)
    if (host < 0).any():
        first = int(np.argmax(host < 0))
        _refuse_overfull(instance, host, name)
        return Attempt(
            None, "infeasible", name, unplaced=first, reason=f"{name} does not place every task", partial=host
        )
    _refuse_overfull(instance, host, name)
    return Attempt(host, "ok", name)


def _refuse_overfull(instance: Instance, host: Ints, name: str) -> None:
    placed = host >= 0
    for r, resource in enumerate(instance.rigid_names):
        capacity = instance.rigid_capacity[:, r]
        used = np.bincount(host[placed], instance.rigid[placed, r], instance.hosts)
        over = used > capacity + RIGID_SLACK * capacity.max()
        if over.any():
            where = int(np.argmax(over))
            raise InputError(
                name, f"it puts {used[where]:g} of {resource} on host {where}, which has {capacity[where]:g}"
            )
