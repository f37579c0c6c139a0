"""The ends of tasks as Slurm guesses them, compiled: in windows, and the free capacity of hosts behind each (rule Q15).

Windows are kept for each set of hosts. A start changes them on its own hosts only. They are built again only if its end
lies in no present window. The hosts that hold a task are kept for each demand, until a job starts.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.pass_arrays import STARTED
from loadmaster.backfilling.slurm_arrays import ENDS, FRESH, PLACES, TABLE
from loadmaster.backfilling.slurm_table_kernel import count_bits, pack
from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import inner


@inner
def estimate_ends(ends, now, slurm):
    """List the running tasks by the end that Slurm guesses; equal ends stay in the order of `ends`.

    Like tasks that stand side by side on one host make one entry.
    """
    many, late = ends.many[0], 0
    while late < many and ends.end[late].end_s <= now.now_s:
        late += 1
    heaped = 0
    for i in range(late):
        if i == 0 or not _are_like(ends, i - 1, i):
            heaped = push(slurm.key_s, slurm.number, heaped, _estimate(ends, now, slurm.rules, i), i)
    at, i = -1, late
    while heaped > 0 or i < many:
        if heaped > 0 and (i == many or slurm.key_s[0] <= ends.end[i].end_s):
            first = np.int64(slurm.number[0])
            at = _append(slurm, at, slurm.key_s[0], ends.end[first], _cards_of_running(ends, first))
            while first + 1 < late and _are_like(ends, first, first + 1):
                slurm.end[at].tasks += 1
                first += 1
            heaped = drop_first(slurm.key_s, slurm.number, heaped)
        else:
            at = _append(slurm, at, ends.end[i].end_s, ends.end[i], _cards_of_running(ends, i))
            i += 1
    at += 1
    slurm.first_end[:] = -1
    for i in range(at - 1, -1, -1):
        _link(slurm, i, -1, i)
    slurm.size[ENDS], slurm.size[PLACES] = at, 0
    slurm.size[TABLE] += 1
    slurm.size[FRESH] = slurm.size[TABLE]


@inner
def _estimate(ends, now, rules, i):
    """The end of a task that has outlived its limit."""
    limit_s, start_s = ends.end[i].end_s, ends.end[i].start_s
    if rules.forgives:
        return now.now_s + 1.0 if np.isnan(start_s) else now.now_s + (limit_s - start_s)
    return max(limit_s + rules.late_s, now.now_s + 1.0)


@inner
def _are_like(ends, i, j):
    """Whether two tasks on one host began and were expected to end at the same moments, with the same demand."""
    one, other = ends.end[i], ends.end[j]
    like = one.end_s == other.end_s and one.start_s == other.start_s
    if ends.cards is not None:
        like &= ends.cards[i] == ends.cards[j] == 0
    return like and one.host == other.host and one.kind == other.kind


@inner
def _append(slurm, at, end_s, task, bits):
    """Add a task with the cards `bits` behind entry `at`, the last one, or to it; returns the last entry."""
    last = slurm.end[max(at, 0)]
    if at >= 0 and last.end_s == end_s and last.host == task.host and last.kind == task.kind and bits == 0:
        last.tasks += 1
        return at
    _write(slurm, at + 1, end_s, task.host, task.kind, 1, bits)
    return at + 1


@inner
def _write(slurm, at, end_s, host, kind, tasks, bits):
    end = slurm.end[at]
    end.end_s, end.host, end.kind, end.tasks = end_s, host, kind, tasks
    if slurm.end_cards is not None:
        slurm.end_cards[at] = bits


@inner
def _cards_of(slurm, at):
    """The cards of entry `at`, as bits; 0 where GPUs are no cards."""
    if slurm.end_cards is not None:
        return slurm.end_cards[at]
    return np.int64(0)


@inner
def _cards_of_running(ends, i):
    """The cards of a running task, as bits; 0 where GPUs are no cards."""
    if ends.cards is not None:
        return ends.cards[i]
    return np.int64(0)


@inner
def _link(slurm, number, before, at):
    """Put entry `at`, as number so-and-so, behind end number `before` of its host, at the front if that is -1."""
    later, end = slurm.later[number], slurm.end[at]
    later.end_s, later.kind, later.tasks = end.end_s, end.kind, end.tasks
    if slurm.end_cards is not None:
        slurm.later_cards[number] = slurm.end_cards[at]
    if before < 0:
        later.next, slurm.first_end[end.host] = slurm.first_end[end.host], number
    else:
        later.next, slurm.later[before].next = slurm.later[before].next, number


@inner
def note_started(view, now, slurm):
    """Add the ends of all tasks started since the last time, behind equal ones."""
    rows, this_pass = view.rows, view.this_pass
    for place in range(slurm.size[PLACES], this_pass.tally[STARTED]):
        row = this_pass.place[place].row
        end_s = now.now_s + rows.of[row].expected_s
        first, last = this_pass.place[place].first, this_pass.place[place + 1].first
        i, more = slurm.size[ENDS], _runs_in(view, first, last)
        while i > 0 and slurm.end[i - 1].end_s > end_s:
            i -= 1
            end = slurm.end[i]
            _write(slurm, i + more, end.end_s, end.host, end.kind, end.tasks, _cards_of(slurm, i))
        for at in range(first, last):
            if _begins_a_run(view, first, at):
                bits = np.int64(0)
                if view.cards is not None:
                    bits = view.cards.started[at]
                _write(slurm, i, end_s, this_pass.started_host[at], rows.of[row].kind, 1, bits)
                i += 1
            else:
                slurm.end[i - 1].tasks += 1
        for k in range(more):
            end, before = slurm.end[i - more + k], np.int64(-1)
            after = np.int64(slurm.first_end[end.host])
            while after >= 0 and slurm.later[after].end_s <= end_s:
                before, after = after, np.int64(slurm.later[after].next)
            _link(slurm, slurm.size[ENDS] + k, before, i - more + k)
        slurm.size[ENDS] += more
        slurm.size[TABLE] += 1
    slurm.size[PLACES] = this_pass.tally[STARTED]


@inner
def _runs_in(view, first, last):
    """How many runs of like tasks there are from `first` to before `last`, among those that started in this pass."""
    runs = np.int64(0)
    for at in range(first, last):
        runs += _begins_a_run(view, first, at)
    return runs


@inner
def _begins_a_run(view, first, at):
    """Whether task `at` of a row whose tasks begin at `first` is on another host than the task before, or has cards."""
    host = view.this_pass.started_host
    if view.cards is not None and view.cards.started[at] > 0:
        return True
    return at == first or host[at] != host[at - 1]


@inner
def windows_of(view, now, slurm, row):
    """The place of the windows of the row's hosts, built if they are not there."""
    group = np.int64(view.rows.of[row].hosts)
    place = group % slurm.look.shape[0]
    look = slurm.look[place]
    stands = look.group == group and look.built >= slurm.size[FRESH]
    if not (stands and _keep_windows(view, now, slurm, group, place)):
        look.group, look.windows = group, _lay_out(view, now, slurm, group, place)
    look.built = slurm.size[TABLE]
    return place


