"""Slurm's backfill pass, compiled: the same as `loadmaster.backfilling.slurm_backfill`.

A pass is known by its starts: its reservations are dropped at its end. A reservation takes hosts from the rows behind
it and gives none. So a row that finds no hosts beside the first few reservations does not start, and the others are
made only for a row that would start beside those already made.
"""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.pass_arrays import STARTED, STATUS
from loadmaster.backfilling.pass_rows_kernel import lacks_cluster_wide_alone, next_row
from loadmaster.backfilling.scheduling_pass_kernel import start
from loadmaster.backfilling.slurm_arrays import DEFERRED, ENDS, HANDLED, RESERVE_ALL
from loadmaster.backfilling.slurm_ends_kernel import (
    demand_of,
    estimate_ends,
    hosts_needed,
    hosts_with_room,
    note_started,
    windows_of,
)
from loadmaster.backfilling.slurm_reservation_kernel import defer, reserve_next
from loadmaster.backfilling.slurm_table_kernel import (
    begin_table,
    begin_usable,
    blocked_until,
    has_bit,
    leave_open,
    reserve_hosts,
)
from loadmaster.jit.kernels import inner
from loadmaster.place.room_kernel import may_fit


@inner
def backfill_pass(view, availability, scan, rate, now, slurm):
    """Try the first rows; each is started, or is left: hosts may then be reserved for it.

    All reservations are made if `slurm.due[RESERVE_ALL]` says so, else only those that decide about a start.
    """
    tried, before = 0, view.this_pass.tally[STARTED]
    slurm.size[DEFERRED] = slurm.size[HANDLED] = 0
    estimate_ends(view.ends, now, slurm)
    begin_table(view.calendar, now, slurm)
    if slurm.rules.running:
        _reserve_running(view, now, slurm)
    row = next_row(view.rows, view.this_pass, now, False, True)
    while row >= 0:
        if not lacks_cluster_wide_alone(view.rows, view.this_pass, now, row) and _is_counted(view.rows, slurm, row):
            if tried == slurm.rules.test:
                break
            tried += 1
            if _may_start(view, availability, rate, now, slurm, row) and start(
                view, None, availability, scan, rate, now, row, slurm.on
            ):
                if 0 < slurm.rules.start <= view.this_pass.tally[STARTED] - before:
                    break
            else:
                defer(view.this_pass, slurm, row)
        row = next_row(view.rows, view.this_pass, now, False, True)
    while slurm.due[RESERVE_ALL] and view.this_pass.tally[STATUS] == 0:
        if not reserve_next(view, availability, rate, now, slurm):
            break


@inner
def _reserve_running(view, now, slurm):
    """Enter tasks that run on whole hosts into the table."""
    for i in range(slurm.end.shape[0]):
        end = slurm.end[i]
        if (
            i < slurm.size[ENDS]
            and view.rows.demand[end.kind, 0] == view.hosts.capacity[end.host, 0]
            and end.end_s > now.now_s
        ):
            view.room.host[0] = end.host
            reserve_hosts(slurm, now, view.room.host, 0, 1, now.now_s, end.end_s)


@inner
def _is_counted(rows, slurm, row):
    """Whether the row is within every count of tries, in which it then counts."""
    claim, part, rules = slurm.claim[row], rows.of[row].partition, slurm.rules
    if rules.user == 0 and rules.part == 0 and rules.user_part == 0 and rules.assoc == 0:
        return True
    within = rules.user == 0 or slurm.tried[claim.user].user < rules.user
    within &= rules.part == 0 or slurm.tried[part].part < rules.part
    within &= rules.user_part == 0 or slurm.tried[claim.user_part].user_part < rules.user_part
    within &= rules.assoc == 0 or slurm.tried[claim.assoc].assoc < rules.assoc
    if within:
        slurm.tried[claim.user].user += 1
        slurm.tried[part].part += 1
        slurm.tried[claim.user_part].user_part += 1
        slurm.tried[claim.assoc].assoc += 1
    return within


@inner
def _may_start(view, availability, rate, now, slurm, row):
    """Whether hosts that no reservation needs during the row's runtime may be enough now; they are put into `on`."""
    if not may_fit(view.room, view.rows, row):
        return False
    note_started(view, now, slurm)
    end_s = now.now_s + view.rows.of[row].expected_s
    while True:
        # a reservation may take the places where windows and demands are remembered
        windows, demand = windows_of(view, now, slurm, row), demand_of(view, slurm, row)
        needed = hosts_needed(view.rows, slurm, demand, row)
        if hosts_with_room(view.rows, view.hosts, slurm, row, windows, demand, 0) < needed:
            return False
        if blocked_until(slurm, now.now_s, end_s, needed) > now.now_s:
            return False
        begin_usable(slurm, slurm.fits[demand, 0])
        if leave_open(view.calendar, slurm, row, now.now_s, end_s, needed) > now.now_s:
            return False
        if not reserve_next(view, availability, rate, now, slurm):
            break
        if view.this_pass.tally[STATUS]:
            return False
    for host in range(slurm.on.shape[0]):
        slurm.on[host] = has_bit(slurm.usable, host)
    return True
