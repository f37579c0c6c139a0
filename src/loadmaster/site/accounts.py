"""What is only in the accounting database: the tree of accounts with its shares, the QOS, and all limits (rule L7)."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from loadmaster.model import InputError
from loadmaster.site.account_dump import DumpRows
from loadmaster.site.account_json import json_rows
from loadmaster.site.account_table import AssociationRow, TableRows
from loadmaster.site.fields import Fields, names, number, whole
from loadmaster.site.limits import SiteLimits, read_limits
from loadmaster.site.lines import Pair, text_within
from loadmaster.site.preemption import exempt_s, read_mode
from loadmaster.site.times import duration_s
from loadmaster.traces.files import head_of, utf8_of

PARENT = 2**31 - 1
"""How a dump writes the share `parent`."""
MOST_DEPTH = 1000
"""Accounts below each other; the deepest of real sites have some ten."""
_PASSED = (
    "cluster", "admin", "adminlevel", "coordinator", "defaultaccount", "defaultwckey", "description", "organization",
    "id", "lft", "rgt", "parentid", "wckeys", "comment",
)  # fmt: skip
_FIX = "write it by: sacctmgr show assoc tree -P; sacctmgr show qos -P; or sacctmgr dump CLUSTER"


@dataclass(frozen=True)
class Association:
    """An account, or a user in an account; all names in lower case but the user's.

    Attributes:
        account: its own name, or for a user that of the account.
        user: "" for an account.
        partition: only there, or "".
        parent: the account above; "" for root.
        shares: None has the share of its parent.
        qos: those it may use; None is what its parent may.
    """

    account: str
    user: str = ""
    partition: str = ""
    parent: str = ""
    shares: int | None = 1
    limits: SiteLimits = field(default_factory=SiteLimits)
    qos: tuple[str, ...] | None = None
    default_qos: str = ""
    priority: int = 0


@dataclass(frozen=True)
class SiteQos:
    """A quality of service. `mode` None is the cluster's, as is `exempt_s`."""

    name: str
    priority: int = 0
    grace_s: float = 0.0
    preempts: tuple[str, ...] = ()
    exempt_s: float | None = None
    mode: tuple[str, ...] | None = None
    flags: tuple[str, ...] = ()
    usage_factor: float = 1.0
    limits: SiteLimits = field(default_factory=SiteLimits)


@dataclass(frozen=True)
class Accounts:
    """All of it, in the order of the file; `digest` is the SHA-256 of its text."""

    associations: tuple[Association, ...]
    qos: tuple[SiteQos, ...]
    notes: tuple[str, ...]
    not_modelled: tuple[str, ...]
    digest: str


def read_accounts(path: str | Path, cluster: str = "") -> Accounts:
    """Accounts, users and QOS from what `sacctmgr` writes.

    Args:
        path: the tables of `sacctmgr show assoc [tree] -P` and `sacctmgr show qos -P`, one or both, or the text of
            `sacctmgr dump`, or all of them one after the other; or what `--json` writes in place of `-P`.
        cluster: whose rows are taken; "" takes those of the only one.

    Raises:
        InputError: the file is none of these, a value breaks its rule, a parent is missing, or no row is of
            that cluster.
    """
    path = Path(path)
    table, dump = TableRows(), DumpRows()
    if head_of(path, 4096).lstrip().startswith(b"{"):
        text = utf8_of(path)
        table.associations, table.qos = json_rows(text, str(path))
    else:
        text = text_within(path)
        _take_lines(path, text, table, dump)
    rows = [*table.associations, *dump.associations]
    chosen = _of_cluster(path, rows, cluster)
    rest: set[str] = set()
    associations = tuple(_association(row, rest) for row in chosen)
    qos = tuple(_qos(row, rest) for row in table.qos)
    if not associations and not qos:
        raise InputError(path.name, "no account and no QOS", fix=_FIX, where=str(path))
    _check_tree(associations, chosen)
    notes = [_FLAT] if table.flat else []
    return Accounts(associations, qos, tuple(notes), tuple(sorted(rest)), hashlib.sha256(text.encode()).hexdigest())


def _take_lines(path: Path, text: str, table: TableRows, dump: DumpRows) -> None:
    for line_number, line in enumerate(text.splitlines(), start=1):
        words, where = line.strip(), f"{path}:{line_number}"
        if not words or words.startswith("#"):
            continue
        if "|" in line:
            table.take(line, where)
        elif not dump.take(words, where):
            raise InputError(words, "neither a row of a table with | nor a line of a dump", fix=_FIX, where=where)


