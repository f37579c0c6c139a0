"""The engine for conservative backfilling whose promises stand, compiled: any placement policy, resources and tasks."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.skyline_kernel import LEAST_ROOM, is_out_of_room
from loadmaster.kernels import inner
from loadmaster.sim.moments_kernel import at_or_after
from loadmaster.sim.queue.queue_state import DONE, OUT_OF_ROOM, PAUSED
from loadmaster.sim.queue.standing_pass_kernel import complete, decide
from loadmaster.sim.queue.standing_queue_kernel import admit
from loadmaster.sim.queue.standing_state import (
    ARRIVED,
    RUNNING,
    RUNNING_TASKS,
    STARTED,
    UNDER_WAY,
    WAITING,
    WAITING_TASKS,
    WRONG,
)
from loadmaster.sim.queue.starts_kernel import MORE_ROOM


@inner
def run(jobs, asked, rules, standing, sky, soon, hand, scores, log, scan, rate):
    """Go on until all is done, the records are full or room is short; changes its arguments in place.

    `standing.now` holds the moment, and when a promise comes due next.
    """
    count = standing.tally
    log.rows[0] = 0
    while True:
        if log.rows[0] == log.time_s.shape[0]:
            return PAUSED
        if not count[UNDER_WAY]:
            now_s = at_or_after(_next_event(jobs, standing), rules.interval_s)
            if now_s == np.inf:
                return DONE
            standing.now[0], standing.now[1] = now_s, np.inf
            complete(jobs, asked, rules, standing, sky, soon, scores, log, now_s)
            admit(jobs, asked, standing, now_s)
        if count[WAITING] == 0:
            continue
        if is_out_of_room(sky):
            return OUT_OF_ROOM
        if sky.used[0] + steps_needed(asked, standing) > sky.time_s.shape[0]:
            count[UNDER_WAY] = 1
            return MORE_ROOM
        count[UNDER_WAY] = 0
        now_s = standing.now[0]
        row, before = log.rows[0], count[STARTED]
        log.time_s[row], log.queue_length[row], log.winners[row] = now_s, count[WAITING], 0
        standing.now[1] = decide(jobs, asked, rules, standing, sky, soon, hand, scores, log, scan, rate, now_s)
        if count[WRONG]:
            return count[WRONG]
        if is_out_of_room(sky):
            return OUT_OF_ROOM
        log.started[row] = count[STARTED] - before
        log.rows[0] += 1


@inner
def _next_event(jobs, standing):
    """When something happens next that could start a job; infinite when nobody can start any more."""
    count, event_s = standing.tally, np.inf
    coming = count[ARRIVED] < jobs.submit_s.shape[0]
    if coming:
        event_s = jobs.submit_s[count[ARRIVED]]
    if count[RUNNING] > 0 and (coming or count[WAITING] > 0):
        event_s = min(event_s, standing.end_s[0])
    if count[WAITING] > 0 and standing.now[1] > standing.now[0]:
        event_s = min(event_s, standing.now[1])
    return event_s


@inner
def steps_needed(asked, standing):
    """A bound on the steps that a pass and the ends before the next one can ask for: hosts double their room."""
    count, hosts = standing.tally, asked.capacity.shape[0]
    return 2 * LEAST_ROOM * hosts + 8 * (hosts + 4 * (count[RUNNING_TASKS] + count[WAITING_TASKS]))
