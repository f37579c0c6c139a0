"""The first moment at which a job fits beside a plan that is kept, compiled: looks only where bounds leave a chance."""
# mypy: disable-error-code="no-untyped-def,assignment"

import numpy as np

from loadmaster.backfilling.choice_kernel import tasks_in
from loadmaster.backfilling.skyline_kernel import covering, first_on, fits, least, until
from loadmaster.backfilling.soon_kernel import FREED, LAST, bound_on, catch_up, lasts
from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.sim.queue.queue_state import NOT_FINITE
from loadmaster.sim.queue.standing_state import LAST_HOST, WRONG


@inner
def list_hosts(asked, soon, sky, hand, job, before_s, seen, now_s):
    """List the hosts on which the job might start before that moment; returns how many.

    Something must have been given back there since `seen`; a negative one stands for all hosts.
    """
    kind, freed = soon.of[job], soon.freed[0]
    catch_up(soon, sky, kind, now_s)
    hand.question[0] += 1
    if soon.least_s[kind] >= before_s or soon.live_at[kind] <= seen:
        return 0
    size = 0
    if seen >= 0 and freed - seen < min(FREED, max(soon.freed_at.shape[0] >> 1, 2)):
        number, expected_s = np.int64(soon.need_of[kind]), asked.expected_s[job]
        longest_s, bound_s = soon.longest_s[number], soon.soon_s[kind]
        for entry in range(seen, freed):
            at = entry & LAST
            if lasts(soon, sky, at, number, longest_s, expected_s, now_s):
                host, until_s = np.int64(soon.freed_host[at]), soon.until_s[at]
                if bound_s[host] < min(before_s, until_s):
                    size = _list(hand, host, until_s, size)
        return size
    least_s = np.inf
    for host in range(soon.freed_at.shape[0]):
        least_s = min(least_s, soon.soon_s[kind, host])
        if soon.soon_s[kind, host] < before_s and soon.freed_at[host] > seen:
            size = _list(hand, host, np.inf, size)
    soon.least_s[kind] = least_s
    return size


@inner
def list_own(asked, standing, soon, sky, hand, job, seen, size):
    """List also those of the job's own hosts where it may start sooner without its own promise; returns how many.

    Something was given back there, and there is room just before the promise begins.
    """
    demand, start_s = asked.demand[asked.kind[job]], standing.start_s[job]
    for task in range(asked.first[job], asked.first[job + 1]):
        host = np.int64(standing.host[task])
        if soon.freed_at[host] > seen:
            at = covering(sky, host, start_s)
            if at > sky.first[host] and sky.time_s[at] == start_s:
                at -= 1
            if fits(sky, at, demand):
                size = _list(hand, host, np.inf, size)
                hand.question[1] = hand.question[0]
    return size


@inner
def _list(hand, host, until_s, size):
    """List a host, on which the job may start until then at the latest; returns how many are listed."""
    if hand.listed_at[host] == hand.question[0]:
        hand.limit_s[host] = max(hand.limit_s[host], until_s)
        return size
    hand.listed_at[host], hand.limit_s[host], hand.listed[size] = hand.question[0], until_s, host
    return size + 1


@inner
def earliest(asked, rules, standing, sky, soon, hand, rate, job, before_s, size, now_s):
    """The first moment before `before_s` at which the job fits, infinite if there is none; its hosts are in `hand`."""
    if asked.tasks[job] == 1:
        start_s, able = _first_of_one(asked, sky, soon, hand, job, before_s, size, now_s)
    else:
        start_s, able = _first_of_several(asked, sky, soon, hand, job, before_s, now_s)
    if start_s < np.inf:
        choose(asked, rules, standing, hand, rate, job, able)
    return start_s


