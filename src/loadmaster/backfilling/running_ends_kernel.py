"""Running tasks in the order of their expected ends, kept event by event for the compiled scheduling pass.

The entries are sorted by (expected end, job), so a pass reads the ends in order and finds a job by bisection. A start
or an end moves the entries behind it.
"""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.jit.kernels import inner
from loadmaster.jit.moved_entries import move_entries


@inner
def add_tasks(ends, owners, hosts, end_s, start_s, kind, job):
    """Add a task of `job`, of demand number `kind`, on each of `hosts`, from `start_s` to its expected end `end_s`.

    `owners` int32[N] names the job of each entry of `ends`; equal ends go by job.
    """
    many, tasks = ends.many[0], hosts.shape[0]
    at = _place_of(ends, owners, end_s, job)
    _move(ends, owners, at, at + tasks)
    for k in range(tasks):
        ends.end[at + k].end_s, ends.end[at + k].start_s = end_s, start_s
        ends.end[at + k].host = hosts[k]
        ends.changed[hosts[k]] = True
        ends.end[at + k].kind = kind
        owners[at + k] = job
    ends.many[0] = many + tasks


@inner
def note_cards(ends, owners, end_s, job, bits):
    """Note the cards `bits` int64[tasks] of the tasks of `job`, which is expected to end at `end_s`."""
    at = _place_of(ends, owners, end_s, job)
    for k in range(bits.shape[0]):
        ends.cards[at + k] = bits[k]


@inner
def drop_tasks(ends, owners, end_s, job):
    """Remove the tasks of `job`, whose expected end was `end_s`."""
    many = ends.many[0]
    at = _place_of(ends, owners, end_s, job)
    after = at
    while after < many and owners[after] == job and ends.end[after].end_s == end_s:
        ends.changed[ends.end[after].host] = True
        after += 1
    _move(ends, owners, after, at)
    ends.many[0] = many - (after - at)


@inner
def first_after(ends, time_s):
    """The first place of a task that is expected to end after `time_s`."""
    low, high = 0, ends.many[0]
    while low < high:
        at = (low + high) >> 1
        if ends.end[at].end_s <= time_s:
            low = at + 1
        else:
            high = at
    return low


@inner
def _place_of(ends, owners, end_s, job):
    """The first place that is not before (`end_s`, `job`)."""
    low, high = 0, ends.many[0]
    while low < high:
        at = (low + high) >> 1
        if ends.end[at].end_s < end_s or (ends.end[at].end_s == end_s and owners[at] < job):
            low = at + 1
        else:
            high = at
    return low


@inner
def _move(ends, owners, one, other):
    """Move all entries from `one` on to `other` on."""
    many = ends.many[0] - one
    move_entries(ends.end, one, other, many)
    move_entries(owners, one, other, many)
    if ends.cards is not None:
        move_entries(ends.cards, one, other, many)
