"""One scheduling pass, compiled: the methods of `backfilling.scheduling_pass`, over plain arrays.

`shadow_times` is None where no shadow time is ever promised, `availability` where no plan is ever made; the code for
them is then not compiled. A pass that turns out to need a plan after all ends with `NEEDS_PLAN`.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.availability_kernel import end_of, lay_out
from loadmaster.backfilling.cluster_wide_kernel import has_cluster_wide, hold_cluster_wide, lay_out_cluster_wide
from loadmaster.backfilling.earliest_fit_kernel import earliest
from loadmaster.backfilling.node_count_kernel import asks_for_hosts, keep_a_way
from loadmaster.backfilling.pass_arrays import (
    NEEDS_PLAN,
    NOT_FINITE,
    NOTED,
    ODD,
    PASS,
    PLANNED,
    SEQUENCE,
    SINCE,
    STARTED,
    STATUS,
)
from loadmaster.backfilling.pass_rows_kernel import begin_rows
from loadmaster.backfilling.plan_bounds_kernel import begin_bounds
from loadmaster.backfilling.plan_failures_kernel import forget_planned_failures, may_fit_planned
from loadmaster.backfilling.plan_kernel import (
    give_up_promise,
    hold_promise,
    lift_promise,
    place_at,
    release_promise,
    slowest_of,
)
from loadmaster.backfilling.releases import INSTANT_S
from loadmaster.backfilling.shadow_time_kernel import (
    counts_same_hosts,
    find_for_long,
    forget_last_moment,
    forget_moment,
    forget_moments,
    is_outlasted,
    longest_s,
    promise_moment,
    put_off_moment,
    take_for_long,
)
from loadmaster.jit.kernels import inner
from loadmaster.place.room_arrays import LAST_HOST, SHUT, WRONG
from loadmaster.place.room_kernel import (
    begin_room,
    find,
    find_usable,
    give_back,
    held_alone,
    may_fit,
    may_fit_long,
    note_failure,
    note_long_failure,
    take,
    take_in_order,
)


@inner
def begin_pass(view, shadow_times, availability, now):
    """Begin a pass; with a plan from the first row on if `now` says so."""
    begin_rows(view.this_pass)
    begin_room(view.room)
    if view.cluster_wide is not None:
        lay_out_cluster_wide(view, now)
    if shadow_times is not None:
        forget_moments(shadow_times)
    if availability is not None and now.planned:
        make_plan(view, availability, now)


@inner
def make_plan(view, availability, now):
    """Make a plan: from now on starts and reservations go through it."""
    lay_out(view, availability, now)
    forget_planned_failures(availability)
    begin_bounds(availability)
    view.this_pass.tally[PLANNED] = 1


@inner
def start(view, shadow_times, availability, scan, rate, now, row, on):
    """Start the row now if it fits beside all reservations and reserved hosts; returns whether it did.

    The reservation of another row of its job does not stand in its way.

    Args: `on` bool[H], the hosts to choose from, bool[0] for all that it may use.
    """
    own = _promised_elsewhere(view.rows, view.this_pass, row)
    if view.cluster_wide is not None and own < 0:
        fastest = view.hosts.set[view.rows.of[row].hosts].fastest
        if not has_cluster_wide(view, row, now.now_s, view.rows.of[row].expected_s / fastest):
            return False
    if availability is not None and view.this_pass.tally[PLANNED]:
        if own < 0 and on.shape[0] == 0 and not may_fit_planned(view.rows, availability, row):
            return False
        if own >= 0:
            lift_promise(view, availability, now, own, row)
            if view.this_pass.promised[own].start_s <= now.now_s:
                forget_planned_failures(availability)  # more capacity is free now than before
        if not place_at(view, availability, rate, now, row, now.now_s, on):
            if own >= 0:
                hold_promise(view, availability, now, own)
            return False
        if own >= 0:
            _give_up_for(view.rows, view.this_pass, availability, own)
        _take_planned(view, shadow_times, scan, now, row)
        note_start(view, shadow_times, availability, now, row)
        return True
    before_s = np.inf if own < 0 or shadow_times is None else put_off_moment(shadow_times, own, np.inf)
    if view.cluster_wide is not None and own >= 0:
        _hold_moment(view, now, own, -1.0)
    placed = _place(view, shadow_times, scan, now, row, on)
    if view.cluster_wide is not None and own >= 0:
        _hold_moment(view, now, own, 1.0)
    if placed:
        note_start(view, shadow_times, availability, now, row)
        return True
    if own >= 0 and shadow_times is not None:
        put_off_moment(shadow_times, own, before_s)
    return False


@inner
def _promised_elsewhere(rows, this_pass, row):
    """The row of the same job with a reservation, -1 if there is none; reservations only noted do not count."""
    other = np.int64(rows.of[row].next_row)
    if this_pass.tally[NOTED]:
        return np.int64(-1)
    while other != row:
        if is_promised(this_pass, other):
            return other
        other = np.int64(rows.of[other].next_row)
    return np.int64(-1)


@inner
def _give_up_for(rows, this_pass, availability, row):
    """Give up the row's reservation, which was lifted: another row of its job has one now."""
    give_up_promise(rows, this_pass, availability, row)
    this_pass.promised[row].number = 0


