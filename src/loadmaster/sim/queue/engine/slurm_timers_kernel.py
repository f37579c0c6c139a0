"""When Slurm's loops run, compiled: as `due` and `following` of `loadmaster.backfilling.slurm` (rule Q13)."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.slurm_arrays import BACKFILL, MAIN_MOST
from loadmaster.jit.kernels import inner
from loadmaster.sim.moments_kernel import at_or_after
from loadmaster.sim.queue.engine.general_state import COME, LOOKED, NEXT_BACKFILL, NEXT_FULL, NEXT_MAIN, OVER


@inner
def call_loops(general, now_s):
    """Find the passes that are due after the latest events, and make them ready."""
    loops, clock, slurm = general.loops, general.clock, general.slurm
    if general.tally[COME] != 0 or general.tally[OVER] != 0:
        at_once = general.tally[OVER] != 0 and not loops.defer
        soonest = now_s if at_once else max(now_s, clock[LOOKED] + loops.delay_s)
        clock[NEXT_MAIN] = min(clock[NEXT_MAIN], max(soonest, clock[LOOKED] + loops.spacing_s))
        clock[NEXT_FULL] = min(clock[NEXT_FULL], _on_grid(now_s, loops.full_s))
        clock[NEXT_BACKFILL] = min(clock[NEXT_BACKFILL], _on_grid(now_s, loops.backfill_s))
    slurm.due[MAIN_MOST] = -2
    if clock[NEXT_MAIN] <= now_s:
        slurm.due[MAIN_MOST] = loops.most
    if clock[NEXT_FULL] <= now_s:
        slurm.due[MAIN_MOST] = -1
    slurm.due[BACKFILL] = clock[NEXT_BACKFILL] <= now_s
    for number in range(slurm.tried.shape[0]):
        tried = slurm.tried[number]
        tried.user = tried.user_part = tried.assoc = tried.part = tried.reserve = tried.array = tried.seen = 0
        tried.blocked = False


@inner
def advance_timers(general, now_s, changed):
    """Note that the passes of now are over; returns when the next one is due."""
    loops, clock = general.loops, general.clock
    if min(clock[NEXT_MAIN], clock[NEXT_FULL]) <= now_s:
        clock[LOOKED], clock[NEXT_MAIN] = now_s, np.inf
    if clock[NEXT_FULL] <= now_s:
        clock[NEXT_FULL] = np.inf
    if clock[NEXT_BACKFILL] <= now_s:
        clock[NEXT_BACKFILL] = np.inf
    if changed:
        later_s = np.nextafter(now_s, np.inf)
        clock[NEXT_FULL] = min(clock[NEXT_FULL], _on_grid(later_s, loops.full_s))
        clock[NEXT_BACKFILL] = min(clock[NEXT_BACKFILL], _on_grid(later_s, loops.backfill_s))
    return min(clock[NEXT_MAIN], clock[NEXT_FULL], clock[NEXT_BACKFILL])


@inner
def _on_grid(time_s, interval_s):
    return np.inf if interval_s == np.inf else at_or_after(time_s, interval_s)
