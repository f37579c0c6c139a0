"""The jobs of a queue's listing and those of a log in one table and on one clock (rule F1)."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from loadmaster.model import Constraints, Named, Workload
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.dependencies import Dependencies

_FILL: dict[str, Any] = {
    "priority": 0.0, "nice": 0.0, "hold": 0, "array": -1, "array_task": -1, "throttle": 0, "exclusive": 0,
    "min_hosts": 0, "max_hosts": 0, "requeue": True, "restarts": 0, "status": 0, "limit_s": np.inf,
}  # fmt: skip
"""What a job has in a column of constraints that only the other table has."""
_CLOSED = ("follows", "think_s")
"""Columns that are left out: arrivals of a forecast are drawn, and follow no other job."""


@dataclass(frozen=True, eq=False)
class JoinedWorkload:
    """Two tables in one.

    Attributes:
        workload: the jobs of both, in the order of arrival; times recorded in the log are left out.
        listing: int64[N], the rows of the listing's jobs, in their order.
        log: int64[L], the rows of the log's jobs, in their order.
        listing_zero_s: where the zero of the listing's clock lies on the common clock.
        log_zero_s: the same of the log.
    """

    workload: Workload
    listing: Longs
    log: Longs
    listing_zero_s: float
    log_zero_s: float


def joined_workload(listing: Workload, log: Workload | None, apart_s: float | None = None) -> JoinedWorkload:
    """Both tables in one; resources must be the same in both.

    Names of users, accounts, partitions and so on stand for the same in both. Users who have names in one table and
    numbers in the other are different users.

    Args:
        listing: jobs that run or wait.
        log: jobs of the past; None for none.
        apart_s: seconds from the zero of the log's clock to that of the listing's; None: the listing comes right after
            the log.
    """
    if log is None:
        empty = np.zeros(0, np.int64)
        plain = replace(listing, starting=None, estimate_s=listing.expected_s)
        return JoinedWorkload(plain, np.arange(listing.jobs), empty, 0.0, 0.0)
    between_s = log.span_s + 1.0 if apart_s is None else apart_s
    listing_zero_s, log_zero_s = max(between_s, 0.0), max(-between_s, 0.0)
    submit_s = np.concatenate((listing.submit_s + listing_zero_s, log.submit_s + log_zero_s))
    order = np.argsort(submit_s, kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    bound, user, project = _constraints(listing, log, listing_zero_s, log_zero_s)

    def both(name: str) -> Any:
        return np.concatenate((getattr(listing, name), getattr(log, name)))[order]

    workload = Workload(
        listing.resources,
        submit_s[order],
        both("runtime_s"),
        both("demand"),
        tasks=both("task_count"),
        estimate_s=both("expected_s"),
        project=None if project is None else project[order],
        user=None if user is None else user[order],
        job_id=np.concatenate((_ids(listing), _ids(log)))[order],
        source=listing.source,
        synthetic=listing.synthetic or log.synthetic,
        constraints=None if bound is None else bound.take(order),
    )
    return JoinedWorkload(workload, place[: listing.jobs], place[listing.jobs :], listing_zero_s, log_zero_s)


def _ids(workload: Workload) -> Longs:
    return np.arange(workload.jobs) if workload.job_id is None else workload.job_id


def _constraints(
    listing: Workload, log: Workload, listing_zero_s: float, log_zero_s: float
) -> tuple[Constraints | None, Ints | None, Ints | None]:
    """The columns of both tables, one below the other; and the numbers of users and accounts."""
    one = (listing.constraints or Constraints()).shifted(listing_zero_s)
    other = (log.constraints or Constraints()).shifted(log_zero_s)
    user, user_names = _joined_names(_numbers(listing, "user"), one.user_names, _numbers(log, "user"), other.user_names)
    project, account_names = _joined_names(
        _numbers(listing, "project"), one.account_names, _numbers(log, "project"), other.account_names
    )
    columns: dict[str, Any] = {"user_names": user_names, "account_names": account_names}
    for field in fields(Constraints):
        first, second = getattr(one, field.name), getattr(other, field.name)
        if field.name in (*columns, *_CLOSED) or (first is None and second is None):
            continue
        columns[field.name] = _column(field.name, first, second, listing, log, (listing_zero_s, log_zero_s))
    bound = Constraints(**columns)
    known = listing.user is not None or log.user is not None
    paid = listing.project is not None or log.project is not None
    return (
        None if bound.is_empty else bound,
        user.astype(np.int32) if known else None,
        np.maximum(project, 0).astype(np.int32) if paid else None,
    )


def _numbers(workload: Workload, column: str) -> Longs:
    values = getattr(workload, column)
    fill = 0 if column == "project" else -1
    return np.full(workload.jobs, fill, np.int64) if values is None else values.astype(np.int64)


def _joined_names(
    one: Longs, names: tuple[str, ...], other: Longs, other_names: tuple[str, ...]
) -> tuple[Longs, tuple[str, ...]]:
    """Numbers of both tables with one list of names."""
    if not names and not other_names:
        return np.concatenate((one, other)), ()
    if not names or not other_names:
        moved = other + max(int(one.max(initial=-1)) + 1, len(names))
        padded = names + ("",) * (int(moved.max(initial=-1)) + 1 - len(names)) if names else ()
        return np.concatenate((one, np.where(other >= 0, moved, -1))), padded
    number = {name: code for code, name in enumerate(names)}
    codes = np.array([*(number.setdefault(name, len(number)) for name in other_names), -1])
    return np.concatenate((one, codes[other])), tuple(number)


def _column(name: str, first: Any, second: Any, listing: Workload, log: Workload, zeros_s: tuple[float, float]) -> Any:
    if name == "depends":
        return _dependencies(first, second, listing.jobs, log.jobs)
    if isinstance(first, Named) or isinstance(second, Named):
        words = [*_words(first, listing.jobs), *_words(second, log.jobs)]
        return Named.of(words)
    if name == "eligible_s":
        parts = [
            workload.submit_s + zero_s if column is None else column
            for column, workload, zero_s in ((first, listing, zeros_s[0]), (second, log, zeros_s[1]))
        ]
        return np.concatenate(parts)
    filled = [
        np.full(workload.jobs, _FILL[name]) if column is None else column
        for column, workload in ((first, listing), (second, log))
    ]
    return np.concatenate(filled)


def _words(column: Named | None, rows: int) -> list[str | None]:
    return [None] * rows if column is None else column.words()


def _dependencies(first: Dependencies | None, second: Dependencies | None, rows: int, more: int) -> Dependencies:
    one = Dependencies.of([""] * rows) if first is None else first
    other = Dependencies.of([""] * more) if second is None else second
    columns: dict[str, Floats] = {
        name: np.concatenate((getattr(one, name), getattr(other, name)))
        for name in ("kind", "on", "task", "delay_s", "one_is_enough")
    }
    return Dependencies(first=np.concatenate((one.first, other.first[1:] + one.first[-1])), **columns)  # type: ignore[arg-type]
