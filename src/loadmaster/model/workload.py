"""A workload: jobs in the order of their arrival, one column a property."""

from dataclasses import dataclass, fields, replace
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Floats, Ints, Longs, frozen_floats, frozen_ints, frozen_longs
from loadmaster.model.cluster import Cluster
from loadmaster.model.constraints import Constraints
from loadmaster.model.errors import InputError
from loadmaster.model.exact_amounts import MOST_BESIDE_FRACTIONS, exact_demand, is_whole
from loadmaster.model.name_column import Named
from loadmaster.model.starting_state import StartingState
from loadmaster.model.units import LATEST_S, SHORTEST_S, show_seconds


@dataclass(frozen=True, eq=False, repr=False)
class Workload:
    """J jobs, each of one or more identical tasks.

    Attributes:
        resources: names of the R resources, `cores` first, `memory` second where there is memory.
        submit_s: float64[J], non-decreasing, seconds from the start of the log.
        runtime_s: float64[J], wall seconds, more than 0.
        demand: float64[J, R], what one task requests; rounded down by less than 2**-24, and large amounts to whole
            numbers, as `loadmaster.model.exact_amounts` says.
        tasks: int32[J], number of tasks, 1 or more; None means one task for each job.
        estimate_s: float64[J], the user's own estimate of the runtime; None means the runtime itself.
        project: int32[J], the account that pays (fair share is kept between projects); None means one project.
        user: int32[J], the user that submitted; None means unknown.
        job_id: int64[J], the identifier in the log; None means 0..J-1.
        recorded_wait_s: float64[J], the real wait of each, NaN where unknown; None if the log has no waits.
        recorded_hosts: the real hosts of each, by the log's names, as `model.host_names` reads them; no name where
            unknown; None if the log names no hosts.
        source: where the jobs come from, shown with every result.
        synthetic: made by a generator; every result shows this.
        constraints: further constraints of the jobs; None if the log has none.
        epoch_s: the site's own clock at second 0 of the log, in seconds since 1970; None if the log has no dates.
        starting: the moment at which runs begin and the jobs that run then; None if hosts are empty at first.

    Raises:
        InputError: a column of the wrong length, or the first value that breaks its rule.

    Example:
        >>> Workload.of(submit_s=[0, 5], runtime_s=[60, 60], cores=[1, 2], memory=[0, 0]).jobs
        2
    """

    resources: tuple[str, ...]
    submit_s: Floats
    runtime_s: Floats
    demand: Floats
    tasks: Ints | None = None
    estimate_s: Floats | None = None
    project: Ints | None = None
    user: Ints | None = None
    job_id: Longs | None = None
    recorded_wait_s: Floats | None = None
    recorded_hosts: Named | None = None
    source: str = ""
    synthetic: bool = False
    constraints: Constraints | None = None
    starting: StartingState | None = None
    epoch_s: float | None = None

    def __post_init__(self) -> None:
        for column in ("submit_s", "runtime_s", "demand", "estimate_s", "recorded_wait_s"):
            self._freeze(column, frozen_floats)
        for column in ("tasks", "project", "user"):
            self._freeze(column, frozen_ints)
        self._freeze("job_id", frozen_longs)
        self._check()
        if self.constraints is not None and self.constraints.is_empty:
            object.__setattr__(self, "constraints", None)
        object.__setattr__(self, "demand", frozen_floats(exact_demand(self.demand)))

    @classmethod
    def of(cls, *, submit_s, runtime_s, **columns) -> "Workload":  # type: ignore[no-untyped-def]
        """A small workload from lists; every keyword that is no column of the class is a resource.

        Raises:
            InputError: a keyword is nearly the name of a column, or of one of `Constraints`: probably a typing error.
        """
        optional = {name: columns.pop(name) for name in (*_OPTIONAL, *_OF_ALL) if name in columns}
        for name in columns:
            _refuse_slip(name)
        demand = np.array(list(columns.values()), dtype=float).reshape(len(columns), len(submit_s)).T
        return cls(tuple(columns), np.asarray(submit_s, float), np.asarray(runtime_s, float), demand, **optional)

    def __repr__(self) -> str:
        made = " (synthetic)" if self.synthetic else ""
        what = f"{self.jobs:,} jobs over {show_seconds(self.span_s)}, each requesting {', '.join(self.resources)}"
        return f"<Workload: {self.source or 'unnamed'}{made}, {what}>"

    @property
    def jobs(self) -> int:
        """Number of jobs, J."""
        return int(self.submit_s.shape[0])

    @property
    def task_count(self) -> Ints:
        """int32[J]: tasks of every job."""
        return np.ones(self.jobs, np.int32) if self.tasks is None else self.tasks

    @property
    def projects(self) -> Ints:
        """int32[J]: the account that pays for each job."""
        return np.zeros(self.jobs, np.int32) if self.project is None else self.project

    @property
    def first_task(self) -> Longs:
        """int64[J + 1]: tasks of job j are numbered first_task[j] up to first_task[j + 1]."""
        return np.concatenate(([0], np.cumsum(self.task_count, dtype=np.int64)))

    @property
    def expected_s(self) -> Floats:
        """float64[J]: the runtime a scheduler may count on."""
        return self.runtime_s if self.estimate_s is None else self.estimate_s

    def expecting(self, expected_s: Floats) -> "Workload":
        """The same with these estimates. Columns are views, so later changes of the array show here."""
        return replace(self, estimate_s=expected_s)

    @property
    def span_s(self) -> float:
        """Seconds from the first arrival to the last."""
        return float(self.submit_s[-1] - self.submit_s[0]) if self.jobs else 0.0

    def check_resources(self, cluster: Cluster) -> None:
        """Check that jobs and hosts name the same resources in the same order, and that sums of them are exact.

        Raises:
            InputError: they do not, or a task requests a fraction of a resource of which hosts have more than 2**29.
        """
        if self.resources != cluster.resources:
            raise InputError(
                ", ".join(self.resources),
                f"the hosts have {', '.join(cluster.resources)}",
                fix="give the jobs and the hosts the same resources in the same order",
            )
        for resource in np.flatnonzero((cluster.capacity > MOST_BESIDE_FRACTIONS).any(axis=0)):
            if not is_whole(column := self.demand[:, [resource]]):
                raise InputError(
                    f"{column[column != np.floor(column)][0]:g}",
                    f"a fraction of {self.resources[resource]} beside "
                    f"hosts that have {cluster.capacity[:, resource].max():g} of it cannot be counted exactly",
                    fix="round the demands, or count in larger units",
                )

    def id_of(self, job: int) -> int:
        """The log's identifier of job number `job`."""
        return int(job if self.job_id is None else self.job_id[job])

    def take(self, jobs: NDArray[np.generic] | slice) -> "Workload":
        """The jobs chosen by a mask, an index array in ascending order, or a slice."""
        return self.arriving(jobs, self.submit_s[jobs])

    def arriving(self, jobs: NDArray[np.generic] | slice, submit_s: Floats) -> "Workload":
        """The chosen `jobs`, in the order of arrivals at these times, float64[N]."""
        columns = {name: getattr(self, name) for name in _REQUIRED + _OPTIONAL if name != "submit_s"}
        constraints = None if self.constraints is None else self.constraints.take(jobs)
        if constraints is not None and constraints.names_jobs and self.job_id is None:
            columns["job_id"] = np.arange(self.jobs)  # what they name stays what it was
        ran_on = None if self.recorded_hosts is None else self.recorded_hosts.take(jobs)
        starting = self.starting
        if starting is not None:
            starting = starting.take(np.arange(self.jobs)[jobs], self.first_task)
        return replace(
            self,
            submit_s=submit_s,
            constraints=constraints,
            recorded_hosts=ran_on,
            starting=starting,
            **{name: c[jobs] for name, c in columns.items() if c is not None},
        )

    def on_single_host(self) -> "Workload":
        """All tasks of a job as one task: the demands of the job on one host."""
        if self.tasks is None:
            return self
        self.refuse_starting("it names a host for each task")
        return replace(self, demand=self.demand * self.tasks[:, None], tasks=None)

    def refuse_starting(self, why: str) -> None:
        """Refuse a log with a starting state, for runs that begin on empty hosts or change its times.

        Raises:
            InputError: it has one.
        """
        if self.starting is not None:
            rule = f"has jobs that run as it begins (a starting state), which cannot be used here: {why}"
            raise InputError(self.source or "this log", rule, fix="give the log without `starting`")

    def why_not_scaled(self, beta: float) -> tuple[str, bool]:
        """Why the clock cannot distinguish the arrivals with this factor, or "", and whether a larger one helps."""
        last_s = float(self.submit_s[-1]) * beta if self.jobs else 0.0
        said = f"the last job would come after {last_s:.3g} s, and a clock"
        if not last_s <= LATEST_S:
            return f"{said} has milliseconds only up to {LATEST_S:.3g} s", False
        if last_s < SHORTEST_S and self.jobs and self.submit_s[-1] > 0:
            return f"{said} has no steps shorter than a millisecond", True
        return "", False

    def scaled(self, beta: float) -> "Workload":
        """The same jobs with every time between arrivals multiplied by `beta` (Shai 2014, section 6).

        The time between an arrival and a begin time does not change, nor does a think time. Recorded waits and hosts
        are dropped.

        Raises:
            InputError: the last would arrive after `LATEST_S`, or within a millisecond of the start.
        """
        if beta != 1.0:
            self.refuse_starting("a factor on the times between arrivals would move it")
        why, more = self.why_not_scaled(beta)
        if why:
            fix = "a larger factor" if more else "a smaller factor"
            raise InputError(f"{beta:.3g}", f"factor on the times between arrivals: {why}", fix=fix)
        submit_s = self.submit_s * beta
        later = None if self.constraints is None else self.constraints.shifted(submit_s - self.submit_s)
        return replace(
            self,
            submit_s=submit_s,
            constraints=later,
            recorded_wait_s=None,
            recorded_hosts=None,
            epoch_s=self.epoch_s if beta == 1.0 else None,
        )

    def offered_load(self, cluster: Cluster, resource: int = 0) -> float:
        """Requested work over the work that `cluster` can do from the first arrival to the last, as a fraction.

        Load = sum(demand x tasks x runtime) / (capacity x speed x last arrival), Shai 2014, section 6, whose first
        arrival is at 0. Here it may be later, since the first jobs of a log may be left out.
        """
        work = float(np.sum(self.demand[:, resource] * self.task_count * self.runtime_s))
        assert cluster.speed is not None
        speed = float(np.sum(cluster.capacity[:, resource] * cluster.speed))
        given = speed * self.span_s
        return work / given if given > 0 else np.inf

    def _freeze(self, column, freeze) -> None:  # type: ignore[no-untyped-def]
        values = getattr(self, column)
        if values is not None:
            object.__setattr__(self, column, freeze(values))

    def _check(self) -> None:
        jobs = self.jobs
        for name in _REQUIRED + _OPTIONAL:
            values = getattr(self, name)
            if values is not None and values.shape[0] != jobs:
                raise InputError(values.shape[0], f"column {name} must have {jobs} rows as submit_s has")
        if self.demand.ndim != 2 or self.demand.shape[1] != len(self.resources):
            raise InputError(self.demand.shape, f"demand must have a column for each of {self.resources}")
        self._first_bad("submit_s", ~np.isfinite(self.submit_s) | (self.submit_s < 0), "must be zero or more")
        if jobs > 1 and np.any(self.submit_s[1:] < self.submit_s[:-1]):
            raise InputError("submit_s", "jobs must be in the order of their arrival", fix="sort them first")
        self._first_bad("runtime_s", ~(np.isfinite(self.runtime_s) & (self.runtime_s > 0)), "must be more than zero")
        if self.estimate_s is not None:
            self._first_bad("estimate_s", ~(self.estimate_s >= 0), "must be zero or more")
        wrong = ~(np.isfinite(self.demand) & (self.demand >= 0))
        if wrong.any():  # row by row only then: that is slow on millions of jobs
            self._first_bad("demand", np.asarray(wrong.any(axis=1)), "must be zero or more")
        if self.tasks is not None:
            self._first_bad("tasks", self.tasks < 1, "must be 1 or more")
        if self.project is not None:
            self._first_bad("project", self.project < 0, "must be zero or more")
        if self.recorded_wait_s is not None:
            bad = (self.recorded_wait_s < 0) | np.isinf(self.recorded_wait_s)
            self._first_bad("recorded_wait_s", bad, "must be zero or more, or NaN")
        if self.recorded_hosts is not None and len(self.recorded_hosts) != jobs:
            raise InputError(len(self.recorded_hosts), f"column recorded_hosts must have {jobs} rows as submit_s has")
        if self.constraints is not None:
            self.constraints.check_rows(jobs)
        if self.starting is not None:
            self.starting.check_jobs(self.task_count)

    def _first_bad(self, column: str, bad: NDArray[np.bool_], rule: str) -> None:
        if bad.any():
            job = int(np.argmax(bad))
            raise InputError(getattr(self, column)[job], f"{column} of job {self.id_of(job)} {rule}")


def _refuse_slip(resource: str) -> None:
    """Refuse a resource whose name is nearly, or exactly, that of something else that can be said of jobs."""
    bound = [each.name for each in fields(Constraints)]
    own = [each.name for each in fields(Workload)]
    near = get_close_matches(resource, [*own, *bound], n=1, cutoff=0.8)
    if near:
        fix = f"write {near[0]}=" if near[0] in own else f"write constraints=Constraints({near[0]}=...)"
        raise InputError(resource, f"would be a resource, and {near[0]} is a column", fix=fix)


_REQUIRED = ("submit_s", "runtime_s", "demand")
_OPTIONAL = ("tasks", "estimate_s", "project", "user", "job_id", "recorded_wait_s")
_OF_ALL = ("recorded_hosts", "source", "synthetic", "constraints", "starting", "epoch_s")
