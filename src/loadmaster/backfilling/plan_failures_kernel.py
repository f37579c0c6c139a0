"""Rows that do not fit now beside a plan, compiled: most rows are refused before any host is examined.

While a plan only grows, a row that failed fails again, and so does a row of the same demand with no fewer tasks and no
shorter runtime. When anything is given back, all failures are forgotten.
"""
# mypy: disable-error-code="no-untyped-def,assignment"

import numpy as np

from loadmaster.backfilling.pass_arrays import FRESH_AT, SERIAL, STARTED
from loadmaster.jit.kernels import inner


@inner
def forget_planned_failures(availability):
    """Forget all failures: the plan is new, or something was given back."""
    availability.size[SERIAL] += 1
    availability.size[FRESH_AT] = -1


@inner
def may_fit_planned(rows, availability, row):
    """Whether the row may fit now beside all that is held: some host has enough, and no easier row has failed."""
    of = rows.of[row]
    failed = availability.failed[of.hosts, of.kind]
    if failed.serial == availability.size[SERIAL] and of.tasks >= failed.tasks and of.expected_s >= failed.expected_s:
        return False
    if availability.size[FRESH_AT] < 0:
        return True
    cores, last = rows.demand[of.kind, 0], availability.most.shape[0] - 1
    most = availability.most[last if cores >= last else np.int64(cores)]
    return most >= 0.0 if rows.demand.shape[1] < 2 else rows.demand[of.kind, 1] <= most


@inner
def note_planned_failure(view, availability, now, row):
    """Record that the row does not fit now: too few hosts have enough for its whole runtime."""
    of = view.rows.of[row]
    failed = availability.failed[of.hosts, of.kind]
    known = failed.serial == availability.size[SERIAL]
    if not known or (of.tasks <= failed.tasks and of.expected_s <= failed.expected_s):
        failed.serial, failed.tasks, failed.expected_s = availability.size[SERIAL], of.tasks, of.expected_s
    if not now.as_pool and availability.size[FRESH_AT] != view.this_pass.tally[STARTED]:
        availability.size[FRESH_AT] = view.this_pass.tally[STARTED]
        _renew(view.room, availability)


@inner
def _renew(room, availability):
    """Compute, for each whole number of cores, the most memory that any open host with so many cores has now.

    Held capacity only grows until all is forgotten, so this stays an upper bound.
    """
    steps, resources = availability.most.shape[0], room.free.shape[1]
    for step in range(steps):
        availability.most[step] = -1.0
    for host in range(room.open.shape[0]):
        if room.open[host]:
            cores = availability.step_free[host, 0]
            if cores >= 0.0:
                step = steps - 1 if cores >= steps - 1 else np.int64(cores)
                availability.most[step] = max(
                    availability.most[step], availability.step_free[host, 1] if resources > 1 else 0.0
                )
    for step in range(steps - 2, -1, -1):
        availability.most[step] = max(availability.most[step], availability.most[step + 1])
