"""Which hosts a task may use, as amounts: a right is a rigid resource that only some hosts have."""

from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Floats


class HostRights(NamedTuple):
    """A right for each task that may not use all hosts.

    Attributes:
        names: of the B rights.
        demand: float64[T, B], 1 where a task requests a right.
        capacity: float64[H, B], 1 where a host has it.
    """

    names: tuple[str, ...]
    demand: Floats
    capacity: Floats


def host_rights(may_use: Bools) -> HostRights:
    """The rights of T tasks on H hosts.

    Args:
        may_use: bool[T, H].

    Example:
        >>> host_rights(np.array([[True, True], [False, True]]))
        HostRights(names=('right 0',), demand=array([[0.],
               [1.]]), capacity=array([[0.],
               [1.]]))
    """
    bound = np.flatnonzero(~may_use.all(axis=1))
    demand = np.zeros((len(may_use), len(bound)))
    demand[bound, range(len(bound))] = 1.0
    return HostRights(tuple(f"right {k}" for k in range(len(bound))), demand, may_use[bound].T.astype(float))
