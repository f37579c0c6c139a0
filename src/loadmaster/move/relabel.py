"""Assigns hosts to the bins of a new packing, so that as little memory as possible moves."""

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints


def relabelled(old: Ints, new: Ints, weight: Floats, able: Bools) -> Ints:
    """The mapping `new` with its hosts renamed so that most of `weight` stays where it is in `old`.

    Which host stands in for which is an assignment problem on the weight that each pair of old and new host has in
    common (Kuhn's method, scipy).

    Args:
        old: int32[T], the host of every task now, -1 for one that is not placed yet.
        new: int32[T], a mapping.
        weight: float64[T], what moving each task costs, such as its memory.
        able: bool[H, H], row h says which hosts can take the tasks of host h of `new`; each can take its own.

    Example:
        >>> able = np.ones((2, 2), bool)
        >>> relabelled(np.array([0, 1, 1]), np.array([1, 0, 0]), np.ones(3), able).tolist()
        [0, 1, 1]
    """
    from scipy.optimize import linear_sum_assignment

    common = np.zeros(able.shape)
    placed = old >= 0
    np.add.at(common, (new[placed], old[placed]), weight[placed])
    _, name = linear_sum_assignment(np.where(able, common, -np.inf), maximize=True)
    return np.asarray(name[new], dtype=np.int32)


def relabelled_by_greed(old: Ints, new: Ints, weight: Floats, kind: Ints) -> Ints:
    """As `relabelled` for any number of hosts: the pair of hosts with the most weight in common first.

    Args:
        old: int32[T], the host of every task now, -1 for one that is not placed yet.
        new: int32[T], a mapping.
        weight: float64[T], what moving each task costs.
        kind: int32[H], hosts of equal number stand in for each other.

    Example:
        >>> kind = np.zeros(2, np.int32)
        >>> relabelled_by_greed(np.array([0, 1, 1]), np.array([1, 0, 0]), np.ones(3), kind).tolist()
        [0, 1, 1]
    """
    hosts = len(kind)
    stays = (old >= 0) & (kind[new] == kind[old])
    pair, where = np.unique(new[stays].astype(np.int64) * hosts + old[stays], return_inverse=True)
    common = np.bincount(where, weights=weight[stays], minlength=len(pair))
    name = np.full(hosts, -1, np.int64)
    free = np.ones(hosts, bool)
    for p in pair[np.argsort(-common, kind="stable")].tolist():
        part, host = divmod(p, hosts)
        if name[part] < 0 and free[host]:
            name[part], free[host] = host, False
    parts, left = np.flatnonzero(name < 0), np.flatnonzero(free)
    name[parts[np.argsort(kind[parts], kind="stable")]] = left[np.argsort(kind[left], kind="stable")]
    return np.asarray(name[new], dtype=np.int32)
