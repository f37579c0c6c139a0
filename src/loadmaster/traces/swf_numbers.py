"""A log in the numbers of SWF: names, states and the job before have fields there; a note counts all else."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model import Constraints, Dependencies, Named, Workload
from loadmaster.model.arrays import Ints, Longs
from loadmaster.model.constraints import STATUSES
from loadmaster.model.dependencies import KINDS
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.system.counted import counted
from loadmaster.traces.constraint_columns import DEFAULTS
from loadmaster.traces.swf_names import SwfName

_STATE = {"ok": 1, "failed": 0, "partial": 2, "cancelled": 5}
"""Field 11 by how a job ended; any other end is a failure there."""
_FAILURE = 0
_ENDS = (KINDS.index("afterany"), KINDS.index("afterok"))
_LARGEST = (1 << 31) - 1
_NO_FIELD = {
    "priority": "priorities", "nice": "nice values", "hold": "holds", "array": "tasks of arrays",
    "throttle": "throttles of arrays", "features": "features of hosts", "exclusive": "whole hosts",
    "min_hosts": "requested numbers of hosts", "reservation": "reservations", "requeue": "refusals to be requeued",
    "restarts": "restarts",
}  # fmt: skip
"""Constraints of which SWF knows nothing."""


class SwfNumbers(NamedTuple):
    """What stands in fields 11 to 17.

    Attributes:
        columns: by the names of `swf_block.EXTRA`, and `user` and `project`; int[J], -1 for unknown.
        names: behind the numbers.
        lost: what SWF has no field for, one sentence each.
    """

    columns: dict[str, NDArray[Any]]
    names: list[SwfName]
    lost: list[str]


def swf_numbers(workload: Workload, extra: Mapping[str, NDArray[Any]]) -> SwfNumbers:
    """The numbers of `workload`; those that SWF said itself (`extra`) stay as they are."""
    bound = workload.constraints or Constraints()
    columns: dict[str, NDArray[Any]] = {}
    names: list[SwfName] = []

    def put(column: str, field: str, codes: Ints, of: tuple[str, ...]) -> None:
        columns[column], added = _numbered(field, codes, of)
        names.extend(added)

    project = extra.get("project", workload.project)
    for column, field, codes, of in (
        ("user", "user", workload.user, bound.user_names),
        ("project", "group", project, bound.account_names),
    ):
        if codes is not None and of:
            put(column, field, np.where(codes < len(of), codes, -1), of)
        elif codes is not None:
            columns[column] = codes
    for column, named in (("queue", bound.qos), ("partition", bound.partition), ("executable", bound.name)):
        if named is not None and not (_is_known(extra, column) and all(map(_is_number, named.names))):
            put(column, column, named.code, named.names)
    if bound.status is not None and not _is_known(extra, "status"):
        columns["status"] = np.array([_STATE.get(word, _FAILURE) for word in STATUSES], np.int32)[bound.status]
    if bound.depends is not None and bound.follows is None and not _is_known(extra, "preceding_job"):
        columns["preceding_job"] = _before(workload, bound.depends)
    return SwfNumbers(columns, names, _lost(workload, bound, columns))


def _is_known(extra: Mapping[str, NDArray[Any]], name: str) -> bool:
    return name in extra and bool((extra[name] >= 0).any())


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdecimal() and str(int(name)) == name and int(name) <= _LARGEST


def _numbered(field: str, codes: Ints, names: tuple[str, ...]) -> tuple[Ints, list[SwfName]]:
    """Numbers from 1 up in place of codes; names that are numbers stand for themselves."""
    own = [int(name) for name in names] if all(map(_is_number, names)) else range(1, len(names) + 1)
    number = np.array([*own, -1], np.int32)
    used = np.unique(codes[codes >= 0]).tolist()
    return number[np.where(codes >= 0, codes, -1)], [SwfName(field, int(number[code]), names[code]) for code in used]


def _before(workload: Workload, depends: Dependencies) -> Longs:
    """int64[J]: the one job of the log after whose end a job may start, -1 where there is none or are several."""
    number = np.arange(workload.jobs) if workload.job_id is None else workload.job_id
    rows = np.minimum(depends.first[:-1], max(len(depends.on) - 1, 0))
    if not len(depends.on):
        return np.full(workload.jobs, -1, np.int64)
    one = (np.diff(depends.first) == 1) & np.isin(depends.kind[rows], _ENDS) & (depends.task[rows] < 0)
    return np.where(one & np.isin(depends.on[rows], number), depends.on[rows], -1)


def _lost(workload: Workload, bound: Constraints, columns: Mapping[str, NDArray[Any]]) -> list[str]:
    counts = {
        _resource(name): int((workload.demand[:, r] > 0).sum())
        for r, name in enumerate(workload.resources)
        if name not in (CORES, MEMORY)
    }
    counts["how many cores of a job lie on one host"] = int((workload.demand[:, 0] > 1).sum())
    if bound.status is not None and "status" in columns:
        other = [code for code, word in enumerate(STATUSES) if word not in _STATE]
        counts["timeouts, preemptions and host failures, which are written as failed"] = int(
            np.isin(bound.status, other).sum()
        )
    for name, column in bound.columns():
        if name in _NO_FIELD:
            counts[_NO_FIELD[name]] = int(
                (column.code >= 0).sum() if isinstance(column, Named) else (column != DEFAULTS[name][1]).sum()
            )
    if bound.eligible_s is not None:
        counts["begin times"] = int((bound.eligible_s > workload.submit_s).sum())
    if bound.limit_s is not None:
        estimate_s = workload.runtime_s if workload.estimate_s is None else workload.estimate_s
        counts["time limits beside estimates"] = int((np.isfinite(bound.limit_s) & (bound.limit_s != estimate_s)).sum())
    if bound.depends is not None:
        others = np.diff(bound.depends.first) > 0
        if "preceding_job" in columns:
            others = others & (columns["preceding_job"] < 0)
            rows = np.repeat(np.arange(workload.jobs), np.diff(bound.depends.first))
            well = (bound.depends.kind == KINDS.index("afterok")) & ~others[rows]
            counts["afterok, which is written as afterany"] = int(well.sum())
        counts["dependencies other than on the end of one job of the log"] = int(others.sum())
    if workload.recorded_hosts is not None:
        counts["the hosts on which jobs ran"] = int((workload.recorded_hosts.code >= 0).sum())
    return [f"SWF has no field for {what} ({counted(count, 'job')})." for what, count in counts.items() if count]


def _resource(name: str) -> str:
    return "GPUs" if name == GPUS else name
