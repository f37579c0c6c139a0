"""What is known not to fit beside a plan now, compiled: most rows are passed over without a look at any host.

Within a plan that only grows, what has failed fails again, and so does what is as it is, as long or longer. Whatever is
taken back makes that void.
"""
# mypy: disable-error-code="no-untyped-def,assignment"

import numpy as np

from loadmaster.backfilling.pass_arrays import FRESH_AT, SERIAL, STARTED
from loadmaster.jit.kernels import inner


@inner
def forget_planned_failures(outlook):
    """Whatever has failed may fit: the plan is new, or something was taken back."""
    outlook.size[SERIAL] += 1
    outlook.size[FRESH_AT] = -1


@inner
def may_fit_planned(rows, outlook, row):
    """Whether the row may fit now beside all that is held: some host has enough, and no easier one has failed."""
    of = rows.of[row]
    failed = outlook.failed[of.hosts, of.kind]
    if failed.serial == outlook.size[SERIAL] and of.tasks >= failed.tasks and of.expected_s >= failed.expected_s:
        return False
    if outlook.size[FRESH_AT] < 0:
        return True
    cores, last = rows.demand[of.kind, 0], outlook.most.shape[0] - 1
    most = outlook.most[last if cores >= last else np.int64(cores)]
    return most >= 0.0 if rows.demand.shape[1] < 2 else rows.demand[of.kind, 1] <= most


@inner
def note_planned_failure(view, outlook, now, row):
    """The row does not fit now, since too few hosts have enough for as long as it goes on."""
    of = view.rows.of[row]
    failed = outlook.failed[of.hosts, of.kind]
    known = failed.serial == outlook.size[SERIAL]
    if not known or (of.tasks <= failed.tasks and of.expected_s <= failed.expected_s):
        failed.serial, failed.tasks, failed.expected_s = outlook.size[SERIAL], of.tasks, of.expected_s
    if not now.as_pool and outlook.size[FRESH_AT] != view.board.tally[STARTED]:
        outlook.size[FRESH_AT] = view.board.tally[STARTED]
        _renew(view.room, outlook)


@inner
def _renew(room, outlook):
    """The most that any open host has now of the second resource, with at least so many whole units of the first.

    What is held from now on only grows until it is forgotten, so that this bounds what comes.
    """
    steps, resources = outlook.most.shape[0], room.free.shape[1]
    for step in range(steps):
        outlook.most[step] = -1.0
    for host in range(room.open.shape[0]):
        if room.open[host]:
            cores = outlook.step_free[host, 0]
            if cores >= 0.0:
                step = steps - 1 if cores >= steps - 1 else np.int64(cores)
                outlook.most[step] = max(outlook.most[step], outlook.step_free[host, 1] if resources > 1 else 0.0)
    for step in range(steps - 2, -1, -1):
        outlook.most[step] = max(outlook.most[step], outlook.most[step + 1])
