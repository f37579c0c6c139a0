"""Hosts that are out of service for some time: down, drained, reserved."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model import CalendarRow, Cluster, Constraints, SiteRules, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.snapshot import Closure
from loadmaster.scheduling.host_eligibility import Mark, account_names, mask, user_names


@dataclass(frozen=True, eq=False)
class Calendar:
    """The closures that the calendar means for jobs.

    Attributes:
        foreseen: closures that are known from the start: drained and reserved hosts.
        failures: closures that are not foreseen, in the order of time: hosts go down, and their jobs end.
        changes_s: when an amount of the whole cluster changes, as a power cap does.
    """

    foreseen: tuple[Closure, ...] = ()
    failures: tuple[Closure, ...] = ()
    changes_s: tuple[float, ...] = ()

    @property
    def moments(self) -> tuple[float, ...]:
        """The begin and end of each closure, and the changes of amounts of the whole cluster, in the order of time."""
        rows = (*self.foreseen, *self.failures)
        times = {time for row in rows for time in (row.from_s, row.to_s) if np.isfinite(time)}
        return tuple(sorted(times | set(self.changes_s)))

    def at(self, now_s: float) -> tuple[Closure, ...]:
        """The closures that a scheduler knows of at `now_s`."""
        runs_at_start = (row for row in self.failures if row.from_s <= now_s)
        return tuple(row for row in (*self.foreseen, *runs_at_start) if row.to_s > now_s)


def calendar_of(
    workload: Workload, cluster: Cluster, rules: SiteRules, bound: Constraints, eligible_s: Floats, mark: Mark
) -> tuple[Calendar, Floats, Floats]:
    """The calendar; eligible times float64[J] no sooner than the reservation that a job names; and float64[J], after
    which a job can no longer start because it would outlast that.
    """
    foreseen: list[Closure] = []
    failures: list[Closure] = []
    named = np.array([""] * workload.jobs, dtype=object)
    if bound.reservation is not None:
        named = np.array([*bound.reservation.names, ""], dtype=object)[bound.reservation.code]
    eligible_s = eligible_s.copy() if rules.calendar else eligible_s
    latest_s = np.full(workload.jobs, np.inf)
    assert cluster.speed is not None
    quickest_s = workload.expected_s / float(cluster.speed.max())
    for row in rules.calendar:
        hosts = mask(cluster.hosts, row.hosts)
        if row.kind != "reserved":
            to = failures if row.kind == "down" else foreseen
            to.append(Closure(hosts, row.from_s, row.until_s))
            continue
        wants = named == row.name
        may = wants & _may(row, workload, bound)
        mark(wants & ~may, "may not use the reservation that it names")
        inside = frozenset(np.flatnonzero(may).tolist())
        foreseen.append(Closure(hosts, row.from_s, row.until_s, inside))
        if not row.flex:
            foreseen.append(Closure(~hosts, -np.inf, np.inf, against=inside))
            eligible_s[may] = np.maximum(eligible_s[may], row.from_s)
            latest_s[may] = np.minimum(latest_s[may], row.until_s - quickest_s[may])
            if np.isfinite(row.until_s):
                foreseen.append(Closure(hosts, row.until_s, np.inf, against=inside))
    failures.sort(key=lambda failure: failure.from_s)
    changes_s = tuple(from_s for from_s, _ in rules.power_cap[1:])
    return Calendar(tuple(foreseen), tuple(failures), changes_s), eligible_s, latest_s


def _may(row: CalendarRow, workload: Workload, bound: Constraints) -> Bools:
    if not row.users and not row.accounts:
        return np.ones(workload.jobs, bool)
    users, accounts = user_names(workload, bound), account_names(workload, bound)
    return np.asarray(np.isin(users, row.users) | np.isin(accounts, row.accounts))
