"""The free capacity of each host from now on, compiled: the same steps as in `loadmaster.backfilling.availability`.

Each host has a chain of steps; the last step lasts for ever. The first step of a host has the host's own number, so a
look at now for all hosts reads memory in order. Where hosts are counted, host 0 has the only chain, in column 0.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.pass_arrays import MORE_ROOM, SPARE, STARTED, STATUS, STEPS
from loadmaster.backfilling.running_ends_kernel import first_after
from loadmaster.backfilling.start_bounds_kernel import note_freed_from
from loadmaster.jit.kernels import inner
from loadmaster.place.cards_kernel import change_row, give_to_row, sum_up_row


@inner
def end_of(start_s, expected_s):
    """The expected end of a job that starts at `start_s`: always after it."""
    return max(start_s + expected_s, np.nextafter(start_s, np.inf))


@inner
def lay_out(view, availability, now):
    """Make the chains of all hosts: free capacity now, and the ends of tasks that run or started in this pass."""
    # an overdue task is expected to end just after now
    soonest, started = np.nextafter(now.now_s, np.inf), view.this_pass.tally[STARTED]
    tasks = view.this_pass.place[started].first
    if not has_room(view.this_pass, availability, availability.chain.shape[0] + view.ends.many[0] + tasks, 0):
        return
    if now.as_pool:
        _begin_chain(availability, 0)
        availability.step[0].start_s, availability.size[STEPS] = now.now_s, 1
        availability.step_free[0, 0] = view.room.free.shape[0] - view.ends.many[0] - tasks
        for i in range(view.ends.many[0]):
            _append(availability, 0, max(view.ends.end[i].end_s, soonest))
            availability.step_free[availability.chain[0].last, 0] += 1.0
    else:
        for at in range(tasks):
            availability.chain[view.this_pass.started_host[at]].stays = False
        _chains_of_running(view, availability, now.now_s, soonest)
    for place in range(started):
        row, slowest = view.this_pass.place[place].row, np.inf
        for at in range(view.this_pass.place[place].first, view.this_pass.place[place + 1].first):
            slowest = min(slowest, view.hosts.speed[view.this_pass.started_host[at]])
        end_s = max(now.now_s + view.rows.of[row].expected_s / slowest, soonest)
        for at in range(view.this_pass.place[place].first, view.this_pass.place[place + 1].first):
            host = 0 if now.as_pool else view.this_pass.started_host[at]
            # every step from the task's end on has its demand free again
            step = step_at(availability, host, end_s)
            while step >= 0:
                if now.as_pool:
                    availability.step_free[step, 0] += 1.0
                elif view.cards is not None:
                    _end_on_cards(view, availability, step, view.rows.of[row].kind, view.cards.started[at])
                else:
                    for r in range(view.rows.demand.shape[1]):
                        availability.step_free[step, r] += view.rows.demand[view.rows.of[row].kind, r]
                step = np.int64(availability.step[step].next)


@inner
def _chains_of_running(view, availability, now_s, soonest):
    """Make the chain of each host.

    A chain that still shows the ends of the host's running tasks and nothing else stays from the plan before: only its
    first step begins later. The steps of other chains are given back first, so the chains take no more than they need.
    """
    chain, ends, hosts = availability.chain, view.ends, view.room.free.shape[0]
    new = availability.size[STEPS] < hosts
    for i in range(first_after(ends, now_s)):
        chain[ends.end[i].host].stays = False  # an overdue task ends just after now
    for host in range(hosts):
        chain[host].stays &= not ends.changed[host]
        if not chain[host].stays:
            if not new:
                _give_steps_back(availability, host)
            note_freed_from(availability.bounds, host, now_s)
            _begin_chain(availability, host)
            _write_free_now(view, availability, host)
        availability.step[host].start_s = now_s
    if new:
        availability.size[STEPS] = hosts
    for i in range(ends.many[0]):
        host = ends.end[i].host
        if not chain[host].stays:
            _append(availability, host, max(ends.end[i].end_s, soonest))
            last = chain[host].last
            if view.cards is not None:
                _end_on_cards(view, availability, last, ends.end[i].kind, ends.cards[i])
            else:
                for r in range(view.rows.demand.shape[1]):
                    availability.step_free[last, r] += view.rows.demand[ends.end[i].kind, r]
    for host in range(hosts):
        chain[host].stays, ends.changed[host] = True, False


@inner
def _write_free_now(view, availability, host):
    """Write what a host has free now into its first step."""
    for r in range(view.room.free.shape[1]):
        availability.step_free[host, r] = view.room.free[host, r]
    if view.cards is not None:
        for card in range(view.cards.free.shape[1]):
            availability.step_free[host, view.room.free.shape[1] + card] = view.cards.free[host, card]


@inner
def _end_on_cards(view, availability, step, kind, bits):
    """A task of demand number `kind` has ended in a step, where GPUs are cards: it had the cards `bits`."""
    change_row(view.cards, availability.step_free[step], view.rows.demand, kind, bits, 1.0)


@inner
def _begin_chain(availability, host):
    availability.chain[host].first = availability.chain[host].last = host
    availability.chain[host].falls_s = np.inf
    availability.step[host].next = -1


@inner
def _append(availability, host, time_s):
    """Add a step at `time_s` to the end of a chain."""
    last = np.int64(availability.chain[host].last)
    if availability.step[last].start_s == time_s:
        return
    new = _new_step(availability)
    availability.step[new].start_s, availability.step[new].next, availability.step[last].next = time_s, -1, new
    for r in range(availability.step_free.shape[1]):
        availability.step_free[new, r] = availability.step_free[last, r]
    availability.chain[host].last = new


@inner
def _new_step(availability):
    """A step that no chain has; `has_room` has been asked."""
    size, new = availability.size, availability.size[SPARE]
    if new > 0:
        size[SPARE] = availability.step[new].next
        return new
    size[STEPS] += 1
    return size[STEPS] - 1


@inner
def _give_steps_back(availability, host):
    """Put all steps of a chain but the first among the spare ones."""
    last = np.int64(host)
    while availability.step[last].next >= 0:
        last = np.int64(availability.step[last].next)
    if last != host:
        availability.step[last].next = availability.size[SPARE]
        availability.size[SPARE] = availability.step[host].next


@inner
def has_room(this_pass, availability, steps, used):
    """Whether that many more steps fit; if not, the pass must be repeated with more room."""
    if used + steps <= availability.step.shape[0]:
        return True
    this_pass.tally[STATUS] = MORE_ROOM
    return False


@inner
def covering(availability, host, time_s):
    """The last step of a host that begins at or before `time_s`."""
    at = np.int64(availability.chain[host].first)
    following = availability.step[at].next
    while following >= 0 and availability.step[following].start_s <= time_s:
        at = np.int64(following)
        following = availability.step[at].next
    return at


@inner
def step_at(availability, host, time_s):
    """The step of a host that begins at `time_s`, a new one if there is none: what is free there will change."""
    availability.chain[host].stays = False
    at = covering(availability, host, time_s)
    if availability.step[at].start_s == time_s:
        return at
    new = _new_step(availability)
    availability.step[new].start_s = time_s
    availability.step[new].next = availability.step[at].next
    availability.step[at].next = new
    for r in range(availability.step_free.shape[1]):
        availability.step_free[new, r] = availability.step_free[at, r]
    return new


@inner
def hold(availability, host, start_s, end_s, demand, columns, sign):
    """Take (`sign` 1) or give back (-1) the first columns of `demand` on a host from `start_s` until `end_s`.

    There must be room for two steps. Capacity that is given back was taken before, so a host has less than now only
    where something is taken later than now; `falls_s` is the first such time. Returns the first step and the one after
    the last.
    """
    first, last = step_at(availability, host, start_s), step_at(availability, host, end_s)
    if first != availability.chain[host].first:
        availability.chain[host].falls_s = min(availability.chain[host].falls_s, start_s)
    at = first
    while at != last:
        for r in range(columns):
            availability.step_free[at, r] -= sign * demand[r]
        at = np.int64(availability.step[at].next)
    return first, last


@inner
def hold_task(view, availability, host, span_s, kind, bits, sign):
    """Take (`sign` 1) or give back (-1) a task of demand number `kind`, from one moment until another.

    `bits` are its cards, where GPUs are cards.
    """
    start_s, end_s = span_s
    demand = view.rows.demand[kind]
    if view.cards is None:
        hold(availability, host, start_s, end_s, demand, demand.shape[0], sign)
    else:
        cards = view.cards
        at, last = hold(availability, host, start_s, end_s, demand, cards.resources, sign)
        while bits > 0 and at != last:
            give_to_row(cards, availability.step_free[at], bits, -sign * cards.share[kind])
            at = np.int64(availability.step[at].next)


@inner
def least_in(view, availability, host, start_s, end_s):
    """As `least`; where GPUs are cards, the least of each card tells what a task may have."""
    least(availability, host, start_s, end_s)
    if view.cards is not None:
        sum_up_row(view.cards, availability.window[host])


@inner
def least(availability, host, start_s, end_s):
    """Write the least free capacity of a host from `start_s` until `end_s` into `window`."""
    at = covering(availability, host, start_s)
    for r in range(availability.window.shape[1]):
        availability.window[host, r] = availability.step_free[at, r]
    at = np.int64(availability.step[at].next)
    while at >= 0 and availability.step[at].start_s < end_s:
        for r in range(availability.window.shape[1]):
            availability.window[host, r] = min(availability.window[host, r], availability.step_free[at, r])
        at = np.int64(availability.step[at].next)


@inner
def has_now(availability, host, end_s, demand):
    """Write the least free capacity of a host from now until `end_s` into `window`, if it covers `demand`.

    Returns whether it does.
    """
    at, columns = np.int64(availability.chain[host].first), availability.window.shape[1]
    # before `falls_s` the first step is the least
    if end_s <= availability.chain[host].falls_s:
        enough = True
        for r in range(columns):
            availability.window[host, r] = availability.step_free[at, r]
            enough &= availability.step_free[at, r] >= demand[r]
        return enough
    return _has_from(availability, host, at, end_s, demand)


@inner
def has_from(availability, host, start_s, end_s, demand):
    """As `least`, but stop as soon as `demand` is not covered; returns whether it is covered."""
    return _has_from(availability, host, covering(availability, host, start_s), end_s, demand)


@inner
def _has_from(availability, host, at, end_s, demand):
    columns = availability.window.shape[1]
    for r in range(columns):
        if availability.step_free[at, r] < demand[r]:
            return False
        availability.window[host, r] = availability.step_free[at, r]
    at = np.int64(availability.step[at].next)
    while at >= 0 and availability.step[at].start_s < end_s:
        for r in range(columns):
            if availability.step_free[at, r] < demand[r]:
                return False
            availability.window[host, r] = min(availability.window[host, r], availability.step_free[at, r])
        at = np.int64(availability.step[at].next)
    return True


@inner
def first_on(availability, host, demand, columns, expected_s, from_s, latest_s):
    """The first moment from `from_s` on from which a host has `demand` free for so long.

    If it is after `latest_s`, the result may be any moment after `latest_s` that is no later than the first one.
    """
    at = covering(availability, host, from_s)
    start_s, end_s = np.inf, np.inf
    while at >= 0:
        if availability.step[at].start_s >= end_s:
            break
        fits = True
        for r in range(columns):
            fits &= availability.step_free[at, r] >= demand[r]
        if not fits:
            start_s, end_s = np.inf, np.inf
            if availability.step[at].start_s > latest_s:
                return availability.step[at].start_s
        elif start_s == np.inf:
            start_s = max(availability.step[at].start_s, from_s)
            if start_s > latest_s:
                return start_s
            end_s = end_of(start_s, expected_s)
        at = np.int64(availability.step[at].next)
    return start_s


@inner
def lacking_on_cards(view, availability, host, at, end_s, kind):
    """As `has_from`, from step `at` of the host on, where GPUs are cards: a task has the same cards all the time.

    Returns -1 if the demand is covered. Else it returns a step: a start in it, or before it, is too early.
    """
    demand, first = view.rows.demand[kind], at
    if end_s <= availability.chain[host].falls_s and at == availability.chain[host].first:
        end_s = availability.step[at].start_s  # as `has_now`
    while True:
        if _lacks_in_row(demand, availability.step_free[at]):
            return at
        for r in range(availability.window.shape[1]):
            least_so_far = np.inf if at == first else availability.window[host, r]
            availability.window[host, r] = min(least_so_far, availability.step_free[at, r])
        following = np.int64(availability.step[at].next)
        if following < 0 or availability.step[following].start_s >= end_s:
            break
        at = following
    if at == first:
        return np.int64(-1)
    sum_up_row(view.cards, availability.window[host])
    return first if _lacks_in_row(demand, availability.window[host]) else np.int64(-1)


@inner
def first_on_cards(view, availability, host, kind, expected_s, from_s, latest_s):
    """As `first_on`, where GPUs are cards."""
    at, start_s = covering(availability, host, from_s), from_s
    while start_s <= latest_s:
        lacking = lacking_on_cards(view, availability, host, at, end_of(start_s, expected_s), kind)
        if lacking < 0:
            return start_s
        at = np.int64(availability.step[lacking].next)
        start_s = availability.step[at].start_s if at >= 0 else np.inf
        if at < 0:
            break
    return start_s


@inner
def _lacks_in_row(demand, row):
    less = False
    for r in range(demand.shape[0]):
        less |= row[r] < demand[r]
    return less