@inner
def _place(view, shadow_times, scan, now, row, on):
    """Take hosts for the row, which runs at the speed of the slowest; returns whether there were enough."""
    speed = fastest = view.hosts.set[view.rows.of[row].hosts].fastest
    last_host, too_slow = view.room.tally[LAST_HOST], 0.0
    while True:
        lasts_s = view.rows.of[row].expected_s / speed
        until_s = now.now_s + lasts_s
        found = True
        if view.cluster_wide is not None:
            found = has_cluster_wide(view, row, now.now_s, lasts_s)
        if not found or not _take_hosts(view, shadow_times, scan, now, row, on, until_s, too_slow):
            if speed == fastest:
                return False
            too_slow, speed = speed, fastest  # on faster hosts it may end in time
            continue
        slowest = speed
        if now.several_speeds:
            slowest = slowest_of(view.hosts, view.room, view.rows.of[row].tasks)
        if slowest >= speed:
            if view.cluster_wide is not None:
                hold_cluster_wide(view, row, now.now_s, end_of(now.now_s, lasts_s), 1.0)
            return True
        _give_back(view, shadow_times, row, view.rows.of[row].tasks, last_host, until_s)
        speed = slowest


@inner
def _take_hosts(view, shadow_times, scan, now, row, on, until_s, too_slow):
    """Take the best hosts, faster than `too_slow`, for the tasks of a row that ends at `until_s`, or none."""
    # cheap refusals first, before any host is looked at
    if not may_fit(view.room, view.rows, row):
        return False
    long = False
    if shadow_times is not None:
        long = is_outlasted(shadow_times, until_s)
        if long and shadow_times.many[0] == 1 and not may_fit_long(view.room, view.rows, row):
            return False
    part = on.shape[0] > 0 or too_slow > 0.0 or not view.hosts.set[view.rows.of[row].hosts].whole
    node_count = asks_for_hosts(view.rows, row)
    last_host, shut = view.room.tally[LAST_HOST], part or node_count or view.room.tally[SHUT] > 0
    if part or shut or long:
        find_usable(view, row, on, too_slow)
    if view.rows.of[row].tasks > 1 and not node_count:
        # several tasks: count whether enough hosts have room at all
        held = held_alone(view.room, view.rows, row, part or shut or long)
        if held < view.rows.of[row].tasks:
            if on.shape[0] == 0 and too_slow == 0.0:
                note_failure(view.room, view.rows, row, held + 1)
            return False
        if now.first_fit and not long:
            take_in_order(view, row, shut)
            if shadow_times is not None:
                for k in range(view.rows.of[row].tasks):
                    take_for_long(view.rows, shadow_times, view.rows.of[row].kind, view.room.host[k], until_s, 1.0)
            return True
    for k in range(view.rows.of[row].tasks):
        # the task before changed what the next one may use
        if k > 0 and (long or node_count):
            find_usable(view, row, on, too_slow)
        if node_count and not long:
            keep_a_way(view.rows, view.room, view.room.free, row, k)
        if shadow_times is not None and long:
            host = find_for_long(view, shadow_times, scan, now, row, k, until_s)
        else:
            host = find(view, scan, now, row, k, shut)
        if host < 0:
            if view.room.tally[WRONG]:
                view.this_pass.tally[STATUS] = NOT_FINITE
            _give_back(view, shadow_times, row, k, last_host, until_s)
            if (
                shadow_times is not None
                and long
                and shadow_times.many[0] == 1
                and k == 0
                and not node_count
                and too_slow == 0.0
            ):
                note_long_failure(view.room, view.rows, row)
            if not (long or node_count) and on.shape[0] == 0 and too_slow == 0.0:
                note_failure(view.room, view.rows, row, view.rows.of[row].tasks)
            return False
        take(view, row, k, host)
        if shadow_times is not None:
            take_for_long(view.rows, shadow_times, view.rows.of[row].kind, host, until_s, 1.0)
    return True


