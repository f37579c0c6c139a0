"""Observations as plain data, and what changes from one to the next: what a record holds, and what is decided on.

A scheduler that runs live decides on what was written down and on nothing else: every observation is put into this
form, and built up again from it, before any use.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from loadmaster.live.queue.listed_rules import GROUPS, groups_by_job, plain_rules
from loadmaster.live.session.engine import Observation
from loadmaster.model import Cluster, Constraints, Dependencies, InputError, Named, SiteRules, Workload
from loadmaster.traces.constraint_columns import NAMED

Listing = dict[str, Any]
"""One observation: `at_s`, `token`, `cluster`, `up`, `names`, `jobs` (id: its columns), `left_out`, `over`, `rules`."""

_RULES = TypeAdapter(SiteRules)
_WHOLE = ("at_s", "token", "cluster", "up", "names", "left_out", "over", "rules")
_COLUMNS = ("runtime_s", "estimate_s", "tasks", "project", "user", "job_id")
OF_TASKS = ("state", "host", "pin", "start_s", "holds", "awaits")
"""Columns of a job's row that say what it does, the last of jobs that wait for others; all others say what it is."""


def listing_of(seen: Observation) -> Listing:
    """The observation as plain data."""
    cluster = seen.cluster
    if cluster is None:
        raise InputError("no hosts", "a queue needs hosts that are there", fix="see what the engine shows of its hosts")
    assert cluster.speed is not None
    bound = seen.jobs.constraints or Constraints()
    return {
        "at_s": seen.at_s,
        "token": seen.token,
        "cluster": {
            "resources": list(cluster.resources),
            "names": list(cluster.names),
            "speed": cluster.speed.tolist(),
            "capacity": cluster.capacity.tolist(),
            "rules": None
            if cluster.rules is None
            else _RULES.dump_python(cluster.rules, mode="json", exclude_defaults=True),
        },
        "up": [bool(each) for each in seen.up],
        "names": {"user": list(bound.user_names), "account": list(bound.account_names)},
        "jobs": _rows(seen, bound),
        "left_out": [list(row) for row in seen.left_out],
        "over": [[each.id, each.end_s, each.status] for each in seen.over],
        **({"rules": plain_rules(seen.rules)} if seen.rules else {}),
    }


def cluster_in(about: Mapping[str, Any]) -> Cluster:
    """The hosts that a listing describes."""
    rules = None if about["rules"] is None else _RULES.validate_python(about["rules"])
    return Cluster(
        tuple(about["resources"]),
        np.array(about["capacity"], float),
        tuple(about["names"]),
        np.array(about["speed"], float),
        rules,
    )


def change(before: Listing, after: Listing) -> dict[str, Any]:
    """What `applied` needs to make `after` of `before`; the time alone where nothing has changed."""
    changes: dict[str, Any] = {name: after.get(name) for name in _WHOLE if before.get(name) != after.get(name)}
    old, new = before.get("jobs", {}), after["jobs"]
    if gone := [name for name in old if name not in new]:
        changes["gone"] = gone
    if fresh := {name: row for name, row in new.items() if old.get(name, {}).keys() != row.keys()}:
        changes["new"] = fresh
    fields = {
        name: {field: value for field, value in row.items() if old[name][field] != value}
        for name, row in new.items()
        if name not in fresh and old[name] != row
    }
    return changes | ({"set": fields} if fields else {})


def applied(before: Listing, changed: Mapping[str, Any]) -> Listing:
    """The observation that followed `before`."""
    gone = set(changed.get("gone", ()))
    jobs = {name: row for name, row in before.get("jobs", {}).items() if name not in gone}
    jobs |= changed.get("new", {})
    jobs |= {name: {**jobs[name], **fields} for name, fields in changed.get("set", {}).items()}
    whole = {**before, **{name: changed[name] for name in _WHOLE if name in changed}, "jobs": jobs}
    return {name: value for name, value in whole.items() if value is not None}  # there may be no rules any more


def _rows(seen: Observation, bound: Constraints) -> dict[str, dict[str, Any]]:
    jobs, tasks = seen.jobs, seen.tasks
    columns: dict[str, list[Any]] = {"submit_s": jobs.submit_s.tolist(), "demand": jobs.demand.tolist()}
    columns |= {name: getattr(jobs, name).tolist() for name in _COLUMNS if getattr(jobs, name) is not None}
    for name, column in bound.columns():
        if isinstance(column, Named):
            columns[name] = column.words()
        elif isinstance(column, Dependencies):
            columns[name] = [column.text(job) for job in range(len(column))]
        else:
            columns[name] = [_plain(value) for value in column.tolist()]
    first = np.searchsorted(tasks.job, np.arange(jobs.jobs + 1)).tolist()
    parts = {"state": tasks.state, "host": tasks.host, "pin": tasks.pin, "start_s": tasks.start_s}
    for name, part in (parts | {"holds": tasks.demand}).items():
        if part is not None:
            values = [_plain(value) for value in part.tolist()]
            columns[name] = [values[first[job] : first[job + 1]] for job in range(jobs.jobs)]
    each = zip(*columns.values(), strict=True)
    rows = {name: dict(zip(columns, row, strict=True)) for name, row in zip(seen.ids, each, strict=True)}
    for name, groups in groups_by_job(seen).items():
        rows[name][GROUPS] = groups
    for waits in seen.awaits:
        rows[waits.id]["awaits"] = waits.plain()
    return rows


def _plain(value: Any) -> Any:
    """JSON has no infinity: a word for what is not finite."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def workload_in(cluster: Cluster, rows: Sequence[Mapping[str, Any]], names: Mapping[str, list[str]]) -> Workload:
    """The jobs that rows of a listing describe, all with the same columns, in the order of arrival."""
    there = rows[0].keys() if rows else ()
    demand = np.array([row["demand"] for row in rows], float).reshape(len(rows), len(cluster.resources))
    return Workload(
        cluster.resources,
        _floats(rows, "submit_s"),
        demand=demand,
        **{name: _numbers(rows, name) for name in _COLUMNS if name in there or name == "runtime_s"},
        constraints=_constraints(rows, names),
    )


def _constraints(rows: Sequence[Mapping[str, Any]], names: Mapping[str, list[str]]) -> Constraints:
    columns: dict[str, Any] = {}
    for name in rows[0] if rows else ():
        if name in NAMED:
            columns[name] = Named.of(row[name] for row in rows)
        elif name == "depends":
            columns[name] = Dependencies.of(row[name] for row in rows)
        elif name not in ("submit_s", "demand", GROUPS, *_COLUMNS, *OF_TASKS):
            columns[name] = _numbers(rows, name)
    return Constraints(**columns, user_names=tuple(names["user"]), account_names=tuple(names["account"]))


def _numbers(rows: Sequence[Mapping[str, Any]], name: str) -> Any:
    return _floats(rows, name) if any(isinstance(row[name], str) for row in rows) else np.array([r[name] for r in rows])


def _floats(rows: Sequence[Mapping[str, Any]], name: str) -> Any:
    return np.array([float(row[name]) for row in rows], float)
