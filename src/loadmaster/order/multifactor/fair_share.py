"""Fair share of every node of a tree of accounts, in either form, from what users have used (rules O12 to O14)."""

from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.order.multifactor.account_tree import AccountTree
from loadmaster.order.multifactor.classic import classic
from loadmaster.order.multifactor.fair_tree import fair_tree, level_fairness
from loadmaster.order.multifactor.ledger import with_accounts


class Scratch(NamedTuple):
    """Room for N nodes.

    Every node but the root comes into `order` once; `frames` has one for each account on the way down from the root.

    Attributes:
        total: float64[N], usage with that of all below; first, second: float64[N]; sums: float64[2, N].
        order: int32[N]; frames: int32[N + 1, 4].
        factor: float64[N], the answer.
    """

    total: Floats
    first: Floats
    second: Floats
    sums: Floats
    order: Ints
    frames: Ints
    factor: Floats


def room_for(nodes: int) -> Scratch:
    """Room for so many nodes."""
    return Scratch(
        np.zeros(nodes),
        np.zeros(nodes),
        np.zeros(nodes),
        np.zeros((2, nodes)),
        np.zeros(nodes, np.int32),
        np.zeros((nodes + 1, 4), np.int32),
        np.zeros(nodes),
    )


def fair_shares(tree: AccountTree, usage: Floats, is_classic: bool, merged: bool, damp: float, room: Scratch) -> None:
    """Write the factor of every node to room.factor.

    Args:
        tree: N nodes.
        usage: float64[N], of users; 0 of accounts.
        is_classic: in the classic form; else by the fair tree.
        merged: in the fair tree the children of accounts that tie are sorted together.
        damp: of the classic form.
        room: for N nodes.
    """
    with_accounts(usage, tree.parent, room.total)
    if is_classic:
        classic(tree, room.total, damp, room.first, room.second, room.factor)
    else:
        level_fairness(tree, room.total, room.sums, room.first)
        fair_tree(tree, room.first, merged, room.order, room.frames, room.factor)
