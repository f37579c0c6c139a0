"""Running jobs in the profile, compiled: they hold hosts until their expected end, or just after now if overdue."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.free_profile_kernel import LEAST_ROOM, is_out_of_room, until
from loadmaster.backfilling.start_bounds_kernel import note_freed
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.allocate_kernel import place
from loadmaster.sim.queue.engine.profile.pass_profile_kernel import show_running
from loadmaster.sim.queue.engine.profile.plan_diff_kernel import add_gain
from loadmaster.sim.queue.engine.profile.reservations_kernel import entries_of, hold_hosts
from loadmaster.sim.queue.engine.profile.state import EARLY, ENDED_TASKS, OVER, OVERDUE, UNDER_WAY
from loadmaster.sim.queue.engine.state import ARRIVED, MORE_ROOM, OUT_OF_ROOM, PLANNED, UNDO


@inner
def give_back_early(plan, kept, replan, job, end_s, now_s):
    """End the job: the rest of its expected time is free."""
    requests, sky = plan.requests, plan.sky
    expected_s = requests.expected_s[job]
    plan.tally[EARLY] |= end_s < plan.log.start_s[job] + expected_s
    plan.tally[ENDED_TASKS] += requests.tasks[job]
    plan.runs[job] = False
    held_s = until(plan.log.start_s[job], expected_s)
    if held_s > now_s:
        hold_hosts(plan, job, now_s, held_s, -1.0, now_s)
        if replan is not None:
            show_running(plan, plan.total)
        first, end = entries_of(plan, job)
        for entry in range(first, end):
            host = np.int64(plan.host[entry])
            note_freed(plan.bounds, sky, host, now_s, held_s)
            if kept is not None:
                kept.look_s[host] = -np.inf
            if replan is not None:
                show_running(plan, host)
                add_gain(replan.since, host, now_s, held_s)


@inner
def note_starts(plan, now_s):
    """Let the jobs of the pass run from now on."""
    state = plan.state
    for i in range(state.tally[PLANNED]):
        job = np.int64(state.plan_job[1, i])
        plan.runs[job] = True
        plan.tally[OVER] = push(plan.over_s, plan.over, plan.tally[OVER], now_s + plan.requests.expected_s[job], job)


@inner
def list_overdue(plan, now_s):
    """List the running jobs whose expected end has passed; returns how many."""
    count = plan.tally
    while count[OVER] > 0 and plan.over_s[0] <= now_s:
        plan.overdue[count[OVERDUE]] = plan.over[0]
        count[OVERDUE] += 1
        count[OVER] = drop_first(plan.over_s, plan.over, count[OVER])
    many, count[OVERDUE] = count[OVERDUE], 0
    for i in range(many):
        if plan.runs[plan.overdue[i]]:
            plan.overdue[count[OVERDUE]] = plan.overdue[i]
            count[OVERDUE] += 1
    return count[OVERDUE]


@inner
def lacks_room(plan, now_s):
    """The engine's status before the pass: 0, OUT_OF_ROOM, or MORE_ROOM where the profile might need more steps."""
    sky, count, hosts = plan.sky, plan.tally, plan.sky.many.shape[0]
    plan.now[0] = now_s
    if is_out_of_room(sky):
        return OUT_OF_ROOM
    tasks = plan.requests.first[plan.state.tally[ARRIVED]] - count[ENDED_TASKS]
    needed = 2 * LEAST_ROOM * hosts + 8 * (hosts + 8 * tasks)  # hosts double their room, and so does their total
    count[UNDER_WAY] = sky.used[0] + needed > sky.time_s.shape[0]
    return MORE_ROOM if count[UNDER_WAY] else 0


@inner
def take_best(engine, plan, job, now_s):
    """Take the best hosts of all for the job's tasks, or none; returns (taken, wrong)."""
    placed, _, wrong = place(engine, 0, None, job, now_s)
    return placed, wrong


@inner
def note_start(plan, job):
    """Plan the start of the job on the hosts that were taken last."""
    state, tasks = plan.state, plan.jobs.tasks[job]
    state.plan_job[1, state.tally[PLANNED]] = job
    state.plan_task[state.tally[PLANNED]] = state.tally[UNDO] - tasks
    state.tally[PLANNED] += 1
