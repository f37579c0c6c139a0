"""What hosts have free, compiled: beside what runs, which is kept, and beside the plan of one decision, which goes.

A decision copies the steps of a host when it first plans something there, behind those that are kept.
"""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.skyline_kernel import LEAST_ROOM, hold
from loadmaster.kernels import inner
from loadmaster.sim.queue.starts_kernel import KEPT, RUNNING_TASKS, STAMP, WAITING_TASKS


@inner
def room_needed(plan, state):
    """A bound on the steps in use after the next decision: hosts double their room."""
    hosts, tasks = state.free.shape[0], state.tally[RUNNING_TASKS] + state.tally[WAITING_TASKS]
    return plan.base.used[0] + 2 * LEAST_ROOM * hosts + 8 * (hosts + 4 * tasks)


@inner
def hold_running(plan, host, from_s, until_s, demand, sign, now):
    """Take what a running job holds on a host, or give it back, while nothing is planned."""
    hold(plan.base, host, from_s, until_s, demand, sign, now)
    _look_at_base(plan, host)


@inner
def hold_planned(state, plan, host, from_s, until_s, demand, now):
    """Take what is planned on a host, until the end of the decision; it is kept from jobs that do not look there."""
    count = state.tally
    if state.kept[host] != count[STAMP]:
        state.kept[host] = count[STAMP]
        state.hosts[count[KEPT]] = host
        count[KEPT] += 1
        state.open[host] = False
        _copy(plan, host)
    hold(plan.ahead, host, from_s, until_s, demand, 1.0, now)
    _note_change(plan, host)


@inner
def begin_plan(state):
    """Begin the plan of a decision, with nothing planned on any host."""
    state.tally[STAMP] += 1
    state.tally[KEPT] = 0


@inner
def drop_plan(state, plan, used):
    """Nothing is planned any more; so many steps were in use before."""
    for i in range(state.tally[KEPT]):
        state.open[state.hosts[i]] = True
        _look_at_base(plan, state.hosts[i])
    plan.base.used[0] = used


@inner
def _look_at_base(plan, host):
    base, ahead = plan.base, plan.ahead
    ahead.first[host], ahead.many[host] = base.first[host], base.many[host]
    ahead.base[host], ahead.room[host] = base.base[host], base.room[host]
    _note_change(plan, host)


@inner
def _note_change(plan, host):
    plan.changes[0] += 1
    plan.changed_at[host] = plan.changes[0]


@inner
def _copy(plan, host):
    ahead = plan.ahead
    old, many, new = ahead.first[host], ahead.many[host], ahead.used[0]
    if new + many + LEAST_ROOM > ahead.time_s.shape[0]:
        ahead.used[0] = ahead.time_s.shape[0] + 1
        return
    ahead.base[host] = ahead.first[host] = new
    ahead.room[host] = many + LEAST_ROOM
    ahead.used[0] = new + many + LEAST_ROOM
    for i in range(many):
        ahead.time_s[new + i] = ahead.time_s[old + i]
        for r in range(ahead.free.shape[1]):
            ahead.free[new + i, r] = ahead.free[old + i, r]
