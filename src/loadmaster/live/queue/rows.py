"""One job of a listing, and one cluster, as a live scheduler understands them: by its own clock, hosts by name."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from loadmaster.live.queue.listed_rules import GROUPS
from loadmaster.live.queue.listing import OF_TASKS
from loadmaster.live.session.engine import HELD, NOWHERE, RUNNING
from loadmaster.model import Cluster
from loadmaster.model.constraints import EXCLUSIVE
from loadmaster.traces.constraint_columns import DEFAULTS, NAMED

Row = dict[str, Any]
"""A job's columns in a listing."""
_NOTHING: dict[str, Any] = {
    **{name: kind(default).item() for name, (kind, default) in DEFAULTS.items()}, **dict.fromkeys(NAMED),
    "depends": "", GROUPS: [], "tasks": 1, "user": -1, "project": 0, "job_id": -1,
}  # fmt: skip
"""What a column says of a job that it says nothing of."""
_HOST = EXCLUSIVE.index("host")


def state_of(row: Row) -> int:
    """Of a job: what the furthest of its tasks does; one that ends holds its hosts as one that runs.

    Example:
        >>> state_of({"state": [0, 3]}) == RUNNING
        True
    """
    return int(min(max(row["state"]), RUNNING))


def what_it_is(row: Row | None) -> Row | None:
    """A job's row without what it does."""
    return None if row is None else {name: value for name, value in row.items() if name not in OF_TASKS}


def alike(rows: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Rows of several listings, all with the same columns; a listing leaves out those that none of its jobs needs.

    Example:
        >>> several, one = {"submit_s": 0.0, "min_hosts": 2, "tasks": 2}, {"submit_s": 1.0}
        >>> alike([several, one])[1]
        {'submit_s': 1.0, 'min_hosts': 0, 'tasks': 1}
    """
    columns = dict.fromkeys(name for row in rows for name in row if name not in OF_TASKS)
    return [{name: row[name] if name in row else _unsaid(name, row) for name in columns} for row in rows]


def _unsaid(name: str, row: Mapping[str, Any]) -> Any:
    like = {"eligible_s": "submit_s", "estimate_s": "runtime_s"}.get(name)
    return _NOTHING[name] if like is None else row[like]


def as_known(before: Mapping[str, Any] | None, row: Row, now_s: float, *, waited: bool) -> Row:
    """A job's row as a ledger goes on with it: engines tell of a job that is let go what it got, not what it requested.

    Args:
        before: the row of the same job in an earlier listing, as this function made it; None: it is new.
        row: as it is now.
        now_s: when that is; what has let the job go since `before` did so now.
        waited: the job could have started at an earlier moment.
    """
    if before is None:
        return row
    merged = {**row, "submit_s": min(before["submit_s"], row["submit_s"])}  # to be sent back is no new submission
    if state_of(row) != HELD and "holds" in row:  # which says what the job has on each host
        merged |= {name: value for name, value in before.items() if name not in OF_TASKS and name != "hold"}
    if "eligible_s" in row and "eligible_s" in before:
        released = before.get("hold") and not row.get("hold") and not waited
        merged["eligible_s"] = max(row["eligible_s"], now_s if released else min(before["eligible_s"], now_s))
    return merged


def as_asked(before: Mapping[str, Any] | None, row: Row, now_s: float) -> Row:
    """A row with what its job requested: of one that is let go engines tell what it got, and forget what it waited for.

    Args:
        before: the row of the same job in an earlier listing, as this function made it; None: it is new.
        row: as it is now.
        now_s: when that is; what has let the job go since `before` did so now.
    """
    if before is None:
        return row
    columns = ["depends", *(["throttle"] if not row.get("throttle") else [])]
    if state_of(row) != HELD:
        columns += ["priority", *(["exclusive", "demand"] if before.get("exclusive") == _HOST else [])]
    merged = {**row, **{name: before[name] for name in columns if name in before}}
    merged["submit_s"] = min(before["submit_s"], row["submit_s"])  # to be sent back is no new submission
    if "eligible_s" in row and "eligible_s" in before:
        waited_until_s = now_s if before.get("hold") and not row.get("hold") else min(before["eligible_s"], now_s)
        merged["eligible_s"] = max(row["eligible_s"], waited_until_s)
    if before.get("hold") == 0:
        merged["hold"] = 0  # a job that was held later waited before that
    return merged


def hosts_in(row: Row, names: list[str], *, pinned: bool = False) -> tuple[str, ...]:
    """The hosts of a job's tasks, where it runs or else where it is pinned; a task without any is with the others.

    Args:
        row: of the job.
        names: of all hosts.
        pinned: look at the pins alone.
    """
    where = row["pin" if pinned else "host"]
    rows = [host if host != NOWHERE else pin for host, pin in zip(where, row["pin"], strict=True)]
    first_host = next((host for host in rows if host != NOWHERE), 0)
    return tuple(names[host if host != NOWHERE else first_host] for host in rows)


def expected_s(row: Row, hosts: tuple[str, ...], cluster: Cluster) -> float:
    """How long a job is expected to run on some hosts; those that are not there any more count as the last one."""
    speeds = cluster.speed
    assert speeds is not None
    numbers = [cluster.names.index(host) if host in cluster.names else -1 for host in hosts]
    slowest = min((float(speeds[number]) for number in numbers), default=1.0)
    return limit_s(row) / slowest


def limit_s(row: Mapping[str, Any]) -> float:
    """How long a job may run, or is expected to where it has no limit."""
    return float(row["estimate_s"] if "estimate_s" in row else row["runtime_s"])


def began_s(row: Mapping[str, Any]) -> float | None:
    """When a job began to run as the engine tells it, by the engine's clock; None where it does not."""
    start_s = float(row["start_s"][0]) if "start_s" in row else math.nan
    return start_s if math.isfinite(start_s) else None


def row_on_run_clock(row: Row, origin_s: float, first_s: float) -> Row:
    """Times from our origin; what came while a cycle was at work, which first saw it at `first_s`, came as it began."""
    shifted = {**row, "submit_s": max(0.0, min(row["submit_s"] - origin_s, first_s))}
    if "eligible_s" in row:
        shifted["eligible_s"] = max(0.0, float(row["eligible_s"]) - origin_s)
    return shifted
