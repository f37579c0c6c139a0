"""Hosts that are reserved whole, compiled: steps of time with a bit for every host, and a count for every step.

A moment is looked at host by host only if no step that the row would run through has too few hosts left: the search
goes from the end backward, and jumps behind the step where it fails. The same as `whole_hosts.WholeHosts`.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator,assignment"

import numpy as np

from loadmaster.backfilling.slurm_arrays import OVER, STEPS
from loadmaster.kernels import inner

ONE = np.uint64(1)
_PAIRS, _FOURS, _EIGHTS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)
_TWO, _FOUR, _LAST_BYTE = np.uint64(2), np.uint64(4), np.uint64(56)


@inner
def begin_table(calendar, now, slurm):
    """Nothing is reserved, closures are known."""
    slurm.step[0].start_s, slurm.step[0].line, slurm.step[0].many = -np.inf, 0, 0
    slurm.size[STEPS], slurm.size[OVER] = 1, 0
    for word in range(slurm.bits.shape[1]):
        slurm.bits[0, word] = 0
    for closure in range(calendar.time.shape[0]):
        _note_over(slurm, now, calendar.time[closure].to_s)
        for word in range(slurm.closed.shape[1]):
            slurm.closed[closure, word] = 0
        for host in range(calendar.hosts.shape[1]):
            if calendar.hosts[closure, host]:
                set_bit(slurm.closed[closure], host)


@inner
def set_bit(bits, host):
    """Set the bit of a host."""
    bits[host >> 6] |= ONE << np.uint64(host & 63)


@inner
def has_bit(bits, host):
    """Whether the bit of a host is set."""
    return (bits[host >> 6] >> np.uint64(host & 63)) & ONE != np.uint64(0)


@inner
def count_bits(bits):
    """How many bits are set."""
    total = np.int64(0)
    for word in range(bits.shape[0]):
        total += _ones(bits[word])
    return total


@inner
def _ones(word):
    word -= (word >> ONE) & _PAIRS
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _EIGHTS
    return np.int64((word * _BYTES) >> _LAST_BYTE)


@inner
def reserve_hosts(slurm, now, hosts, first, last, from_s, to_s):
    """Reserve the hosts that stand in `hosts` from `first` to before `last`, from one moment until another."""
    _note_over(slurm, now, to_s)
    begin, end = _step_at(slurm, from_s), _step_at(slurm, to_s)
    low, high = slurm.bits.shape[1], 0
    for word in range(slurm.bits.shape[1]):
        slurm.usable[word] = 0
    for at in range(first, last):
        set_bit(slurm.usable, np.int64(hosts[at]))
        low, high = min(low, hosts[at] >> 6), max(high, (hosts[at] >> 6) + 1)
    for i in range(begin, end):
        line = slurm.bits[slurm.step[i].line]
        for word in range(low, high):
            slurm.step[i].many += _ones(slurm.usable[word] & ~line[word])
            line[word] |= slurm.usable[word]


@inner
def _note_over(slurm, now, to_s):
    if to_s > now.now_s:
        i = slurm.size[OVER]
        while i > 0 and slurm.over_s[i - 1] > to_s:
            i -= 1
        if i == 0 or slurm.over_s[i - 1] < to_s:
            for k in range(slurm.size[OVER], i, -1):
                slurm.over_s[k] = slurm.over_s[k - 1]
            slurm.over_s[i] = to_s
            slurm.size[OVER] += 1


@inner
def step_of(slurm, time_s):
    """The step that `time_s` lies in."""
    low, high = np.int64(0), slurm.size[STEPS]
    while high - low > 1:
        middle = (low + high) >> 1
        if slurm.step[middle].start_s <= time_s:
            low = middle
        else:
            high = middle
    return low


@inner
def _step_at(slurm, time_s):
    """The step that begins at `time_s`, made where there is none."""
    at = step_of(slurm, time_s)
    if slurm.step[at].start_s == time_s:
        return at
    new = slurm.size[STEPS]
    slurm.size[STEPS] += 1
    for i in range(new, at + 1, -1):
        slurm.step[i].start_s, slurm.step[i].line = slurm.step[i - 1].start_s, slurm.step[i - 1].line
        slurm.step[i].many = slurm.step[i - 1].many
    for word in range(slurm.bits.shape[1]):
        slurm.bits[new, word] = slurm.bits[slurm.step[at].line, word]
    slurm.step[at + 1].start_s, slurm.step[at + 1].line = time_s, new
    slurm.step[at + 1].many = slurm.step[at].many
    return at + 1


@inner
def blocked_until(slurm, start_s, end_s, needed):
    """The end of the last step in that time, both ends included, with fewer than `needed` hosts left; else `start_s`.

    No start before that is possible that lasts as long.
    """
    first, last = step_of(slurm, start_s), step_of(slurm, end_s)
    most = slurm.on.shape[0] - needed
    for i in range(last, first - 1, -1):
        if slurm.step[i].many > most:
            return slurm.step[i + 1].start_s if i + 1 < slurm.size[STEPS] else np.inf
    return start_s


@inner
def begin_usable(slurm, bits):
    """These hosts are usable, as far as is known."""
    for word in range(bits.shape[0]):
        slurm.usable[word] = bits[word]


@inner
def leave_open(calendar, slurm, row, start_s, end_s, needed):
    """Take hosts out of `usable` that are reserved or closed to the row in that time.

    Returns `start_s` if `needed` may be left; else a moment before which no start is possible of which the same hosts
    are usable.
    """
    first, last = step_of(slurm, start_s), step_of(slurm, end_s)
    fullest = first
    for i in range(first, last + 1):
        if slurm.step[i].many > slurm.step[fullest].many:
            fullest = i
    _take_out(slurm.usable, slurm.bits[slurm.step[fullest].line])
    if count_bits(slurm.usable) < needed:
        return slurm.step[fullest + 1].start_s if fullest + 1 < slurm.size[STEPS] else np.inf
    for i in range(first, last + 1):
        _take_out(slurm.usable, slurm.bits[slurm.step[i].line])
        if (i - first) & 31 == 31 and count_bits(slurm.usable) < needed:
            return np.nextafter(start_s, np.inf)
    for closure in range(calendar.time.shape[0]):
        time = calendar.time[closure]
        if time.to_s > start_s and np.nextafter(time.from_s, np.inf) <= end_s and calendar.shut[closure, row]:
            _take_out(slurm.usable, slurm.closed[closure])
    return start_s if count_bits(slurm.usable) >= needed else np.nextafter(start_s, np.inf)


@inner
def _take_out(bits, those):
    for word in range(bits.shape[0]):
        bits[word] &= ~those[word]
