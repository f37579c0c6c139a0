"""The first moment at which a job fits beside the plan of a decision, compiled, and the hosts it gets then."""
# mypy: disable-error-code="no-untyped-def,assignment"

import numpy as np

from loadmaster.backfilling.skyline_kernel import covering, first_on, least, until
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.sim.queue.plan_bounds_kernel import bound_on, catch_up
from loadmaster.sim.queue.plan_state import BLOCK
from loadmaster.sim.queue.starts_kernel import LAST_HOST, tasks_in


@inner
def first_for_one(jobs, state, plan, job, now):
    """The first moment for a job of one task, and the number of hosts, now `able`, that can hold it then."""
    kind, hosts = plan.soon.of[job], state.free.shape[0]
    catch_up(plan, kind, now)
    likely = np.int64(plan.likely[kind])
    best_s, able = first_or_later(jobs, state, plan, job, kind, likely, now, np.inf, 0)
    for block in range(plan.block_s.shape[1]):
        if plan.block_s[kind, block] > best_s:
            continue
        for host in range(block * BLOCK, min((block + 1) * BLOCK, hosts)):
            if host != likely and plan.soon.soon_s[kind, host] <= best_s:
                best_s, able = first_or_later(jobs, state, plan, job, kind, host, now, best_s, able)
    if best_s < np.inf:
        for i in range(able):
            least(plan.ahead, plan.hand.able[i], best_s, until(best_s, state.expected_s[job]), plan.hand.window)
    return best_s, able


@inner
def first_or_later(jobs, state, plan, job, kind, host, now, best_s, able):
    """The first moment up to `best_s` for the job on one more host, and how many hosts give that."""
    start_s = max(now, plan.soon.soon_s[kind, host])
    if plan.exact_at[kind, host] != plan.changed_at[host] and start_s <= best_s:
        start_s = bound_on(state, plan, kind, host, now, best_s)
    if start_s <= best_s and not _is_least(jobs, state, plan, job, kind):
        start_s = first_on(plan.ahead, host, jobs.demand[jobs.kind[job]], state.expected_s[job], start_s, best_s)
    if start_s < best_s:
        best_s, able = start_s, 0
    if start_s == best_s and start_s < np.inf:
        plan.hand.able[able] = host
        able += 1
    return best_s, able


@inner
def _is_least(jobs, state, plan, job, kind):
    """Whether the bounds of the class are those of the job."""
    least_of_all = state.expected_s[job] <= plan.soon.short_s[kind]
    for r in range(jobs.demand.shape[1]):
        least_of_all &= jobs.demand[jobs.kind[job], r] <= plan.soon.need[kind, r]
    return least_of_all


@inner
def first_for_many(jobs, state, plan, job, from_s, now):
    """The same for a job of several tasks, from `from_s` on: a host can hold more only from one of its own steps on."""
    kind, hand = plan.soon.of[job], plan.hand
    catch_up(plan, kind, now)
    turns = able = 0
    for host in range(state.free.shape[0]):
        if plan.soon.soon_s[kind, host] < np.inf:
            turns = push(hand.turn_s, hand.turn_host, turns, max(from_s, plan.soon.soon_s[kind, host]), host)
    hand.question[0] += 1
    next_s = np.inf
    while True:
        start_s = min(next_s, hand.turn_s[0]) if turns > 0 else next_s
        if start_s == np.inf:
            return np.inf, 0
        while turns > 0 and hand.turn_s[0] <= start_s:
            host = np.int64(hand.turn_host[0])
            turns = drop_first(hand.turn_s, hand.turn_host, turns)
            if hand.exact_at[host] == hand.question[0]:
                hand.able[able] = host
                able += 1
            else:
                hand.exact_at[host] = hand.question[0]
                turns = _turn(jobs, state, plan, job, host, max(start_s, now), turns)
        able, turns, total, next_s = _count(jobs, state, plan, job, able, turns, start_s)
        if total >= jobs.tasks[job]:
            return start_s, able


@inner
def _turn(jobs, state, plan, job, host, from_s, turns):
    """Note when it is the host's turn: from then on it can hold a task."""
    hand = plan.hand
    first_s = first_on(plan.ahead, host, jobs.demand[jobs.kind[job]], state.expected_s[job], from_s, np.inf)
    return push(hand.turn_s, hand.turn_host, turns, first_s, host) if first_s < np.inf else turns


@inner
def _count(jobs, state, plan, job, able, turns, start_s):
    """The tasks that the hosts whose turn has come can hold from `start_s` on, and when that may change next."""
    hand, ahead, kind = plan.hand, plan.ahead, jobs.kind[job]
    total, i, next_s, end_s = np.int64(0), 0, np.inf, until(start_s, state.expected_s[job])
    while i < able:
        host = np.int64(hand.able[i])
        least(ahead, host, start_s, end_s, hand.window)
        held = tasks_in(hand.window, host, jobs.demand, kind, jobs.tasks[job])
        if held > 0:
            total, i = total + held, i + 1
            following = covering(ahead, host, start_s) + 1
            if following < ahead.first[host] + ahead.many[host]:
                next_s = min(next_s, ahead.time_s[following])
            continue
        able -= 1
        hand.able[i] = hand.able[able]
        turns = _turn(jobs, state, plan, job, host, start_s, turns)
    return able, turns, total, next_s


@inner
def choose(jobs, capacity, rules, state, plan, rate, job, able):
    """Choose among the hosts that are `able`, by their `window`; they go to `undo_host`. Returns 1 if not finite."""
    hand, demand, last_host = plan.hand, jobs.demand[jobs.kind[job]], state.tally[LAST_HOST]
    for k in range(jobs.tasks[job]):
        task = jobs.first_task[job] + k
        if k == 0 or rules.varies:
            wrong = rate(demand, hand.window, capacity, hand.able, able, last_host, task, rules.seed, hand.value, 0)
        else:
            hand.again[0] = last_host
            wrong = rate(demand, hand.window, capacity, hand.again, 1, last_host, task, rules.seed, hand.value, 0)
        if wrong:
            return 1
        host = lowest_able(hand, able)
        state.undo_host[k] = host
        plan.likely[plan.soon.of[job]] = host
        for r in range(demand.shape[0]):
            hand.window[host, r] -= demand[r]
        last_host = host
    return 0


@inner
def lowest_able(hand, able):
    """The lowest rated of the hosts in `able`, the lowest index among equals, or -1."""
    best, found = np.inf, np.int64(-1)
    for i in range(able):
        host = np.int64(hand.able[i])
        if hand.value[host] < best or (hand.value[host] == best and host < found):
            best, found = hand.value[host], host
    return found
