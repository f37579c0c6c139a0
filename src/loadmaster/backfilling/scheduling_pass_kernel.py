"""One scheduling pass, compiled: the methods of `backfilling.scheduling_pass`, over plain arrays.

`shadow_times` is None where no shadow time is ever promised, `availability` where no plan is ever made; the code for
them is then not compiled. A pass that turns out to need a plan after all ends with `NEEDS_PLAN`.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.availability_kernel import end_of, lay_out
from loadmaster.backfilling.cluster_wide_kernel import has_cluster_wide, hold_cluster_wide, lay_out_cluster_wide
from loadmaster.backfilling.earliest_fit_kernel import earliest
from loadmaster.backfilling.pass_arrays import (
    NEEDS_PLAN,
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
from loadmaster.backfilling.plan_failures_kernel import forget_planned_failures, may_fit_planned
from loadmaster.backfilling.plan_kernel import (
    give_up_promise,
    hold_promise,
    lift_promise,
    place_at,
    release_promise,
)
from loadmaster.backfilling.releases import INSTANT_S
from loadmaster.backfilling.shadow_time_kernel import (
    counts_same_hosts,
    forget_last_moment,
    forget_moment,
    forget_moments,
    longest_s,
    promise_moment,
    put_off_moment,
)
from loadmaster.backfilling.take_hosts_kernel import take_hosts, take_planned
from loadmaster.jit.kernels import inner
from loadmaster.place.room_kernel import (
    begin_room,
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
        take_planned(view, shadow_times, scan, now, row)
        note_start(view, shadow_times, availability, now, row)
        return True
    before_s = np.inf if own < 0 or shadow_times is None else put_off_moment(shadow_times, own, np.inf)
    if view.cluster_wide is not None and own >= 0:
        _hold_moment(view, now, own, -1.0)
    placed = take_hosts(view, shadow_times, scan, now, row, on)
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
def note_start(view, shadow_times, availability, now, row):
    """Record the start of the row on its hosts: the other rows of its job lose their reservations."""
    count = view.this_pass.tally
    place, tasks = count[STARTED], view.rows.of[row].tasks
    first = view.this_pass.place[place].first
    view.this_pass.place[place].row = row
    for k in range(tasks):
        view.this_pass.started_host[first + k] = view.room.host[k]
        if view.cards is not None:
            view.cards.started[first + k] = view.cards.picked[k]
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
    """Reserve the row's earliest start: a shadow time where that is exact and requested, else hosts.

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
            if view.cards is not None:
                view.cards.promised[view.rows.of[row].first_host + k] = view.cards.picked[k]


@inner
def begin(view, availability, scan, now, row):
    """Start the row on the hosts reserved for this moment."""
    view.this_pass.promised[row].number = 0
    for k in range(view.this_pass.promised[row].many):
        view.room.host[k] = view.this_pass.promised_host[view.rows.of[row].first_host + k]
        if view.cards is not None:
            view.cards.picked[k] = view.cards.promised[view.rows.of[row].first_host + k]
    if not now.as_pool and view.this_pass.promised[row].many != view.rows.of[row].tasks:
        view.this_pass.tally[STATUS] = ODD
        return
    take_planned(view, None, scan, now, row)
    note_start(view, None, availability, now, row)


@inner
def keep_promises(this_pass, now):
    """Decide again when the first reservation begins; the owner of the arrays keeps the reservations."""
    soonest_s = now.now_s + INSTANT_S
    for i in range(this_pass.group[this_pass.group.shape[0] - 1].end):
        row = this_pass.order[i]
        if is_promised(this_pass, row) and this_pass.promised[row].start_s > soonest_s:
            this_pass.wake_s[0] = min(this_pass.wake_s[0], this_pass.promised[row].start_s)
