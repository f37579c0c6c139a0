"""The constraints of a job: when and where it may start, after which jobs, and which limits it counts against."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Bools, Floats, Ints, Longs, frozen_bools, frozen_floats, frozen_ints, frozen_longs
from loadmaster.model.dependencies import Dependencies
from loadmaster.model.errors import InputError
from loadmaster.model.features import parse_features
from loadmaster.model.licences import parse_licences
from loadmaster.model.name_column import Named

HOLDS = ("none", "user", "admin")
"""The holder of a job, by its code. A held job never starts; `eligible_s` has the time at which a hold was released."""
EXCLUSIVE = ("none", "user", "host")
"""Which jobs may share the hosts of a job, by its code: all, those of its user, none."""
STATUSES = ("ok", "failed", "timeout", "cancelled", "preempted", "node_fail", "partial")
"""How a job ended, by its code."""


@dataclass(frozen=True, eq=False)
class Constraints:
    """Columns of J jobs. A column that the log does not have is None; then it is neither checked nor shown.

    Attributes:
        eligible_s: float64[J], the earliest start of the job (begin time, end of a hold), seconds from the start of the
            log; infinite if never. Without this column a job may start when it arrives.
        partition: where it may run: a name, or several joined by commas, of which the first that fits is taken.
        qos: its quality of service.
        name: the user's name for the job; a singleton waits for jobs of the same user and name.
        gpu_kind: the model of its GPUs, or several joined by commas; it binds a job only where hosts count
            their kinds of GPU (rule Q22).
        priority: float64[J], as in the log, higher is more urgent; 0 for a job without one.
        nice: float64[J], subtracted from its priority.
        hold: int32[J], a code of `HOLDS`.
        depends: its dependencies on other jobs.
        follows: int64[J], the log's identifier of the job after whose end its user submits it; -1 of none (rule C11).
        think_s: float64[J], how long after that end.
        array: int64[J], the identifier of the array of which it is a task; -1 of none.
        array_task: int32[J], the number of the task; -1 of none.
        throttle: int32[J], at most so many tasks of its array run at once; 0 for no limit.
        features: features that its hosts must have, in the form of `parse_features`.
        licences: amounts of the whole cluster that it holds, in the form of `parse_licences`.
        exclusive: int32[J], a code of `EXCLUSIVE`.
        min_hosts: int32[J], the least number of different hosts for its tasks; 0 for any number.
        max_hosts: int32[J], the greatest number of them; 0 for any number.
        reservation: the reservation that it names.
        requeue: bool[J], whether it may go back to the queue when its host fails or it is preempted.
        restarts: int32[J], how often that happened in the log.
        status: int32[J], a code of `STATUSES`: how it ended in the log.
        limit_s: float64[J], the runtime at which it is killed, infinite if never.
        user_names: the name behind each number of `Workload.user`; () if there are only numbers.
        account_names: the name behind each number of `Workload.project`: an account.

    Raises:
        InputError: the first value that breaks its rule.

    Example:
        >>> Constraints(partition=Named.of(["short", "long,short"]), hold=np.array([0, 1])).given
        ('partition', 'hold')
    """

    eligible_s: Floats | None = None
    partition: Named | None = None
    qos: Named | None = None
    name: Named | None = None
    gpu_kind: Named | None = None
    priority: Floats | None = None
    nice: Floats | None = None
    hold: Ints | None = None
    depends: Dependencies | None = None
    follows: Longs | None = None
    think_s: Floats | None = None
    array: Longs | None = None
    array_task: Ints | None = None
    throttle: Ints | None = None
    features: Named | None = None
    licences: Named | None = None
    exclusive: Ints | None = None
    min_hosts: Ints | None = None
    max_hosts: Ints | None = None
    reservation: Named | None = None
    requeue: Bools | None = None
    restarts: Ints | None = None
    status: Ints | None = None
    limit_s: Floats | None = None
    user_names: tuple[str, ...] = ()
    account_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, values in self.columns():
            freeze = _FROZEN.get(COLUMNS[name].kind)
            if freeze is not None:
                object.__setattr__(self, name, freeze(values))
        self._check()

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the columns that are there."""
        return tuple(name for name, _ in self.columns())

    @property
    def names_jobs(self) -> bool:
        """Whether a column names other jobs by their identifiers."""
        return self.depends is not None or self.follows is not None

    @property
    def is_empty(self) -> bool:
        """No column and no name is there."""
        return not (self.given or self.user_names or self.account_names)

    def columns(self) -> Iterator[tuple[str, Any]]:
        """Name and values of every column that is there: arrays, `Named` and `Dependencies`."""
        for name in COLUMNS:
            values = getattr(self, name)
            if values is not None:
                yield name, values

    def take(self, jobs: NDArray[np.generic] | slice) -> "Constraints":
        """The jobs chosen by a mask, an index array or a slice."""
        taken: dict[str, Any] = {
            name: column.take(jobs) if isinstance(column, Named | Dependencies) else column[jobs]
            for name, column in self.columns()
        }
        return replace(self, **taken)

    def shifted(self, by_s: Floats | float) -> "Constraints":
        """The same with the clock moved by so many seconds, for all or for each of the jobs."""
        return self if self.eligible_s is None else replace(self, eligible_s=self.eligible_s + by_s)

    def check_rows(self, jobs: int) -> None:
        """Check that every column has a row for each of `jobs`.

        Raises:
            InputError: one has not.
        """
        for name, column in self.columns():
            if len(column) != jobs:
                raise InputError(len(column), f"column {name} must have {jobs} rows as submit_s has")

    def _check(self) -> None:
        self._refuse("eligible_s", lambda c: ~(c >= 0), "must be zero or more")
        self._refuse("limit_s", lambda c: ~(c > 0), "must be more than zero")
        for column in ("priority", "nice"):
            self._refuse(column, lambda c: ~np.isfinite(c), "must be a number")
        self._refuse("think_s", lambda c: ~(np.isfinite(c) & (c >= 0)), "must be zero or more")
        for column, words in (("hold", HOLDS), ("exclusive", EXCLUSIVE), ("status", STATUSES)):
            self._refuse(column, lambda c, n=len(words): (c < 0) | (c >= n), f"must be a code of {', '.join(words)}")
        for column, (_, kind, nothing, _) in COLUMNS.items():
            if kind in (np.int32, np.int64):
                none = ", or -1 for none" if nothing == -1 else ""
                self._refuse(column, lambda c, least=nothing: c < least, f"must be zero or more{none}")
        if self.min_hosts is not None:
            most = np.zeros_like(self.min_hosts) if self.max_hosts is None else self.max_hosts
            if len(most) == len(self.min_hosts):
                self._refuse("min_hosts", lambda c: (most > 0) & (c > most), "must not be more than its max_hosts")
        for text in () if self.features is None else self.features.names:
            parse_features(text)
        for text in () if self.licences is None else self.licences.names:
            parse_licences(text)

    def _refuse(self, column, bad, rule) -> None:  # type: ignore[no-untyped-def]
        values = getattr(self, column)
        if values is None or not (wrong := bad(values)).any():
            return
        row = int(np.argmax(wrong))
        raise InputError(values[row], f"{column} of row {row} {rule}")