@inner
def _keep_windows(view, now, slurm, group, place):
    """Add new starts to present windows, on their hosts alone; False if they would begin other windows."""
    since = slurm.size[PLACES] - (slurm.size[TABLE] - slurm.look[place].built)
    windows, allowed = slurm.look[place].windows, view.hosts.allowed[group]
    for start in range(since, slurm.size[PLACES]):
        end_s = now.now_s + view.rows.of[view.this_pass.place[start].row].expected_s
        n = 1
        while n < windows and slurm.window[place, n].until_s < end_s:
            n += 1
        for at in range(view.this_pass.place[start].first, view.this_pass.place[start + 1].first):
            if allowed[view.this_pass.started_host[at]] and n < slurm.window.shape[1]:
                if n == windows or end_s < slurm.window[place, n].from_s:
                    return False
                slurm.window[place, n].over_s = max(slurm.window[place, n].over_s, end_s)
    for at in range(view.this_pass.place[since].first, view.this_pass.place[slurm.size[PLACES]].first):
        if allowed[view.this_pass.started_host[at]]:
            _lay_out_host(view, slurm, place, np.int64(view.this_pass.started_host[at]))
    return True


@inner
def _lay_out_host(view, slurm, place, host):
    """Compute the free capacity of one host behind each window."""
    next_one = np.int64(slurm.first_end[host])
    _lay_out_now(view, slurm, place, host)
    for n in range(1, slurm.look[place].windows):
        for r in range(slurm.free.shape[2]):
            slurm.free[place, n, r, host] = slurm.free[place, n - 1, r, host]
        while next_one >= 0 and slurm.later[next_one].end_s <= slurm.window[place, n].over_s:
            later, bits = slurm.later[next_one], np.int64(0)
            if view.cards is not None:
                bits = slurm.later_cards[next_one]
            _give_back(view, slurm.free[place, n], host, later.kind, later.tasks, bits)
            next_one = np.int64(later.next)


@inner
def _lay_out_now(view, slurm, place, host):
    """Copy what the host has free now."""
    resources = view.room.free.shape[1]
    for r in range(resources):
        slurm.free[place, 0, r, host] = view.room.free[host, r]
    if view.cards is not None:
        for card in range(view.cards.free.shape[1]):
            slurm.free[place, 0, resources + card, host] = view.cards.free[host, card]


