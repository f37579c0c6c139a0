"""The properties of every job under a site's rules: its partition, its QOS, its leaf in the tree of accounts."""

from typing import NamedTuple

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.constraints import Constraints
from loadmaster.model.name_column import Named
from loadmaster.model.site_rules import Account, Partition, Qos, SiteRules
from loadmaster.order.multifactor.account_tree import ROOT, AccountTree, tree_of, with_missing


class SiteView(NamedTuple):
    """Of J jobs.

    Attributes:
        partitions: those of the site, one of all hosts where it has none; partition: int32[J], a row of it.
        qos: those of the site, a plain one where it has none; quality: int32[J], a row of it.
        tree: of accounts; leaf: int32[J], the node that pays.
        priority: float64[N], of each node of the tree.
        notes: what a user must know, a sentence each.
    """

    partitions: tuple[Partition, ...]
    partition: Ints
    qos: tuple[Qos, ...]
    quality: Ints
    tree: AccountTree
    leaf: Ints
    priority: Floats
    notes: tuple[str, ...]


def view_of(workload: Workload, cluster: Cluster) -> SiteView:
    """Look up what `workload` names in the rules of `cluster`."""
    rules, more = cluster.rules or SiteRules(), workload.constraints or Constraints()
    partitions = rules.partitions or (Partition("", job_factor=0),)  # which adds nothing to a priority
    qos = rules.qos or (Qos(rules.default_qos),)
    first = rules.default_partition or partitions[0].name
    tree, leaf, priority, notes = _leaves(workload, more, rules)
    return SiteView(
        partitions,
        _rows(workload.jobs, more.partition, [each.name for each in partitions], first),
        qos,
        _rows(workload.jobs, more.qos, [each.name for each in qos], rules.default_qos),
        tree,
        leaf,
        priority,
        notes,
    )


def _rows(jobs: int, column: Named | None, known: list[str], usual: str) -> Ints:
    """int32[J]: the row of each job's name, of several the first; the usual one for no name or an unknown one."""
    number = {name: row for row, name in enumerate(known)}
    default = number.get(usual, 0)
    if column is None:
        return np.full(jobs, default, np.int32)
    row = [number.get(name.partition(",")[0].strip(), default) for name in column.names]
    return np.array([*row, default], np.int32)[column.code]  # code -1, no name, takes the last


def _leaves(
    workload: Workload, more: Constraints, rules: SiteRules
) -> tuple[AccountTree, Ints, Floats, tuple[str, ...]]:
    who, number = _associations(workload, with_account=bool(rules.accounts))
    user = [_name(code, more.user_names) for code in who[:, 0]]
    account = [_name(code, more.account_names) for code in who[:, 1]]
    home = _home_accounts(rules.accounts)
    pairs = [(own or home.get(name, ROOT), name or "?") for own, name in zip(account, user, strict=True)]
    rows = with_missing(rules.accounts, pairs)
    tree, node = tree_of(rows)
    leaf = np.array([node[pair] for pair in pairs], np.int32)[number]
    priority = np.zeros(len(tree.parent))
    for row in rules.accounts:
        priority[node[row.account, row.user]] = row.priority
    return tree, leaf, priority, _notes(rules.accounts, dict.fromkeys(pairs))


def _associations(workload: Workload, *, with_account: bool) -> tuple[Longs, Longs]:
    """The distinct (user, account) codes int64[P, 2] as they come up first, -1 where unknown, and each job's int64[J].

    The account counts only if `with_account`.
    """
    unknown = np.full(workload.jobs, -1, np.int64)
    user = unknown if workload.user is None else np.maximum(workload.user, -1).astype(np.int64)
    account = unknown
    if with_account and workload.project is not None:
        account = np.maximum(workload.project, -1).astype(np.int64)
    both = (user + 1) * (account.max(initial=-1) + 2) + account + 1
    _, first, number = np.unique(both, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return np.column_stack((user, account))[first[order]], place[number.reshape(-1)]


def _name(code: int, names: tuple[str, ...]) -> str:
    """The name behind a code, its number where there are no names; "" where nothing is known."""
    return "" if code < 0 else names[code] if code < len(names) else "" if names else str(code)


def _home_accounts(rows: tuple[Account, ...]) -> dict[str, str]:
    """The first account of every user."""
    return {row.user: row.account for row in reversed(rows) if row.user}


def _notes(rows: tuple[Account, ...], pairs: dict[tuple[str, str], None]) -> tuple[str, ...]:
    if not rows:
        return ("multifactor: no table of accounts, so all users are on one level with one share each.",)
    there = {(row.account, row.user) for row in rows}
    missing = [pair for pair in pairs if pair not in there]
    if not missing:
        return ()
    who = f"{len(missing)} users" if len(missing) > 1 else f"user {missing[0][1]}"
    return (f"multifactor: the table of accounts lacks {who} in the account of their jobs: one share each.",)
