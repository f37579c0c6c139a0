"""What is known to fit on no host of the NetBatch engine, so that it is not tried again."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.keys_kernel import EMPTY, most_memory_under
from loadmaster.sim.queue.rows_state import EXACT, FAILING, KNOWN, PLANNED, RESERVED


@inlined
def forget(rows, plan, host):
    """Somebody has left `host`: what is no more than is free there may fit again."""
    spot = rows.spot[host]
    fits = (rows.key[spot.slot] >> rows.bits) + 1
    cores = np.int64(spot.free)
    while cores >= 0 and plan.known[cores] < fits:  # with fewer cores no less memory has failed
        plan.known[cores] = fits
        cores -= 1


@inlined
def may_fit(jobs, rows, plan, tally, cores, memory):
    """Whether an open host has room, as far as is known; of few hosts all are looked at where one has changed.

    That is worth its price once a demand has failed since the last start. Of many each is looked for by itself.
    """
    if plan.failed[cores] <= memory:
        return False
    if tally[EXACT] or not tally[FAILING] or not rows.few or jobs.first_task.shape[0] > 0:
        return True
    _shut_out(rows, plan)
    tally[EXACT] = 1
    if tally[RESERVED] == 0 and (plan.members.shape[0] == 1 or tally[PLANNED] == 0):
        for each in range(plan.known.shape[0]):
            plan.known[each] = plan.failed[each]
        tally[KNOWN] = 1
    return plan.failed[cores] > memory


@inner
def _shut_out(rows, plan):
    """What no open host can take has failed."""
    if rows.by_host:
        _most_by_host(rows, plan.open)
    else:
        _most_by_row(rows, plan.open)
    most = np.int64(-1)
    for cores in range(plan.open.shape[0] - 1, -1, -1):
        most = max(most, plan.open[cores])
        plan.failed[cores] = min(plan.failed[cores], most + 1)


@inlined
def _most_by_host(rows, most):
    """Put the most memory of an open host into `most`, by its free cores; -1 if there is none."""
    most[:] = -1
    for host in range(np.uint64(rows.spot.shape[0])):
        spot = rows.spot[host]
        key = rows.key[spot.slot]
        if key < rows.kind[spot.kind].limit:
            most[spot.free] = max(most[spot.free], key >> rows.bits)


@inlined
def _most_by_row(rows, most):
    """The same, found in the rows; asked anew of those that have changed, or whose best host has been reserved."""
    kinds = rows.kind.shape[0]
    for cores in range(most.shape[0]):
        key = EMPTY
        for kind in range(kinds):
            number = cores * kinds + kind
            limit = rows.kind[kind].limit
            top = rows.top[number]
            if top.version != rows.version[number] or top.key >= limit:
                top.version = rows.version[number]
                top.key = most_memory_under(rows, number, limit) if rows.row[number].size > 0 else EMPTY
            key = max(key, top.key)
        most[cores] = key >> rows.bits


@inlined
def learn(jobs, plan, tally, cores, memory):
    """A demand has failed in this walk; in later ones too, unless a reservation or a move to be taken back shut it out.

    Reservations that are only counted shut nobody out.
    """
    tally[FAILING] = 1
    for more in range(cores, plan.failed.shape[0]):
        plan.failed[more] = min(plan.failed[more], memory)
    alone = plan.members.shape[0] == 1 or tally[PLANNED] == 0
    if tally[RESERVED] == 0 and alone and jobs.first_task.shape[0] == 0:
        for more in range(cores, plan.known.shape[0]):
            plan.known[more] = min(plan.known[more], memory)