@inner
def _give_back(view, free, host, kind, tasks, bits):
    """Add so many tasks of a demand to what the host has in `free`; where GPUs are cards, one task with its cards."""
    demand = view.rows.demand
    if view.cards is None:
        for r in range(demand.shape[1]):
            free[r, host] += tasks * demand[kind, r]
    else:
        resources, largest, whole = view.cards.resources, 0.0, 0.0
        for r in range(resources):
            free[r, host] += tasks * demand[kind, r]
        for row in range(resources + 2, free.shape[0]):
            if bits & 1:
                free[row, host] += view.cards.share[kind]
            bits >>= 1
            largest = max(largest, free[row, host])
            whole += free[row, host] >= 1.0
        free[resources, host], free[resources + 1, host] = largest, whole


@inner
def _lay_out(view, now, slurm, group, place):
    """Build window after window up to the horizon; returns how many there are, including now."""
    allowed, window_s = view.hosts.allowed[group], 30.0
    for host in range(view.room.free.shape[0]):
        _lay_out_now(view, slurm, place, host)
    slurm.window[place, 0].over_s = now.now_s
    n, at = 0, _next(slurm, 0, allowed)
    while at < slurm.size[ENDS] and n + 1 < slurm.window.shape[1]:
        n += 1
        window = slurm.window[place, n]
        window.from_s, window.until_s = slurm.end[at].end_s, slurm.end[at].end_s + window_s
        for r in range(slurm.free.shape[2]):
            for host in range(allowed.shape[0]):
                slurm.free[place, n, r, host] = slurm.free[place, n - 1, r, host]
        while at < slurm.size[ENDS] and slurm.end[at].end_s <= window.until_s:
            end = slurm.end[at]
            window.over_s = end.end_s
            _give_back(view, slurm.free[place, n], end.host, end.kind, end.tasks, _cards_of(slurm, at))
            at = _next(slurm, at + 1, allowed)
        window_s = window_s + slurm.rules.window_linear_s if slurm.rules.window_linear_s > 0.0 else 2.0 * window_s
    return n + 1


@inner
def _next(slurm, at, allowed):
    """The first end from `at` on that is on one of these hosts."""
    while at < slurm.size[ENDS] and not allowed[slurm.end[at].host]:
        at += 1
    return at


@inner
def demand_of(view, slurm, row):
    """The place where the hosts that hold a task of the row are remembered."""
    rows = view.rows
    key = np.int64(rows.of[row].hosts) * rows.demand.shape[0] + rows.of[row].kind
    place = key % slurm.able.shape[0]
    if slurm.able[place].key != key:
        slurm.able[place].key = key
        slurm.able[place].built = -1
        slurm.able[place].wide = _most_on_one(view, slurm, row)
    if slurm.able[place].built != slurm.size[TABLE]:
        slurm.able[place].built = slurm.size[TABLE]
        slurm.how_many[place, :] = -1
    return place


@inner
def _most_on_one(view, slurm, row):
    """An upper bound of the row's tasks on any host."""
    kind, most, columns = view.rows.of[row].kind, np.int64(2**31), view.rows.demand.shape[1]
    if view.cards is not None:
        columns = view.cards.resources  # the amounts that cards add are of one task
    for r in range(columns):
        asked = view.rows.demand[kind, r]
        if 1.5 * asked > slurm.most[r]:
            most = min(most, np.int64(1))
        elif asked > 0.0:
            most = min(most, np.int64(min(slurm.most[r] / asked, 2.0**30)) + 1)
    return most


@inner
def hosts_needed(rows, slurm, place, row):
    """A lower bound of the hosts for all tasks of the row, or the number it requests."""
    wide = slurm.able[place].wide
    return max((np.int64(rows.of[row].tasks) + wide - 1) // wide, np.int64(rows.of[row].least))


@inner
def hosts_with_room(rows, hosts, slurm, row, group, place, window):
    """How many of the row's hosts hold a task of it behind that window; their bits stand in `fits`."""
    if slurm.how_many[place, window] < 0:
        kind, allowed, bits = rows.of[row].kind, hosts.allowed[rows.of[row].hosts], slurm.fits[place, window]
        free, holds = slurm.free[group, window], slurm.holds
        for host in range(allowed.shape[0]):
            holds[host] = allowed[host]
        for r in range(rows.demand.shape[1]):
            asked = rows.demand[kind, r]
            for host in range(allowed.shape[0]):
                holds[host] &= free[r, host] >= asked
        pack(bits, slurm.eights)
        slurm.how_many[place, window] = count_bits(bits)
    return slurm.how_many[place, window]
