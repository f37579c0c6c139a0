"""What is known to fit on no host of the NetBatch engine, so that it is not tried again."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import numpy as np

from loadmaster.kernels import inlined, inner
from loadmaster.sim.queue.rows_state import EXACT, KNOWN, PLANNED, RESERVED


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

    Of many each demand is looked for by itself.
    """
    if plan.failed[cores] <= memory:
        return False
    if tally[EXACT] or not rows.few or jobs.first_task.shape[0] > 0:
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
    open_ = plan.open
    open_[:] = -1
    for host in range(np.uint64(rows.spot.shape[0])):
        spot = rows.spot[host]
        key = rows.key[spot.slot]
        if key < rows.kind[spot.kind].limit:
            open_[spot.free] = max(open_[spot.free], key >> rows.bits)
    most = np.int64(-1)
    for cores in range(open_.shape[0] - 1, -1, -1):
        most = max(most, open_[cores])
        plan.failed[cores] = min(plan.failed[cores], most + 1)


@inlined
def learn(jobs, rows, plan, tally, cores, memory):
    """A demand has failed in this walk; in later ones too, unless a reservation or a move to be taken back shut it out.

    Reservations that are only counted shut nobody out.
    """
    for more in range(cores, plan.failed.shape[0]):
        plan.failed[more] = min(plan.failed[more], memory)
    alone = plan.members.shape[0] == 1 or tally[PLANNED] == 0
    if tally[RESERVED] == 0 and alone and jobs.first_task.shape[0] == 0:
        for more in range(cores, plan.known.shape[0]):
            plan.known[more] = min(plan.known[more], memory)
