"""Constraints of jobs in a dump of Slurm: columns of `sacct` and `squeue`, and options of the submit command."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model.arrays import Floats
from loadmaster.model.constraints import EXCLUSIVE, HOLDS, STATUSES
from loadmaster.model.errors import InputError
from loadmaster.model.features import with_terms
from loadmaster.model.gres import with_models
from loadmaster.model.host_names import host_names
from loadmaster.traces.constraint_columns import BindingColumns
from loadmaster.traces.slurm_demand import WHOLE_HOSTS, gpu_kind, models_asked_for
from loadmaster.traces.slurm_features import features_asked, hosts_asked_for
from loadmaster.traces.slurm_fields import hosts_asked, licences_asked, nodes
from loadmaster.traces.slurm_queue import NAMED, WITHOUT
from loadmaster.traces.submit_line import SubmitOptions, submit_options
from loadmaster.traces.values import moments, numbers, words

STATUS = {
    "COMPLETED": "ok", "FAILED": "failed", "OUT_OF_MEMORY": "failed", "BOOT_FAIL": "node_fail",
    "NODE_FAIL": "node_fail", "TIMEOUT": "timeout", "DEADLINE": "timeout", "CANCELLED": "cancelled",
    "REVOKED": "cancelled", "PREEMPTED": "preempted",
}  # fmt: skip
"""Slurm's states of jobs that ended, by their first word, as `STATUSES`."""
_FIELDS = {"partition": "partition", "qos": "qos", "name": "jobname"}
_NOTHING = SubmitOptions()
_ARRAY = r"^([0-9]+)_(?:([0-9]+)|\[)"


def bound_columns(
    frame: pl.DataFrame,
    bound: BindingColumns,
    limit: Floats,
    tasks: Floats,
    lines: Sequence[SubmitOptions],
    marks: dict[str, Any],
) -> dict[str, NDArray[Any]]:
    """Columns of `Constraints` for the rows of `frame`, whose columns bear the names of `sacct` in lower case.

    Args:
        frame: all cells as text.
        bound: knows the names so far.
        limit: float64[N], the time limit in seconds, NaN where there is none.
        tasks: float64[N], of the jobs: none can request more hosts.
        lines: what the command line of each job says; () where the log has none.
        marks: rows of which a note is to be made are put here.
    """
    columns: dict[str, NDArray[Any]] = {
        name: bound.codes(name, frame[field]) for name, field in _FIELDS.items() if field in frame.columns
    }
    columns["gpu_kind"] = bound.codes("gpu_kind", gpu_kind(frame, lines))
    asked = licences_asked(frame)
    if lines:
        asked = asked.fill_null(pl.Series([one.licences or None for one in lines], dtype=pl.String))
    columns["licences"] = bound.codes("licences", asked)
    columns["min_hosts"], columns["max_hosts"] = hosts_asked(frame)
    columns["limit_s"] = np.where(limit > 0, limit, np.inf)
    if "eligible" in frame.columns:
        columns["eligible_s"] = moments(frame["eligible"]).values
    for name, field in (("priority", "priority"), ("restarts", "restarts"), ("nice", "nice")):
        if field in frame.columns:
            columns[name] = np.nan_to_num(numbers(frame[field]).values)
    if "restarts" in columns:
        columns["restarts"] = np.clip(columns["restarts"], 0, 1 << 30)
    if "state" in frame.columns:
        columns["status"] = _status(words(frame["state"]))
    if "jobid" in frame.columns:
        of_array = words(frame["jobid"])
        for name, group in (("array", 1), ("array_task", 2)):
            code = of_array.str.extract(_ARRAY, group).cast(pl.Int32, strict=False).fill_null(-1)
            columns[name] = code.to_numpy()
    _command_line_columns(frame, bound, lines, columns, marks)
    _queue_columns(frame, columns)
    marks["shared by some"], marks["shares cores"] = _sharing(frame, lines)
    columns["min_hosts"] = np.minimum(columns["min_hosts"], tasks).astype(np.int32)
    columns["max_hosts"] = np.clip(columns["max_hosts"], 0, 1 << 30).astype(np.int32)
    return columns


def _status(state: pl.Series) -> NDArray[np.int32]:
    codes = {word: STATUSES.index(ours) for word, ours in STATUS.items()}
    first = state.str.extract(r"^([A-Z_]+)", 1)
    return np.asarray(first.replace_strict(codes, default=0, return_dtype=pl.Int32).fill_null(0).to_numpy())


def command_lines(frame: pl.DataFrame) -> Sequence[SubmitOptions]:
    """What the command line of each row says; () where the log has none."""
    if "submitline" not in frame.columns:
        return ()
    lines = words(frame["submitline"])
    by_line = {line: submit_options(line) for line in lines.drop_nulls().unique().to_list()}
    return [by_line.get(line, _NOTHING) for line in lines.to_list()]