@inner
def _first_of_one(asked, sky, soon, hand, job, before_s, size, now_s):
    kind, demand, expected_s = soon.of[job], asked.demand[asked.kind[job]], asked.expected_s[job]
    best_s, able, likely, likely_s = before_s, 0, 0, np.inf
    for i in range(size):
        if soon.soon_s[kind, hand.listed[i]] < likely_s:
            likely, likely_s = i, soon.soon_s[kind, hand.listed[i]]
    if size > 0:
        hand.listed[0], hand.listed[likely] = hand.listed[likely], hand.listed[0]
    for i in range(size):
        host = hand.listed[i]
        latest_s = min(best_s, hand.limit_s[host])
        bound_s = bound_on(soon, sky, kind, host, now_s, latest_s)
        if bound_s > latest_s or bound_s >= before_s:
            continue
        start_s = first_on(sky, host, demand, expected_s, bound_s, latest_s)
        if start_s > latest_s:
            continue
        if start_s < best_s:
            best_s, able = start_s, 0
        if start_s == best_s and start_s < before_s:
            hand.able[able] = host
            able += 1
    if able == 0:
        return np.inf, 0
    for i in range(able):
        least(sky, hand.able[i], best_s, until(best_s, expected_s), hand.window)
    return best_s, able


@inner
def _first_of_several(asked, sky, soon, hand, job, before_s, now_s):
    """A host can hold more only from one of its own steps on; bounds stand for those whose turn has not come."""
    kind, demand, expected_s = soon.of[job], asked.demand[asked.kind[job]], asked.expected_s[job]
    turns = able = 0
    for host in range(asked.capacity.shape[0]):
        if soon.soon_s[kind, host] < before_s:
            turns = push(hand.turn_s, hand.turn_host, turns, max(now_s, soon.soon_s[kind, host]), host)
    next_s = np.inf
    while True:
        start_s = min(next_s, hand.turn_s[0]) if turns > 0 else next_s
        if start_s >= before_s:
            return np.inf, 0
        while turns > 0 and hand.turn_s[0] <= start_s:
            host = np.int64(hand.turn_host[0])
            turns = drop_first(hand.turn_s, hand.turn_host, turns)
            if hand.exact_at[host] == hand.question[0]:
                hand.able[able] = host
                able += 1
                continue
            hand.exact_at[host] = hand.question[0]
            bound_s = bound_on(soon, sky, kind, host, now_s, before_s)
            first_s = first_on(sky, host, demand, expected_s, bound_s, before_s) if bound_s < before_s else bound_s
            if first_s < before_s:
                turns = push(hand.turn_s, hand.turn_host, turns, first_s, host)
        end_s, next_s = until(start_s, expected_s), np.inf
        total, i = np.int64(0), 0
        while i < able:
            host = np.int64(hand.able[i])
            least(sky, host, start_s, end_s, hand.window)
            held = tasks_in(hand.window, host, asked.demand, asked.kind[job], asked.tasks[job])
            if held > 0:
                total, i = total + held, i + 1
                following = covering(sky, host, start_s) + 1
                if following < sky.first[host] + sky.many[host]:
                    next_s = min(next_s, sky.time_s[following])
                continue
            able -= 1
            hand.able[i] = hand.able[able]
            first_s = first_on(sky, host, demand, expected_s, start_s, before_s)
            if first_s < before_s:
                turns = push(hand.turn_s, hand.turn_host, turns, first_s, host)
        if total >= asked.tasks[job]:
            return start_s, able


@inner
def choose(asked, rules, standing, hand, rate, job, able):
    """Choose among the hosts in `able`, by what they have in `window`, which shrinks; they go to `host`."""
    if rules.as_pool:
        hand.host[0] = 0
        return
    demand, last_host = asked.demand[asked.kind[job]], standing.tally[LAST_HOST]
    for k in range(asked.tasks[job]):
        task = asked.first[job] + k
        if k == 0 or rules.varies:
            wrong = rate(
                demand, hand.window, asked.capacity, hand.able, able, last_host, task, rules.seed, hand.value, 0
            )
        else:
            hand.again[0] = last_host
            wrong = rate(demand, hand.window, asked.capacity, hand.again, 1, last_host, task, rules.seed, hand.value, 0)
        if wrong:
            standing.tally[WRONG] = NOT_FINITE
            return
        host = _lowest(hand, able)
        hand.host[k] = host
        for r in range(demand.shape[0]):
            hand.window[host, r] -= demand[r]
        last_host = host


@inner
def _lowest(hand, able):
    """The lowest rated of the hosts in `able`, the lowest index among equals."""
    best, found = np.inf, np.int64(hand.able[0])
    for i in range(able):
        host = np.int64(hand.able[i])
        if hand.value[host] < best or (hand.value[host] == best and host < found):
            best, found = hand.value[host], host
    return found
