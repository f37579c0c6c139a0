"""The tree of accounts in columns, every account before its children, and the leaf of each job (rule O12)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.model.site_rules import Account

ROOT = "root"
"""The account above all others, whether it is named or not."""


class AccountTree(NamedTuple):
    """N nodes; node 0 is the root.

    Attributes:
        parent: int32[N], a smaller number; -1 of the root.
        shares: float64[N]; NaN of one that has its parent's.
        user: bool[N], it is a user in an account: a leaf.
        level: int32[N], the account among whose children it is compared in a fair tree: the next above it that has
            shares of its own; -1 of the root and of accounts without.
        first: int32[N + 1], child: int32[...]: children of account a by `level` stand in child[first[a]:first[a + 1]].
    """

    parent: Ints
    shares: Floats
    user: Bools
    level: Ints
    first: Ints
    child: Ints


class AccountRow(NamedTuple):
    """An account, or a user in one; `shares` None has its parent's."""

    account: str
    user: str = ""
    parent: str = ""
    shares: float | None = 1.0


def tree_of(rows: Sequence[AccountRow | Account]) -> tuple[AccountTree, dict[tuple[str, str], int]]:
    """The tree that `rows` describe, and the node of every (account, user).

    Args:
        rows: parents before children; an account without one, but for `root` itself, is below the root.
    """
    node = {(ROOT, ""): 0}
    parent, shares, user = [-1], [1.0], [False]
    for row in rows:
        if (row.account, row.user) in node:
            continue
        node[row.account, row.user] = len(parent)
        parent.append(node[(row.account if row.user else row.parent) or ROOT, ""])
        shares.append(np.nan if row.shares is None else float(row.shares))
        user.append(bool(row.user))
    return _in_columns(np.array(parent, np.int32), np.array(shares), np.array(user, bool)), node


def with_missing(rows: Iterable[AccountRow | Account], pairs: Iterable[tuple[str, str]]) -> list[AccountRow | Account]:
    """`rows`, and after them with one share what jobs name and `rows` have not: accounts, and users in accounts."""
    every = list(rows)
    there = {(row.account, row.user) for row in every} | {(ROOT, "")}
    for account, user in pairs:
        for row in (AccountRow(account), AccountRow(account, user)):
            if (row.account, row.user) not in there:
                there.add((row.account, row.user))
                every.append(row)
    return every


def _in_columns(parent: Ints, shares: Floats, user: Bools) -> AccountTree:
    hidden = np.isnan(shares) & ~user
    level = parent.copy()
    for node in range(1, len(parent)):
        while hidden[level[node]]:
            level[node] = parent[level[node]]
    level[hidden] = -1
    child = np.argsort(level, kind="stable").astype(np.int32)
    first = np.searchsorted(level[child], np.arange(len(parent) + 1)).astype(np.int32)
    return AccountTree(parent, shares, user, level, first, child)