_FLAT = "The accounts are read without parents, all as children of root: `sacctmgr show assoc tree -P` writes them."


def _of_cluster(path: Path, rows: list[AssociationRow], cluster: str) -> list[AssociationRow]:
    clusters = list(dict.fromkeys(row.cluster for row in rows))
    wanted = cluster or (clusters[0] if clusters else "")
    if rows and wanted not in clusters and clusters != [""]:
        rule = f"no account of this cluster; there are {', '.join(clusters)}"
        raise InputError(wanted, rule, fix="dump the accounts of the cluster of slurm.conf", where=str(path))
    if not cluster and len(clusters) > 1:
        rule = "accounts of several clusters, and slurm.conf has no ClusterName"
        raise InputError(", ".join(clusters), rule, fix="add ClusterName to slurm.conf", where=str(path))
    return [row for row in rows if row.cluster in (wanted, "")]


def _association(row: AssociationRow, rest: set[str]) -> Association:
    fields = Fields(row.pairs)
    user, partition = fields.pair("User"), fields.pair("Partition")
    shares = fields.pair("Share", "Fairshare")
    fields.pair("Account"), fields.pair("ParentName", "Par Name")
    listed = fields.pair("QOS")
    association = Association(
        row.account,
        "" if user is None else user.value.strip(),
        "" if partition is None else partition.value.strip(),
        row.parent,
        1 if shares is None else _shares(shares),
        read_limits(fields),
        names(listed) if listed is not None and listed.value.strip() else None,
        fields.read("Def QOS", _word, "") or fields.read("DefaultQOS", _word, ""),
        fields.read("Priority", _count, 0),
    )
    rest |= _left(fields)
    return association


def _qos(row: AssociationRow, rest: set[str]) -> SiteQos:
    fields = Fields(row.pairs)
    mode = fields.read("PreemptMode", _word, "")
    qos = SiteQos(
        fields.read("Name", _word, ""),
        fields.read("Priority", _count, 0),
        fields.read("GraceTime", _time_s, 0.0),
        fields.read("Preempt", names, ()),
        fields.read("PreemptExemptTime", _exempt_s, None),
        None if mode in ("", "cluster") else fields.read("PreemptMode", read_mode, None),
        fields.read("Flags", names, ()),
        fields.read("UsageFactor", _factor, 1.0),
        read_limits(fields),
    )
    rest |= _left(fields)
    return qos


def _left(fields: Fields) -> set[str]:
    return {pair.key for pair in fields.rest() if pair.value.strip() and pair.key.lower() not in _PASSED}


def _shares(pair: Pair) -> int | None:
    if pair.value.strip().lower() in ("parent", str(PARENT)):
        return None
    return whole(0, PARENT)(pair) if pair.value.strip() else 1


def _word(pair: Pair) -> str:
    return pair.value.strip().lower()


def _count(pair: Pair) -> int:
    return whole(0, 2**32 - 1)(pair) if pair.value.strip() else 0


def _time_s(pair: Pair) -> float:
    return duration_s(pair.value, pair.where) if pair.value.strip() else 0.0


def _exempt_s(pair: Pair) -> float | None:
    return exempt_s(pair) if pair.value.strip() else None


def _factor(pair: Pair) -> float:
    return number(pair) if pair.value.strip() else 1.0


def _check_tree(associations: Iterable[Association], rows: list[AssociationRow]) -> None:
    """See that every account is there once, below one that is there, and that every way up ends at root."""
    above: dict[str, str] = {"root": ""}
    for each, row in zip(associations, rows, strict=True):
        if each.user or each.account == "root":
            continue
        if each.account in above:
            raise InputError(each.account, "this account is there twice", fix="leave one out", where=row.where)
        above[each.account] = each.parent
    sound = {"root"}
    for each, row in zip(associations, rows, strict=True):
        way: list[str] = []
        name = each.account
        while name not in sound:
            if name not in above or len(way) > MOST_DEPTH:
                rule = "no such account in the file" if name not in above else "parents in a circle, or too deep"
                raise InputError(name, rule, fix=_FIX, where=row.where)
            way.append(name)
            name = above[name]
        sound |= set(way)
