"""Compiled: what the planner decides for a bag; `loadmaster.sizing.planning` on a snapshot of it says the same."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import allocating
from loadmaster.sim.bags.board_kernel import UP, cost_of, paid_left_of
from loadmaster.sizing import plan_kernel as plan
from loadmaster.sizing.estimate_kernel import work_left_of
from loadmaster.sizing.finished_kernel import TOTAL, first_longer

MIDDLE, SURE = plan.CHANCES // 2, plan.CHANCES


@allocating
def planned(b, finished, kinds, wish, now, unstarted):
    """`planning.plan`: marks the machines that leave; returns the type and number to rent, and when to wake."""
    idle = 0
    for place in range(b.tally[UP]):
        idle += b.ready[place] and b.task[place] < 0
    if unstarted == 0 and b.tally[UP] > idle:  # nothing waits: idle machines go, the others end what they have
        for place in range(b.tally[UP]):
            b.leaves[place] = b.ready[place] and b.task[place] < 0
        return 0, 0, np.inf
    ages = _ages(b, kinds, now)
    work = work_left_of(finished, ages, unstarted, wish.prior_log, wish.prior_sd, wish.prior_weight, wish.levels)
    busy = 0.0
    for age in ages:
        busy += age
    whole = work.work_s + busy
    spread = work.sd_s / work.mean_s
    end_s = min((1 + spread * spread) / 2, 1.0) * whole / max(1, unstarted + len(ages))
    gone = 0.0
    if idle > 0:
        gone = _release(b, finished, kinds, wish, now, unstarted, work, end_s[MIDDLE])
    fleet, without_task = _fleet(b, kinds, now)
    fresh = max(0, unstarted - without_task)
    aim = _aim(b, finished, wish, now, work, len(ages), b.spent[0] + gone)
    cheapest = _cheapest(finished, kinds, whole)
    tail_s = work.mean_s + wish.levels[SURE, 1] * min(work.sd_s, 2.0 * work.mean_s)
    best_kind, best_number, best_rank = 0, 0, (np.inf, np.inf, np.inf)
    for kind in range(len(kinds.speed)):
        most = min(fresh, kinds.limit[kind] - _of_kind(b, kind), wish.most)
        if most < 0 or (most == 0 and kind > 0):
            continue
        offer = plan.Offer(
            kinds.speed[kind], kinds.boot_s[kind], kinds.unit_s[kind], kinds.least[kind], kinds.price[kind], most
        )
        chosen, kept = plan.choose(fleet, offer, aim, work.work_s, cheapest, end_s, tail_s)
        rank = _rank(chosen, kept, wish)
        if kind == 0 or rank < best_rank:
            best_kind, best_number, best_rank = kind, chosen.number, rank
    return best_kind, best_number, _paid_until(b, kinds, now, unstarted)


@allocating
def _ages(b, kinds, now):
    """Work that the running tasks have had."""
    ages = np.empty(b.tally[UP])
    count = 0
    for place in range(b.tally[UP]):
        if b.task[place] >= 0:
            ages[count] = (now - b.started_s[place]) * kinds.speed[b.kind[place]]
            count += 1
    return ages[:count]


@allocating
def _release(b, finished, kinds, wish, now, unstarted, work, end_s):
    """Idle machines with nothing to take, and those whose next task would start an unneeded unit; their money."""
    up = b.tally[UP]
    left = np.empty(up)
    order = np.empty(up, np.int64)
    count = 0
    for place in range(up):
        left[place] = paid_left_of(kinds, b.kind[place], now - b.rented_s[place])
        if b.ready[place] and b.task[place] < 0:
            at = count
            while at > 0 and left[order[at - 1]] > left[place]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = place
            count += 1
    waiting = unstarted
    for at in range(count):
        place = order[at]
        if waiting == 0:
            b.leaves[place] = True
            continue
        crosses = b.used[place] and _costs_too_much(finished, kinds, b.kind[place], left[place])
        if crosses and _spare(b, kinds, wish, now, work, end_s, left, place):
            b.leaves[place] = True
        else:
            waiting -= 1
    gone = 0.0
    for place in range(up):
        if b.leaves[place]:
            gone += cost_of(kinds, b.kind[place], now - b.rented_s[place])
    return gone


@allocating
def _costs_too_much(finished, kinds, kind, left_s):
    count = finished.number[0]
    longer = count - first_longer(finished, left_s * kinds.speed[kind])
    return (longer + 1) / (count + 2) > left_s / kinds.unit_s[kind]


@allocating
def _spare(b, kinds, wish, now, work, end_s, left, without):
    """The machines but `without` and those that leave hold the work within what is paid, or the money is out."""
    others, room, pace, committed, dearest = 0, 0.0, 0.0, 0.0, 0.0
    for place in range(b.tally[UP]):
        kind = b.kind[place]
        committed += cost_of(kinds, kind, now - b.rented_s[place])
        dearest = max(dearest, kinds.price[kind])
        if place != without and not b.leaves[place]:
            others += 1
            room += max(0.0, left[place] - end_s) * kinds.speed[kind]
            pace += kinds.speed[kind]
    if others == 0:
        return False
    if wish.budget < np.inf:
        committed = b.spent[0] + committed
        if committed + dearest > wish.budget + 1e-9 and committed <= wish.budget + 1e-9:
            return True
    if room < work.work_s[MIDDLE]:
        return False
    if wish.deadline_s == np.inf:
        return True
    return now + work.work_s[SURE] / pace + work.mean_s + work.sd_s <= wish.deadline_s


@allocating
def _fleet(b, kinds, now):
    """The machines that stay, and how many of them have no task."""
    up = b.tally[UP]
    fleet = plan.Fleet(np.empty(up), np.empty(up), np.empty(up), np.empty(up), np.empty(up), np.empty(up))
    count, without_task = 0, 0
    for place in range(up):
        if b.leaves[place]:
            continue
        kind, age = b.kind[place], now - b.rented_s[place]
        fleet.age_s[count] = age
        fleet.ready_s[count] = 0.0 if b.ready[place] else max(0.0, kinds.boot_s[kind] - age)
        fleet.speed[count], fleet.unit_s[count] = kinds.speed[kind], kinds.unit_s[kind]
        fleet.least[count], fleet.price[count] = kinds.least[kind], kinds.price[kind]
        count += 1
        without_task += b.task[place] < 0
    staying = plan.Fleet(
        fleet.age_s[:count],
        fleet.ready_s[:count],
        fleet.speed[:count],
        fleet.unit_s[:count],
        fleet.least[:count],
        fleet.price[:count],
    )
    return staying, without_task


@allocating
def _of_kind(b, kind):
    count = 0
    for place in range(b.tally[UP]):
        count += b.kind[place] == kind and not b.leaves[place]
    return count


@allocating
def _aim(b, finished, wish, now, work, running, spent):
    results = finished.number[0]
    waste = wish.waste * (results + 1) / (results + 2)
    doubtful = results < max(wish.enough, running)
    mode, money, seconds = plan.THRIFT, wish.budget, np.inf
    if wish.budget < np.inf and not doubtful:
        mode = plan.BUDGET
    elif wish.deadline_s < np.inf and not (doubtful and _far(b, wish, now, work)):
        mode, seconds = plan.DEADLINE, wish.deadline_s - now
    return plan.Aim(mode, money, seconds, waste, spent)


@allocating
def _far(b, wish, now, work):
    known_s = 0.0
    for place in range(b.tally[UP]):
        if b.task[place] >= 0:
            known_s = max(known_s, now - b.started_s[place])
    if wish.guess:
        known_s = max(known_s, work.mean_s)
    return wish.deadline_s - now >= 4.0 * known_s


@allocating
def _cheapest(finished, kinds, whole):
    least = np.full(len(whole), np.inf)
    for level in range(len(whole)):
        amount = finished.sums[TOTAL] + whole[level]
        for kind in range(len(kinds.speed)):
            least[level] = min(least[level], cost_of(kinds, kind, amount / kinds.speed[kind]))
    return least


@allocating
def _rank(chosen, kept, wish):
    missed = 0.0 if kept else 1.0
    if wish.deadline_s == np.inf and wish.budget < np.inf:
        return missed, chosen.span_s, chosen.cost
    if wish.deadline_s < np.inf and not kept:
        return missed, chosen.sure_span_s, chosen.cost
    return missed, chosen.cost, chosen.span_s


@allocating
def _paid_until(b, kinds, now, unstarted):
    """When the unit of an idle machine that stays ends."""
    wake = np.inf
    if unstarted == 0:
        for place in range(b.tally[UP]):
            if b.ready[place] and b.task[place] < 0 and not b.leaves[place]:
                wake = min(wake, now + paid_left_of(kinds, b.kind[place], now - b.rented_s[place]))
    return wake