_FROZEN: Mapping[Any, Callable[[Any], Any]] = {
    np.float64: frozen_floats, np.int32: frozen_ints, np.int64: frozen_longs, np.bool_: frozen_bools,
}  # fmt: skip


class ConstraintColumn(NamedTuple):
    """What the program knows of a column of `Constraints`.

    Attributes:
        words: what it holds, for users.
        kind: NumPy's type of a column of numbers; `Named` or `Dependencies`.
        nothing: the number that requests nothing; NaN where there is none.
        delays: of its values and `submit_s`, where it makes a job wait or count hosts, read without the hosts; None
            where it does so only with rules of a site. Jobs that no column delays run as if nothing bound them.
    """

    words: str
    kind: Any = Named
    nothing: float = math.nan
    delays: Callable[[Any, Floats], Any] | None = None


COLUMNS: Mapping[str, ConstraintColumn] = {
    "eligible_s": ConstraintColumn(
        "when the job may start at first, as submit_s; inf if never", np.float64, delays=np.greater
    ),
    "partition": ConstraintColumn("the name of where it may run, or several joined by commas"),
    "qos": ConstraintColumn("quality of service, a name"),
    "name": ConstraintColumn("what its user calls the job"),
    "gpu_kind": ConstraintColumn("the model of its GPUs"),
    "features": ConstraintColumn("of its hosts, joined by & and |; host:n[1-4] names hosts, ! negates"),
    "licences": ConstraintColumn("held while it runs, of the whole cluster: matlab:2,bb/scratch:500G"),
    "reservation": ConstraintColumn("the name of that in which it runs"),
    "depends": ConstraintColumn("as Slurm writes it: afterok:12,afterany:13", Dependencies, delays=lambda c, _: True),
    "follows": ConstraintColumn("the number of the job that must end before it is submitted", np.int64, -1),
    "think_s": ConstraintColumn("seconds after that end", np.float64, 0),
    "priority": ConstraintColumn("higher is more urgent", np.float64, 0),
    "nice": ConstraintColumn("taken off the priority", np.float64, 0),
    "hold": ConstraintColumn("none, user, admin", np.int32, 0, lambda c, _: c > 0),
    "array": ConstraintColumn("the array of which it is a task, a whole number", np.int64, -1, lambda c, _: True),
    "array_task": ConstraintColumn("the number of the task", np.int32, -1),
    "throttle": ConstraintColumn("so many tasks of the array at once", np.int32, 0, lambda c, _: c > 0),
    "exclusive": ConstraintColumn("the jobs that it shares its hosts with: none, user, host", np.int32, 0),
    "requeue": ConstraintColumn("whether it may go back to the queue: true, false", np.bool_, 1),
    "min_hosts": ConstraintColumn("so many hosts at least", np.int32, 0, lambda c, _: c > 1),
    "max_hosts": ConstraintColumn("so many hosts at most", np.int32, 0, lambda c, _: c > 0),
    "restarts": ConstraintColumn("how often it went back", np.int32, 0),
    "status": ConstraintColumn(", ".join(STATUSES), np.int32, 0),
    "limit_s": ConstraintColumn("the runtime at which it is killed", np.float64, math.inf),
}
"""Every column of `Constraints`; readers, writers and schedulers take what they know of it from here."""
