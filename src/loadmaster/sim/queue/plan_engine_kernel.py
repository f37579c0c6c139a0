"""The engine for conservative backfilling, compiled: any placement policy, any number of resources and tasks."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.skyline_kernel import is_out_of_room, until
from loadmaster.backfilling.soon_kernel import note_freed
from loadmaster.kernels import inner
from loadmaster.sim.moments_kernel import at_or_after
from loadmaster.sim.queue.plan_ahead_kernel import hold_running, room_needed
from loadmaster.sim.queue.plan_kernel import decide_plan
from loadmaster.sim.queue.plan_unlike_kernel import note_more
from loadmaster.sim.queue.queue_state import DONE, OUT_OF_ROOM, PAUSED
from loadmaster.sim.queue.starts_kernel import ARRIVED, FIRST, MORE_ROOM, RUNNING, STARTED, UNDER_WAY, admit, complete


@inner
def run(jobs, capacity, rules, state, scores, plan, log, scan, rate):
    """Go on until all is done, the records are full or room is short; changes its arguments in place."""
    count = state.tally
    total = jobs.submit_s.shape[0]
    log.rows[0] = 0
    while count[ARRIVED] < total or (count[ARRIVED] > count[FIRST] and count[RUNNING] > 0) or count[UNDER_WAY]:
        if log.rows[0] == log.time_s.shape[0]:
            return PAUSED
        if not count[UNDER_WAY]:
            event = state.end_s[0] if count[RUNNING] > 0 else jobs.submit_s[count[ARRIVED]]
            if count[ARRIVED] < total:
                event = min(event, jobs.submit_s[count[ARRIVED]])
            now = at_or_after(event, rules.interval_s)
            state.now[0] = now
            _complete(jobs, state, scores, plan, log, now)
            admit(jobs, state, now)
        if count[ARRIVED] == count[FIRST]:
            continue
        if is_out_of_room(plan.base):
            return OUT_OF_ROOM
        if room_needed(plan, state) > plan.base.time_s.shape[0]:
            count[UNDER_WAY] = 1
            return MORE_ROOM
        count[UNDER_WAY] = 0
        now = state.now[0]
        row = log.rows[0]
        log.time_s[row] = now
        log.queue_length[row] = count[ARRIVED] - count[FIRST]
        before = count[STARTED]
        wrong = decide_plan(jobs, capacity, rules, state, scores, plan, log, scan, rate, now)
        if wrong:
            return wrong
        log.started[row] = count[STARTED] - before
        log.winners[row] = 0
        log.rows[0] += 1
    return DONE


@inner
def _complete(jobs, state, scores, plan, log, now):
    """Free the hosts of all jobs that have ended by `now`, also for the time that was expected of them still."""
    while state.tally[RUNNING] > 0 and state.end_s[0] <= now:
        job = complete(jobs, state, scores, log)
        held_s, demand = until(log.start_s[job], state.expected_s[job]), jobs.demand[jobs.kind[job]]
        if held_s > now:
            for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
                host = log.host[task]
                hold_running(plan, host, now, held_s, demand, -1.0, now)
                note_more(plan.since, host, now, held_s)
                note_freed(plan.soon, plan.base, host, now, held_s)
