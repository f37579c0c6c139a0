"""Two records of the same jobs compared: which jobs start at another time or on other hosts, which metrics moved."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from loadmaster.measure.metric import values_of
from loadmaster.measure.scheduled import ScheduledJobs
from loadmaster.model import InputError
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.runs.record import Record


@dataclass(frozen=True, eq=False)
class RecordDifference:
    """N jobs that stand in both of two records; a job is known by its name in the log.

    Attributes:
        first, second: the records.
        row: int64[N, 2], the job's row in each, in the order of arrival in the first.
        only: how many jobs stand in the first alone, and in the second alone.
    """

    first: Record
    second: Record
    row: Longs
    only: tuple[int, int]

    @cached_property
    def start_s(self) -> Floats:
        """float64[N, 2]: the start in each record, NaN where the job never started."""
        return np.column_stack([each.schedule.start_s[rows] for each, rows in self._sides])

    @cached_property
    def end_s(self) -> Floats:
        """float64[N, 2]: the end in each record, NaN where the job never started."""
        ends = [each.schedule.ends_s(each.workload)[rows] for each, rows in self._sides]
        return np.column_stack(ends)

    @cached_property
    def later_s(self) -> Floats:
        """float64[N]: by how much longer after its arrival the job starts in the second; NaN unless both start it."""
        submit_s = np.column_stack([each.workload.submit_s[rows] for each, rows in self._sides])
        delay_s = self.start_s - submit_s
        return np.asarray(delay_s[:, 1] - delay_s[:, 0])

    @cached_property
    def moved(self) -> Bools:
        """bool[N]: both start the job, on hosts of other names."""
        both = ~np.isnan(self.start_s).any(axis=1)
        return both & ~_same_hosts(self._sides)

    @property
    def started_in_one(self) -> Bools:
        """bool[N]: one record starts the job, the other does not."""
        never = np.isnan(self.start_s)
        return np.asarray(never[:, 0] != never[:, 1])

    @cached_property
    def differs(self) -> Bools:
        """bool[N]: the job starts at another time, on other hosts, in one record alone, or ends at another time."""
        later, ends = np.nan_to_num(self.later_s) != 0, self.end_s[:, 1] - self.end_s[:, 0]
        otherwise = np.nan_to_num(ends - self.later_s) != 0
        return np.asarray(later | self.moved | self.started_in_one | otherwise)

    @property
    def equal(self) -> bool:
        """Whether both hold the same jobs with the same starts, hosts and ends."""
        return not self.only[0] and not self.only[1] and not self.differs.any()

    @property
    def largest_first(self) -> Longs:
        """int64[M]: numbers of the pairs that differ, those started in one record first, then by the time between."""
        at = np.flatnonzero(self.differs)
        size = np.where(self.started_in_one[at], np.inf, np.abs(np.nan_to_num(self.later_s[at])))
        return np.asarray(at[np.argsort(-size, kind="stable")])

    @cached_property
    def metrics(self) -> dict[str, tuple[float, float]]:
        """Every built-in metric in the first and the second."""
        one, other = (
            values_of(ScheduledJobs(each.workload, each.case.cluster, each.schedule)) for each, _ in self._sides
        )
        return {name: (value, other.get(name, math.nan)) for name, value in one.items()}

    @property
    def settings(self) -> dict[str, tuple[Any, Any]]:
        """The differences between the two runs: parts of the setting, the data, the version of the program."""
        one, other = (
            {**each.setting.plain(), "name of the data": each.case.digest, "version": each.about.get("version", "")}
            for each, _ in self._sides
        )
        return {name: (one[name], other[name]) for name in one if one[name] != other[name]}

    def frame(self, pairs: Longs) -> pl.DataFrame:
        """A row for each of `pairs`: job, submit_s, start_s, start_s_second, later_s, host, host_second."""
        rows, names = self.row[pairs], [self.first.name_of(row) for row in self.row[pairs, 0].tolist()]
        hosts = [
            [_first_host(each, row) for row in rows[:, side].tolist()] for side, (each, _) in enumerate(self._sides)
        ]
        return pl.DataFrame(
            {
                "job": [str(name) for name in names],
                "submit_s": self.first.workload.submit_s[rows[:, 0]],
                "start_s": self.start_s[pairs, 0],
                "start_s_second": self.start_s[pairs, 1],
                "later_s": self.later_s[pairs],
                "host": hosts[0],
                "host_second": hosts[1],
            },
            schema_overrides={"job": pl.String, "host": pl.String, "host_second": pl.String},
            nan_to_null=True,
        )

    @property
    def _sides(self) -> Sequence[tuple[Record, Longs]]:
        return (self.first, self.row[:, 0]), (self.second, self.row[:, 1])


def record_difference(first: Record, second: Record) -> RecordDifference:
    """Match the jobs of two records by name; of several with one name the first goes with the first, and so on.

    Raises:
        InputError: no job stands in both.
    """
    one, other = (_names(record) for record in (first, second))
    pairs = one.join(other, on=["name", "turn"], how="inner", maintain_order="left").select("row", "row_right")
    if pairs.is_empty():
        rule = "these two records have no job in common"
        raise InputError(second.workload.source or "the second record", rule, fix="compare runs of the same log")
    row = pairs.to_numpy().astype(np.int64).reshape(-1, 2)
    return RecordDifference(first, second, row, (len(one) - len(row), len(other) - len(row)))


def _names(record: Record) -> pl.DataFrame:
    """A row for each job: its name, the how many-eth of that name it is, its row."""
    names = pl.Series("name", [str(record.name_of(job)) for job in range(record.workload.jobs)], pl.String)
    frame = pl.DataFrame({"name": names}).with_row_index("row")
    return frame.with_columns(turn=pl.int_range(pl.len()).over("name"))


def _same_hosts(sides: Sequence[tuple[Record, Longs]]) -> Bools:
    """bool[N]: the tasks of the job lie on hosts of the same names, in whatever order."""
    codes: dict[str, int] = {}
    columns = []
    for record, rows in sides:
        cluster = record.case.cluster
        code = np.array([codes.setdefault(cluster.name(host), len(codes)) for host in range(cluster.hosts)] + [-1])
        first, work = record.workload.first_task, record.workload
        count = work.task_count[rows].astype(np.int64)
        job = np.repeat(np.arange(len(rows)), count)
        task = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first[rows], count)
        host = code[record.schedule.host[task]]
        order = np.lexsort((host, job))
        columns.append((count, job[order], host[order]))
    (count, job, host), (others, job_there, host_there) = columns
    same: Bools = count == others
    if same.all():
        np.logical_and.at(same, job, host == host_there)
        return same
    for pair in np.flatnonzero(same):  # only where some job has another number of tasks
        same[pair] = np.array_equal(host[job == pair], host_there[job_there == pair])
    return same


def _first_host(record: Record, job: int) -> str | None:
    """The name of the host of the job's first task."""
    host = int(record.schedule.host[record.workload.first_task[job]])
    return None if host < 0 else record.case.cluster.name(host)
