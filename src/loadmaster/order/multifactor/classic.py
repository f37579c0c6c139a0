"""Fair share in its classic form: 2 to the minus of effective usage over normalised shares (rule O13)."""

import math

from loadmaster.model.arrays import Floats
from loadmaster.order.multifactor.account_tree import AccountTree

LN2 = math.log(2.0)


def classic(tree: AccountTree, usage: Floats, damp: float, shares: Floats, effective: Floats, factor: Floats) -> None:
    """The factor of every node, from 0 to 1.

    Args:
        tree: N nodes.
        usage: float64[N], of accounts with that of all below them.
        damp: the dampening factor, from 1 up.
        shares: float64[N], written: normalised shares S.
        effective: float64[N], written: effective usage U_E.
        factor: float64[N], written.
    """
    nodes = tree.parent.shape[0]
    level = factor  # the sum of the shares of each account's children, until the factors are written
    level[:] = 0.0
    for node in range(1, nodes):
        if tree.shares[node] == tree.shares[node]:
            level[tree.parent[node]] += tree.shares[node]
    shares[0], effective[0] = 1.0, 1.0
    for node in range(1, nodes):
        above, own = tree.parent[node], tree.shares[node]
        if own != own:
            shares[node], effective[node] = shares[above], effective[above]
            continue
        part = own / level[above] if level[above] > 0.0 else 0.0
        shares[node] = shares[above] * part
        used = min(usage[node] / usage[0], 1.0) if usage[0] > 0.0 else 0.0
        if above == 0:
            effective[node] = used
        elif level[above] > 0.0:
            effective[node] = used + (effective[above] - used) * part
        else:
            effective[node] = effective[above]
    for node in range(nodes):
        factor[node] = math.exp(-LN2 * (effective[node] / shares[node] / damp)) if shares[node] > 0.0 else 0.0