@inner
def _give_back(view, shadow_times, row, tasks, last_host, until_s):
    if shadow_times is not None:
        for k in range(tasks - 1, -1, -1):
            take_for_long(view.rows, shadow_times, view.rows.of[row].kind, view.room.host[k], until_s, -1.0)
    give_back(view.room, view.scores, tasks, last_host)


@inner
def _take_planned(view, shadow_times, scan, now, row):
    """Take the planned hosts of the row; where hosts are counted, the best of all."""
    if not now.as_pool:
        for k in range(view.rows.of[row].tasks):
            take(view, row, k, view.room.host[k])
    elif not _take_hosts(view, shadow_times, scan, now, row, view.this_pass.everywhere, np.inf, 0.0):
        view.this_pass.tally[STATUS] = max(view.this_pass.tally[STATUS], ODD)


@inner
def note_start(view, shadow_times, availability, now, row):
    """Record the start of the row on its hosts: the other rows of its job lose their reservations."""
    count = view.this_pass.tally
    place, tasks = count[STARTED], view.rows.of[row].tasks
    first = view.this_pass.place[place].first
    view.this_pass.place[place].row = row
    for k in range(tasks):
        view.this_pass.started_host[first + k] = view.room.host[k]
    view.this_pass.place[place + 1].first = first + tasks
    count[STARTED] += 1
    view.this_pass.job_passed[view.rows.of[row].job] = count[PASS]
    other = np.int64(view.rows.of[row].next_row)
    while other != row:
        if is_promised(view.this_pass, other):
            _forget(view, shadow_times, availability, now, other)
        other = np.int64(view.rows.of[other].next_row)
    for use in range(view.rows.of[row].first_use, view.rows.of[row].first_use + view.rows.of[row].uses):
        view.this_pass.left[view.rows.use[use].limit] -= view.rows.use[use].amount
    view.this_pass.group[view.rows.of[row].group].used += view.rows.demand[view.rows.of[row].kind, 0] * tasks


@inner
def _forget(view, shadow_times, availability, now, row):
    if availability is not None and view.this_pass.tally[PLANNED] and not view.this_pass.tally[NOTED]:
        release_promise(view, availability, now, row)
    if shadow_times is not None:
        if view.cluster_wide is not None and not view.this_pass.tally[PLANNED]:
            _hold_moment(view, now, row, -1.0)
        forget_moment(shadow_times, row)
    view.this_pass.promised[row].number = 0


@inner
def _hold_moment(view, now, row, sign):
    """Hold (`sign` 1.0) or give back (-1.0) what the row asks of the whole cluster from its shadow time on."""
    start_s = view.this_pass.promised[row].start_s
    if start_s < np.inf:
        hold_cluster_wide(view, row, start_s, end_of(start_s, longest_s(view, now, row)), sign)


@inner
def is_promised(this_pass, row):
    """Whether the row got a reservation in this pass."""
    return this_pass.promised[row].number > this_pass.tally[SINCE]


@inner
def note_promise(this_pass, row):
    """Give the row's reservation the next number."""
    this_pass.tally[SEQUENCE] += 1
    this_pass.promised[row].number = this_pass.tally[SEQUENCE]