def _command_line_columns(
    frame: pl.DataFrame,
    bound: BindingColumns,
    lines: Sequence[SubmitOptions],
    columns: dict[str, NDArray[Any]],
    marks: dict[str, Any],
) -> None:
    """What the command line says, where there is one, and the columns that say the same."""
    rows = frame.height
    empty = pl.Series([None], dtype=pl.String).new_from_index(0, rows)
    features, depends, reserved, named, without = (
        words(frame[name]).replace("(null)", None) if name in frame.columns else empty
        for name in ("constraints", "dependency", "reservation", NAMED, WITHOUT)
    )
    if lines:
        features = features.fill_null(pl.Series([one.constraint or None for one in lines], dtype=pl.String))
        named = named.fill_null(pl.Series([one.named or None for one in lines], dtype=pl.String))
        without = without.fill_null(pl.Series([one.without or None for one in lines], dtype=pl.String))
        depends = depends.fill_null(pl.Series([one.depends or None for one in lines], dtype=pl.String))
        columns["throttle"] = np.array([one.throttle for one in lines], np.int32)
        columns["exclusive"] = np.array([one.exclusive for one in lines], np.int32)
        columns["requeue"] = np.array([one.requeue != 0 for one in lines])
        least, most = (np.array([one.nodes[k] for one in lines], np.int32) for k in (0, 1))
        columns["min_hosts"] = np.where(least > 0, least, columns["min_hosts"])
        columns["max_hosts"] = np.where(least > 0, most, columns["max_hosts"])
        reserved = reserved.fill_null(pl.Series([one.reservation or None for one in lines], dtype=pl.String))
        columns.setdefault("nice", np.array([one.nice for one in lines]))
        if "eligible" not in frame.columns:
            marks["later"] = np.array([one.later for one in lines])
    columns["reservation"] = bound.codes("reservation", reserved)
    asked = pl.DataFrame([features, named, without, models_asked_for(frame, lines), pl.Series(nodes(frame))])
    texts, marks["some hosts named"] = _asked_of_hosts(asked)
    columns["features"] = bound.codes("features", texts)
    columns["depends"] = bound.codes("depends", depends)


def _asked_of_hosts(asked: pl.DataFrame) -> tuple[pl.Series, NDArray[np.bool_]]:
    """What each job requests of its hosts, as `parse_features` reads it, and which jobs name impossible hosts.

    Args:
        asked: features, hosts named, hosts excluded, models of GPUs, and how many hosts the job takes.
    """
    if all(asked.to_series(column).null_count() == asked.height for column in range(4)):
        return pl.Series([None], dtype=pl.String).new_from_index(0, asked.height), np.zeros(asked.height, bool)
    rows = asked.rows()
    by_row = {row: _of_hosts(*(each or "" for each in row[:4]), hosts=int(row[4])) for row in set(rows)}
    texts = pl.Series([by_row[row][0] or None for row in rows], dtype=pl.String)
    return texts, np.array([by_row[row][1] for row in rows], bool)


def _of_hosts(features: str, named: str, without: str, models: str, *, hosts: int) -> tuple[str, bool]:
    if features:
        with suppress(InputError):  # what cannot be served stays as it is, and is counted with the other ones
            features = features_asked(features, hosts)
    text = with_models(features, models.split(",") if models else ())
    try:
        served = "/" not in named + without and len(set(host_names(named))) in (0, hosts)
        terms = hosts_asked_for(named, without) if served and host_names(without) is not None else []
    except InputError:
        served, terms = False, []
    return with_terms(text, terms), not served


def _sharing(frame: pl.DataFrame, lines: Sequence[SubmitOptions]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which jobs want hosts with jobs of their user or group alone, and which let other jobs use their cores."""
    some, cores = (np.zeros(frame.height, bool) for _ in range(2))
    if lines:
        some, cores = np.array([bool(one.shared_by) for one in lines]), np.array([one.shares for one in lines])
    if "oversubscribe" in frame.columns:
        said = words(frame["oversubscribe"]).str.to_lowercase()
        some |= said.is_in(("user", "mcs", "topo")).fill_null(value=False).to_numpy()
        cores |= (said == "yes").fill_null(value=False).to_numpy()
    return some, cores


def _queue_columns(frame: pl.DataFrame, columns: dict[str, NDArray[Any]]) -> None:
    """What only the queue itself tells: holds, throttles, whole hosts, whether a job may come back."""
    if "reason" in frame.columns:
        reason = words(frame["reason"]).fill_null("")
        user, admin = reason.str.contains("JobHeldUser").to_numpy(), reason.str.contains("JobHeldAdmin").to_numpy()
        columns["hold"] = np.where(user, HOLDS.index("user"), np.where(admin, HOLDS.index("admin"), 0))
    if "throttle" in frame.columns:
        columns["throttle"] = np.clip(numbers(frame["throttle"]).or_else(0.0), 0, 1 << 30)
    if "requeue" in frame.columns:
        columns["requeue"] = numbers(frame["requeue"]).or_else(1.0) != 0
    if "oversubscribe" in frame.columns:
        whole = words(frame["oversubscribe"]).str.to_lowercase().is_in(WHOLE_HOSTS).fill_null(value=False)
        columns["exclusive"] = np.where(whole.to_numpy(), EXCLUSIVE.index("host"), 0)
