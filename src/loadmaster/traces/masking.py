"""Names masked: users, accounts, jobs and reservations under a key, so that they cannot be guessed."""

import hmac
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadmaster.model import Cluster, Constraints, Named
from loadmaster.model.features import names_hosts, replaced_terms
from loadmaster.traces.trace import Trace

SOURCE = "a log with masked names"
_NUMBERED = ("executable",)


def masked(trace: Trace, key: bytes) -> Trace:
    """`trace` with other names and numbers for users, accounts, jobs, executables and reservations.

    Equal names get equal masks. Without `key` no program can tell to which name a mask belongs, nor try names until
    one fits. Names of partitions, qualities of service and features, and identifiers of jobs, stay. The hosts on which
    jobs ran, and those that they requested, are dropped.

    Example:
        >>> from loadmaster.model import Workload
        >>> jobs = Workload.of(submit_s=[0, 1, 2], runtime_s=[1, 1, 1], cores=[1, 1, 1], user=[7, 9, 7])
        >>> user = masked(Trace(jobs), b"secret").workload.user.tolist()
        >>> user[0] == user[2] != user[1]
        True
    """
    work = trace.workload
    bound = work.constraints or Constraints()
    bound = replace(
        bound,
        name=_renamed(bound.name, key, "job"),
        features=_without_hosts(bound.features),
        reservation=_renamed(bound.reservation, key, "reservation"),
        user_names=tuple(_mask(name, key, "user") for name in bound.user_names),
        account_names=tuple(_masked_name(name, key, "account") for name in bound.account_names),
    )
    user = work.user if bound.user_names else _renumbered(work.user, key, "user")
    project = work.project if bound.account_names else _renumbered(work.project, key, "account")
    extra: dict[str, Any] = dict(trace.extra)
    for name in (name for name in _NUMBERED if name in extra):
        extra[name] = _renumbered(extra[name], key, name)
    if "project" in extra and project is not None and not bound.account_names:
        extra["project"] = np.where(extra["project"] < 0, -1, project)
    source = work.source if work.synthetic else SOURCE
    work = replace(work, user=user, project=project, source=source, constraints=bound, recorded_hosts=None)
    cluster = None if trace.cluster is None else masked_cluster(trace.cluster, key)
    return replace(trace, workload=work, extra=extra, about={}, cluster=cluster)


def _without_hosts(features: Named | None) -> Named | None:
    """Features that jobs request, without names of hosts."""
    if features is None:
        return None
    texts = [replaced_terms(text, lambda term: [""] if names_hosts(term) else [term]) for text in features.names]
    if not any(texts):
        return None
    return Named.of([texts[code] or None if code >= 0 else None for code in features.code.tolist()])


def masked_cluster(cluster: Cluster, key: bytes) -> Cluster:
    """`cluster` with the same masks for the users, accounts and reservations that its rules name.

    The account at the top, `root`, stays: it belongs to no user.
    """
    rules = cluster.rules
    if rules is None:
        return cluster

    def alike(names: tuple[str, ...], kind: str) -> tuple[str, ...]:
        return tuple(_masked_name(name, key, kind) for name in names)

    partitions = tuple(
        replace(
            row,
            deny_accounts=alike(row.deny_accounts, "account"),
            allow_accounts=None if row.allow_accounts is None else alike(row.allow_accounts, "account"),
        )
        for row in rules.partitions
    )
    accounts = tuple(
        replace(
            node,
            account=_masked_name(node.account, key, "account"),
            user=_masked_name(node.user, key, "user"),
            parent=_masked_name(node.parent, key, "account"),
        )
        for node in rules.accounts
    )
    calendar = tuple(
        replace(
            row,
            name=_masked_name(row.name, key, "reservation") if row.kind == "reserved" else row.name,
            users=alike(row.users, "user"),
            accounts=alike(row.accounts, "account"),
        )
        for row in rules.calendar
    )
    return replace(cluster, rules=replace(rules, partitions=partitions, accounts=accounts, calendar=calendar))


def _masked_name(name: str, key: bytes, kind: str) -> str:
    return name if name in ("", "root") else _mask(name, key, kind)


def _mask(name: str, key: bytes, kind: str) -> str:
    """A name that tells nothing: the first 12 hex digits of a keyed hash (HMAC-SHA-256)."""
    return f"{kind}-{hmac.digest(key, f'{kind}:{name}'.encode(), 'sha256').hex()[:12]}"


def _renamed(column: Named | None, key: bytes, kind: str) -> Named | None:
    return None if column is None else Named(column.code, tuple(_mask(name, key, kind) for name in column.names))


def _renumbered(codes: NDArray[np.int32] | None, key: bytes, kind: str) -> NDArray[np.int32] | None:
    """The numbers in an order that only the key tells, from 0; negative ones stay."""
    if codes is None:
        return None
    distinct = np.unique(codes[codes >= 0])
    order = sorted(distinct.tolist(), key=lambda code: hmac.digest(key, f"{kind}:{code}".encode(), "sha256"))
    new = np.empty(len(distinct), np.int32)
    new[np.searchsorted(distinct, order)] = np.arange(len(distinct))
    renumbered = codes.astype(np.int32)
    renumbered[codes >= 0] = new[np.searchsorted(distinct, codes[codes >= 0])]
    return renumbered
