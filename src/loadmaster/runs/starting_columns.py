"""The starting state of a run in its record: which jobs ran as it began, since when, where, and until when."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from loadmaster.model import StartingState, Workload

_TIMES = ("start_s", "expected_end_s", "end_s")


def begins_of(state: StartingState | None) -> dict[str, Any] | None:
    """What `run.json` says of it; None where hosts are empty at first."""
    return None if state is None else {"now_s": state.now_s, "last_host": state.last_host}


def begun_columns(workload: Workload) -> dict[str, Any]:
    """What `jobs.parquet` says of it: hosts and times of the jobs that ran, nothing of any other."""
    state = workload.starting
    if state is None:
        return {}
    tasks = np.split(state.host, np.cumsum(workload.task_count[state.job])[:-1])
    hosts = dict(zip(state.job.tolist(), (each.tolist() for each in tasks), strict=True))
    columns: dict[str, Any] = {
        "begun_on": pl.Series([hosts.get(job) for job in range(workload.jobs)], dtype=pl.List(pl.Int32))
    }
    for name in _TIMES:
        if getattr(state, name) is not None:
            columns[f"begun_{name}"] = np.full(workload.jobs, np.nan)
            columns[f"begun_{name}"][state.job] = getattr(state, name)
    return columns


def starting_in(jobs: pl.DataFrame, begins: Mapping[str, Any] | None) -> StartingState | None:
    """The state that a record holds."""
    if begins is None:
        return None
    job = np.flatnonzero(jobs["begun_on"].is_not_null().to_numpy())
    host = jobs["begun_on"].drop_nulls().explode().to_numpy()
    times: dict[str, Any] = {name: jobs[f"begun_{name}"].to_numpy()[job] for name in _TIMES if f"begun_{name}" in jobs}
    return StartingState(begins["now_s"], job, host=host, last_host=begins["last_host"], **times)
