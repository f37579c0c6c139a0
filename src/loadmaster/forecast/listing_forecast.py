"""From a listing of a queue and a log of the past to what samples of a waiting job's start need (rules F1 to F3)."""

from dataclasses import replace

import numpy as np

from loadmaster.forecast.arrivals import DAY_S, past_arrivals
from loadmaster.forecast.joined_workload import joined_workload
from loadmaster.forecast.queue_snapshot import state_of_listing
from loadmaster.forecast.start_samples import ForecastBasis, SchedulerRules
from loadmaster.measure.runtime_history import RuntimeHistory, history_limits_s
from loadmaster.model import Cluster, InputError, Workload


def onward_from(
    listing: Workload,
    listed_s: float,
    log: Workload | None,
    apart_s: float | None,
    cluster: Cluster,
    rules: SchedulerRules,
) -> tuple[ForecastBasis, list[str]]:
    """What samples need, with the jobs of the listing as the jobs of the state; and what must be said of it.

    Args:
        listing: the jobs that run or wait, with a starting state where some run.
        listed_s: when the listing was made, on its clock.
        log: jobs of the past that these hosts can hold; None for none.
        apart_s: seconds from the zero of the log's clock to that of the listing's; None where one has no dates.
        cluster: the hosts.
        rules: what decides.

    Raises:
        InputError: a log that holds no whole day before the listing.
    """
    if log is None:
        table = joined_workload(listing, None)
        state = state_of_listing(listing.starting, listed_s, table.listing, 0.0)
        return ForecastBasis(table.workload, cluster, rules, state, None, None), [_LIMITS]
    notes = []
    if apart_s is None:
        notes.append(_UNDATED)
    else:
        log = _without_listed(listing, log)
    table = joined_workload(listing, log, apart_s)
    cluster = cluster.calendar_moved(table.listing_zero_s)
    state = state_of_listing(listing.starting, listed_s, table.listing, table.listing_zero_s)
    submit_s = table.workload.submit_s[table.log]
    arrivals = past_arrivals(table.log, submit_s, state.now_s)
    if arrivals is None:
        rule = "this log holds no whole day before the listing, so no arrivals can be drawn from it"
        raise InputError(log.source or "--log", rule, fix="give a longer log, or leave out --log")
    if arrivals.period_s == DAY_S:
        notes.append(_DAYS)
    if log.estimate_s is None:
        notes.append(_NO_LIMITS)
    history, limit_s = RuntimeHistory(), history_limits_s(log)
    for job in range(log.jobs):
        history.add_job(table.workload, int(table.log[job]), float(limit_s[job]))
    return ForecastBasis(
        table.workload, cluster, rules, state, history, arrivals, by_seconds=log.estimate_s is None
    ), notes


def _without_listed(listing: Workload, log: Workload) -> Workload:
    """The log without the jobs of the listing, which it may have with their runtime so far."""
    if listing.job_id is None or log.job_id is None:
        return log
    again = np.isin(log.job_id, listing.job_id)
    return replace(log, recorded_hosts=None).take(~again) if again.any() and not again.all() else log


_LIMITS = (
    "Without --log every job runs up to its limit and no further job arrives: the start is an upper bound unless later "
    "jobs overtake."
)
_UNDATED = "The log or the listing has no dates: arrivals are drawn without regard to weekday and hour."
_DAYS = "The log holds no whole week before the listing: arrivals are drawn from the same hour of past days."
_NO_LIMITS = "The log has no limits: runtimes are drawn in seconds, up to the limit of each listed job."
