"""Which host plays which part in a new packing, so that as little memory as possible moves."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints


def relabelled(old: Ints, new: Ints, weight: Floats, kind: Ints) -> Ints:
    """The mapping `new` with its hosts renamed so that most of `weight` stays where it is in `old`.

    Hosts of one kind can stand in for each other; which for which is an assignment problem on the weight that each
    pair of old and new host has in common (Kuhn's method, scipy).

    Args:
        old: int32[T], the host of every task now, -1 for one that is not placed yet.
        new: int32[T], a mapping.
        weight: float64[T], what moving each task costs, such as its memory.
        kind: int32[H], hosts of the same number have the same capacity and speed.

    Example:
        >>> kind = np.zeros(2, np.int32)
        >>> relabelled(np.array([0, 1, 1]), np.array([1, 0, 0]), np.ones(3), kind).tolist()
        [0, 1, 1]
    """
    from scipy.optimize import linear_sum_assignment

    hosts = len(kind)
    common = np.zeros((hosts, hosts))
    placed = old >= 0
    np.add.at(common, (new[placed], old[placed]), weight[placed])
    common[kind[:, None] != kind[None, :]] = -1e18
    part, host = linear_sum_assignment(common, maximize=True)
    name = np.empty(hosts, np.int64)
    name[part] = host
    return np.asarray(name[new], dtype=np.int32)
