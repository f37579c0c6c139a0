"""The last step of every reader: columns in file order become a workload in the order of arrival."""

from typing import NamedTuple

import numpy as np

from loadmaster.model import Constraints, Named, Workload
from loadmaster.model.arrays import Floats, Ints, Longs


class Rows(NamedTuple):
    """Columns of N jobs in the order of the file; `Workload` describes what they hold."""

    submit_s: Floats
    runtime_s: Floats
    demand: Floats
    tasks: Ints | None = None
    estimate_s: Floats | None = None
    project: Ints | None = None
    user: Ints | None = None
    job_id: Longs | None = None
    recorded_wait_s: Floats | None = None
    """Negative, or no number, where it is unknown."""
    recorded_hosts: Named | None = None
    constraints: Constraints | None = None
    """Its `eligible_s` on the clock of `submit_s`."""

    def at(self, order: Longs) -> "Rows":
        """The rows numbered `order`."""
        tables = ("constraints", "recorded_hosts")
        columns = {name: c for name, c in self._asdict().items() if c is not None and name not in tables}
        constraints = None if self.constraints is None else self.constraints.take(order)
        ran_on = None if self.recorded_hosts is None else self.recorded_hosts.take(order)
        return self._replace(
            constraints=constraints, recorded_hosts=ran_on, **{name: c[order] for name, c in columns.items()}
        )


EARLIEST_DATE_S = 3e8
"""Submit times from here on (1979) are dates: seconds since 1970. Smaller ones count from the start of the log."""


def workload_of(
    rows: Rows,
    resources: tuple[str, ...],
    source: str,
    *,
    synthetic: bool = False,
    epoch_s: float | None = None,
) -> tuple[Workload, Longs | None]:
    """The jobs sorted by arrival, equal arrivals in file order, the first at 0.

    Args:
        rows: columns in the order of the file.
        resources: names of the columns of the demand.
        source: where the jobs come from.
        synthetic: made by a generator.
        epoch_s: the date of second 0 of the file's clock, in seconds since 1970, where its head says it.

    Returns:
        The workload, and int64[J], the row of every job; None if the file was in order already.
    """
    order = None
    if np.any(rows.submit_s[1:] < rows.submit_s[:-1]):
        order = np.argsort(rows.submit_s, kind="stable")
        rows = rows.at(order)
    first_s = float(rows.submit_s[0]) if len(rows.submit_s) else 0.0
    began_s = first_s if first_s >= EARLIEST_DATE_S else None if epoch_s is None else epoch_s + first_s
    tasks = rows.tasks if rows.tasks is not None and np.any(rows.tasks != 1) else None
    constraints = None if rows.constraints is None else rows.constraints.shifted(-first_s)
    workload = Workload(
        resources,
        rows.submit_s - first_s,
        rows.runtime_s,
        rows.demand,
        tasks=tasks,
        estimate_s=rows.estimate_s,
        project=_project_numbers(rows.project),
        user=rows.user,
        job_id=rows.job_id,
        recorded_wait_s=_recorded_waits(rows.recorded_wait_s),
        recorded_hosts=rows.recorded_hosts,
        source=source,
        synthetic=synthetic,
        constraints=constraints,
        epoch_s=began_s,
    )
    return workload, order


def _recorded_waits(wait: Floats | None) -> Floats | None:
    """Waits as recorded, NaN where unknown; None where all are."""
    if wait is None:
        return None
    has_wait = np.isfinite(wait) & (wait >= 0)
    return np.where(has_wait, wait, np.nan) if has_wait.any() else None


def _project_numbers(project: Ints | None) -> Ints | None:
    """Projects from 0 up; those of unknown project (negative) become one project of their own."""
    if project is None or project.size == 0 or project.max() < 0:
        return None
    if project.min() >= 0:
        return project
    return np.where(project < 0, project.max() + 1, project).astype(np.int32)