@inner
def promise(view, shadow_times, availability, rate, now, row):
    """Reserve the row's earliest start: a shadow time where that is exact and asked for, else hosts.

    A job has one reservation, that of the row with the soonest start.
    """
    own = _promised_elsewhere(view.rows, view.this_pass, row)
    if (
        shadow_times is not None
        and not view.this_pass.tally[PLANNED]
        and not counts_same_hosts(view.rows, view.hosts, shadow_times, row)
    ):
        start_s = promise_moment(view, shadow_times, now, row)
        # the other row of the job is as soon: it keeps the reservation
        if own >= 0 and view.this_pass.promised[own].start_s <= start_s:
            forget_last_moment(shadow_times)
            return
        if own >= 0:
            _forget(view, shadow_times, availability, now, own)
        view.this_pass.promised[row].start_s, view.this_pass.promised[row].many = start_s, 0
        note_promise(view.this_pass, row)
        if view.cluster_wide is not None:
            _hold_moment(view, now, row, 1.0)
        return
    if availability is None:
        view.this_pass.tally[STATUS] = NEEDS_PLAN
        return
    if availability is not None:
        if not view.this_pass.tally[PLANNED]:
            make_plan(view, availability, now)
            if view.this_pass.tally[STATUS]:
                return  # there is no room for it
            if shadow_times is not None:
                _bind_moments(view, shadow_times, availability, rate, now)
        if own >= 0:
            _promise_sooner(view, availability, rate, now, row, own)
            return
        _promise_earliest(view, availability, rate, now, row)
        note_promise(view.this_pass, row)


@inner
def _promise_sooner(view, availability, rate, now, row, own):
    """Move the reservation of the row `own` to this row of the same job, if that is sooner."""
    before_s = view.this_pass.promised[own].start_s
    lift_promise(view, availability, now, own, row)
    start_s = earliest(view, availability, rate, now, row, before_s)
    if start_s < before_s:
        _give_up_for(view.rows, view.this_pass, availability, own)
        write_promise(view, now, row, start_s)
        note_promise(view.this_pass, row)
    elif before_s < np.inf:
        hold_promise(view, availability, now, own)


@inner
def _bind_moments(view, shadow_times, availability, rate, now):
    """Bind shadow times to hosts: a plan counts no host twice."""
    if view.cluster_wide is not None:
        for number in range(shadow_times.many[0]):
            row = np.int64(shadow_times.promise[number].row)
            if row >= 0:
                _hold_moment(view, now, row, -1.0)
    for number in range(shadow_times.many[0]):
        row = np.int64(shadow_times.promise[number].row)
        if row >= 0:
            _promise_earliest(view, availability, rate, now, row)
    forget_moments(shadow_times)


@inner
def _promise_earliest(view, availability, rate, now, row):
    start_s = earliest(view, availability, rate, now, row, np.inf)
    write_promise(view, now, row, start_s)


@inner
def write_promise(view, now, row, start_s):
    """Write the row's reservation: the hosts at hand from `start_s` on, or nothing if that is infinite."""
    view.this_pass.promised[row].start_s = start_s
    view.this_pass.promised[row].many = 0
    if start_s < np.inf and not now.as_pool:
        view.this_pass.promised[row].many = view.rows.of[row].tasks
        for k in range(view.rows.of[row].tasks):
            view.this_pass.promised_host[view.rows.of[row].first_host + k] = view.room.host[k]


@inner
def begin(view, availability, scan, now, row):
    """Start the row on the hosts reserved for this moment."""
    view.this_pass.promised[row].number = 0
    for k in range(view.this_pass.promised[row].many):
        view.room.host[k] = view.this_pass.promised_host[view.rows.of[row].first_host + k]
    if not now.as_pool and view.this_pass.promised[row].many != view.rows.of[row].tasks:
        view.this_pass.tally[STATUS] = ODD
        return
    _take_planned(view, None, scan, now, row)
    note_start(view, None, availability, now, row)


@inner
def keep_promises(this_pass, now):
    """Decide again when the first reservation begins; the owner of the arrays keeps the reservations."""
    soonest_s = now.now_s + INSTANT_S
    for i in range(this_pass.group[this_pass.group.shape[0] - 1].end):
        row = this_pass.order[i]
        if is_promised(this_pass, row) and this_pass.promised[row].start_s > soonest_s:
            this_pass.wake_s[0] = min(this_pass.wake_s[0], this_pass.promised[row].start_s)
