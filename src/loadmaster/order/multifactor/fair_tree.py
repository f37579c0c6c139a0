"""Fair share as a fair tree: users ranked depth first, branches with most shares for their use first (rule O14)."""

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.order.multifactor.account_tree import AccountTree


def level_fairness(tree: AccountTree, usage: Floats, sums: Floats, fairness: Floats) -> None:
    """Shares over usage of every node, both as parts of what it and its siblings have.

    Args:
        tree: N nodes.
        usage: float64[N], of accounts with that of all below them.
        sums: float64[2, N], written: shares and usage of the children of each account.
        fairness: float64[N], written: 0 without shares, infinite without usage or with the shares of the parent.
    """
    sums[:] = 0.0
    nodes = tree.parent.shape[0]
    for node in range(1, nodes):
        above = tree.level[node]
        if above >= 0:
            sums[1, above] += usage[node]
            if tree.shares[node] == tree.shares[node]:
                sums[0, above] += tree.shares[node]
    fairness[0] = 1.0
    for node in range(1, nodes):
        above, own = tree.level[node], tree.shares[node]
        if own != own:
            fairness[node] = np.inf
        elif own == 0.0:
            fairness[node] = 0.0
        elif usage[node] <= 0.0:
            fairness[node] = np.inf
        else:
            fairness[node] = (own / sums[0, above]) / (usage[node] / sums[1, above])


def fair_tree(tree: AccountTree, fairness: Floats, merged: bool, order: Ints, frames: Ints, factor: Floats) -> None:
    """The factor of every user: its rank from the last, over the number of users; of accounts 0.

    Depth first from the root; children by falling fairness, at equal fairness users before accounts. A user that is
    not tied with the one before it gets the number of users that are still to come. Of an account that is tied, the
    first child is.

    Args:
        tree: N nodes.
        fairness: float64[N], from `level_fairness`.
        merged: the children of tied accounts are sorted together; else such accounts come one after the other.
        order: int32[N], scratch: children in the order in which they are looked at.
        frames: int32[N + 1, 4], scratch: begin, next, end, and whether the first is tied.
        factor: float64[N], written.
    """
    factor[:] = 0.0
    users = tree.user.sum()
    to_come, rank = users, users
    filled = _push(tree, 0, order, 0)
    frames[0, 0], frames[0, 1], frames[0, 2], frames[0, 3] = 0, 0, filled, 0
    _sort(tree, fairness, order, 0, filled)
    depth = 1
    while depth > 0:
        begin, at, end = frames[depth - 1, 0], frames[depth - 1, 1], frames[depth - 1, 2]
        if at == end:
            depth -= 1
            continue
        node = order[at]
        tied = frames[depth - 1, 3] != 0 if at == begin else fairness[node] == fairness[order[at - 1]]
        after = at + 1
        if tree.user[node]:
            if not tied:
                rank = to_come
            factor[node] = rank / users
            to_come -= 1
            frames[depth - 1, 1] = after
            continue
        start = filled
        filled = _push(tree, node, order, filled)
        while merged and after < end and fairness[order[after]] == fairness[node]:
            filled = _push(tree, order[after], order, filled)
            after += 1
        frames[depth - 1, 1] = after
        _sort(tree, fairness, order, start, filled)
        frames[depth, 0], frames[depth, 1], frames[depth, 2], frames[depth, 3] = start, start, filled, tied
        depth += 1


def _push(tree: AccountTree, account: int, order: Ints, filled: int) -> int:
    """Append the children of `account`."""
    for at in range(tree.first[account], tree.first[account + 1]):
        order[filled] = tree.child[at]
        filled += 1
    return filled


def _sort(tree: AccountTree, fairness: Floats, order: Ints, begin: int, end: int) -> None:
    """Sort a part of `order` by falling fairness, at equal fairness users first, then as in the table."""
    order[begin:end] = sorted(order[begin:end], key=lambda node: (-fairness[node], not tree.user[node], node))
