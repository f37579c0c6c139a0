"""One pass of each backfilling over the state of the general pass: the entry points that the engine calls.

The engine is compiled once. It calls one of these functions through a pointer, and only that function is compiled with
it.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling import (
    conservative_kernel,
    easy_kernel,
    lookahead_kernel,
    selective_kernel,
    slurm_kernel,
    walk_kernel,
)
from loadmaster.backfilling.conservative_kernel import ARRIVAL, IN_THEIR_ORDER, KEPT
from loadmaster.backfilling.pass_arrays import PassParameters, PromiseArrays
from loadmaster.jit.by_reference import by_reference
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.general_state import CLOSED, EARLY_END, STAND
from loadmaster.sim.queue.engine.slurm_timers_kernel import call_loops

_none, _skip = inner(walk_kernel.serve_none), inner(walk_kernel.serve_skip)
_slurm, _lookahead = inner(slurm_kernel.serve_slurm), inner(lookahead_kernel.serve_lookahead)
_netbatch, _easy = inner(walk_kernel.serve_netbatch), inner(easy_kernel.serve_easy)
_selective, _conservative = inner(selective_kernel.serve_selective), inner(conservative_kernel.serve_conservative)


def pass_none(general, now_s, member, scan, rate):
    """None: the first job that does not fit blocks all jobs behind it."""
    now = by_reference(_now(general, now_s, member))
    _none(general, None, None, general.availability, scan, rate, now, 0)


def pass_skip(general, now_s, member, scan, rate):
    """Skip: each job that fits starts."""
    now = by_reference(_now(general, now_s, member))
    _skip(general, None, None, general.availability, scan, rate, now, 0)


def pass_netbatch(general, now_s, member, scan, rate):
    """NetBatch's walk."""
    numbers = np.int64(general.numbers[0]), np.int64(general.numbers[1])
    now = by_reference(_now(general, now_s, member))
    _netbatch(general, None, None, general.availability, scan, rate, now, numbers)


def pass_easy_by_moments(general, now_s, member, scan, rate):
    """EASY with one head, whose reservation is a shadow time where that is exact."""
    now = by_reference(_now(general, now_s, member))
    _easy(general, None, general.shadow_times, general.availability, scan, rate, now, _heads(general))


def pass_easy(general, now_s, member, scan, rate):
    """EASY with any number of heads, and stepwise: the reservation names hosts."""
    now = by_reference(_now(general, now_s, member))
    _easy(general, None, None, general.availability, scan, rate, now, _heads(general))


def pass_selective(general, now_s, member, scan, rate):
    """Selective."""
    now = by_reference(_now(general, now_s, member))
    _selective(general, None, None, general.availability, scan, rate, now, (general.numbers[0],))


def pass_lookahead(general, now_s, member, scan, rate):
    """Lookahead, whose reservation is a shadow time where that is exact."""
    rules = np.int64(general.numbers[0]), general.table
    now = by_reference(_now(general, now_s, member))
    _lookahead(general, None, general.shadow_times, general.availability, scan, rate, now, rules)


def pass_conservative(general, now_s, member, scan, rate):
    """Conservative in all its variants; without an early end, reservations stay as they are."""
    early_end = np.int64(general.numbers[0])
    if general.tally[EARLY_END] == 0 and early_end in (ARRIVAL, IN_THEIR_ORDER):
        early_end = np.int64(KEPT)
    standing = by_reference(
        PromiseArrays(general.standing.row[: general.tally[STAND]], general.standing.promise, general.standing.host)
    )
    now = by_reference(_now(general, now_s, member))
    _conservative(
        general, standing, None, general.availability, scan, rate, now, (early_end, np.int64(general.numbers[1]))
    )


def pass_slurm(general, now_s, member, scan, rate):
    """Slurm's passes, as far as they are due."""
    call_loops(general, now_s)
    now = by_reference(_now(general, now_s, member))
    _slurm(general, None, None, general.availability, scan, rate, now, general.slurm)


@inner
def _heads(general):
    return np.int64(general.numbers[0]), general.numbers[1] != 0.0, general.numbers[2] != 0.0


@inner
def _now(general, now_s, member):
    now = general.now
    varies, kinds = ((general.varies >> member) & 1) != 0, general.rows.demand.shape[0]
    return PassParameters(
        now_s,
        now.seed,
        varies,
        now.several_speeds,
        now.limits_stop,
        now.as_pool,
        general.tally[CLOSED] != 0,
        member * kinds,
        ((general.first_fit >> member) & 1) != 0,
        now.cluster_wide,
    )
