"""What a site's rules say of every job: its partition, its quality of service, its leaf in the tree of accounts."""

from typing import NamedTuple

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.constraints import Constraints
from loadmaster.model.named import Named
from loadmaster.model.site_rules import Account, Partition, Qos, SiteRules
from loadmaster.order.multifactor.account_tree import ROOT, Tree, tree_of, with_missing


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
    tree: Tree
    leaf: Ints
    priority: Floats
    notes: tuple[str, ...]


def view_of(workload: Workload, cluster: Cluster) -> SiteView:
    """Look up what `workload` names in the rules of `cluster`."""
    rules, more = cluster.rules or SiteRules(), workload.constraints or Constraints()
    partitions = rules.partitions or (Partition(""),)
    qos = rules.qos or (Qos(rules.default_qos),)
    first = rules.default_partition or partitions[0].name
    tree, leaf, priority, notes = _leaves(workload, more, rules)
    return SiteView(
        partitions, _rows(workload.jobs, more.partition, [each.name for each in partitions], first),
        qos, _rows(workload.jobs, more.qos, [each.name for each in qos], rules.default_qos),
        tree, leaf, priority, notes,
    )  # fmt: skip


def _rows(jobs: int, column: Named | None, known: list[str], usual: str) -> Ints:
    """int32[J]: the row of each job's name, of several the first; of none, or of one nobody knows, the usual one."""
    number = {name: row for row, name in enumerate(known)}
    default = number.get(usual, 0)
    if column is None:
        return np.full(jobs, default, np.int32)
    row = [number.get(name.partition(",")[0].strip(), default) for name in column.names]
    return np.array([*row, default], np.int32)[column.code]  # code -1, no name, takes the last


def _leaves(workload: Workload, more: Constraints, rules: SiteRules) -> tuple[Tree, Ints, Floats, tuple[str, ...]]:
    user = _names(workload.jobs, workload.user, more.user_names)
    account = [name.lower() for name in _names(workload.jobs, workload.project, more.account_names)]
    if rules.accounts:
        home = _home_accounts(rules.accounts)
        pairs = [(own or home.get(who, ROOT), who or "?") for own, who in zip(account, user, strict=True)]
    else:
        pairs = [(ROOT, who or "?") for who in user]
    distinct = dict.fromkeys(pairs)
    rows = with_missing(rules.accounts, distinct)
    tree, node = tree_of(rows)
    leaf = np.array([node[pair] for pair in pairs], np.int32)
    priority = np.zeros(len(tree.parent))
    for row in rules.accounts:
        priority[node[row.account, row.user]] = row.priority
    return tree, leaf, priority, _notes(rules.accounts, distinct)


def _names(jobs: int, code: Ints | None, names: tuple[str, ...]) -> list[str]:
    """The name behind each code, its number where there are no names; "" where nothing is known."""
    if code is None:
        return [""] * jobs
    return ["" if each < 0 else names[each] if each < len(names) else str(each) for each in code.tolist()]


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
    who = f"{len(missing)} users that" if len(missing) > 1 else f"user {missing[0][1]}, who"
    return (f"multifactor: {who} the table of accounts does not have in the account of their jobs: one share each.",)
