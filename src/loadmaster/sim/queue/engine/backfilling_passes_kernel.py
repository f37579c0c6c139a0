"""One pass of each backfilling over what a run keeps for the compiled board: the doors that the engine is given.

The engine is compiled once; it calls one of these through a pointer, and only that one is compiled beside it.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling import conservative_kernel, easy_kernel, selective_kernel, slurm_kernel, walk_kernel
from loadmaster.backfilling.conservative_kernel import ARRIVAL, IN_THEIR_ORDER, KEPT
from loadmaster.backfilling.pass_arrays import Now, PromiseArrays
from loadmaster.jit.by_reference import lend
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.general_state import CLOSED, EARLY_END, STAND
from loadmaster.sim.queue.engine.slurm_timers_kernel import call_loops

_none, _skip = inner(walk_kernel.serve_none), inner(walk_kernel.serve_skip)
_slurm = inner(slurm_kernel.serve_slurm)
_netbatch, _easy = inner(walk_kernel.serve_netbatch), inner(easy_kernel.serve_easy)
_selective, _conservative = inner(selective_kernel.serve_selective), inner(conservative_kernel.serve_conservative)


def pass_none(desk, now_s, member, scan, rate):
    """None: the first that does not fit blocks all behind it."""
    now = lend(_now(desk, now_s, member))
    _none(desk, None, None, desk.outlook, scan, rate, now, 0)


def pass_skip(desk, now_s, member, scan, rate):
    """Skip: whoever fits starts."""
    now = lend(_now(desk, now_s, member))
    _skip(desk, None, None, desk.outlook, scan, rate, now, 0)


def pass_netbatch(desk, now_s, member, scan, rate):
    """NetBatch's walk."""
    numbers = np.int64(desk.numbers[0]), np.int64(desk.numbers[1])
    now = lend(_now(desk, now_s, member))
    _netbatch(desk, None, None, desk.outlook, scan, rate, now, numbers)


def pass_easy_by_moments(desk, now_s, member, scan, rate):
    """EASY with one head, which is promised a moment where that is exact."""
    now = lend(_now(desk, now_s, member))
    _easy(desk, None, desk.moments, desk.outlook, scan, rate, now, _heads(desk))


def pass_easy(desk, now_s, member, scan, rate):
    """EASY with any number of heads, and stepwise: hosts are promised."""
    now = lend(_now(desk, now_s, member))
    _easy(desk, None, None, desk.outlook, scan, rate, now, _heads(desk))


def pass_selective(desk, now_s, member, scan, rate):
    """Selective."""
    now = lend(_now(desk, now_s, member))
    _selective(desk, None, None, desk.outlook, scan, rate, now, (desk.numbers[0],))


def pass_conservative(desk, now_s, member, scan, rate):
    """Conservative in all its variants; what an early end moves stays where no job has ended early."""
    early_end = np.int64(desk.numbers[0])
    if desk.tally[EARLY_END] == 0 and early_end in (ARRIVAL, IN_THEIR_ORDER):
        early_end = np.int64(KEPT)
    standing = lend(PromiseArrays(desk.standing.row[: desk.tally[STAND]], desk.standing.promise, desk.standing.host))
    now = lend(_now(desk, now_s, member))
    _conservative(desk, standing, None, desk.outlook, scan, rate, now, (early_end, np.int64(desk.numbers[1])))


def pass_slurm(desk, now_s, member, scan, rate):
    """Slurm's passes, those of them that are due."""
    call_loops(desk, now_s)
    now = lend(_now(desk, now_s, member))
    _slurm(desk, None, None, desk.outlook, scan, rate, now, desk.slurm)


@inner
def _heads(desk):
    return np.int64(desk.numbers[0]), desk.numbers[1] != 0.0, desk.numbers[2] != 0.0


@inner
def _now(desk, now_s, member):
    now = desk.now
    varies, kinds = ((desk.varies >> member) & 1) != 0, desk.rows.demand.shape[0]
    return Now(
        now_s,
        now.seed,
        varies,
        now.several_speeds,
        now.limits_stop,
        now.as_pool,
        desk.tally[CLOSED] != 0,
        member * kinds,
        ((desk.first_fit >> member) & 1) != 0,
    )
