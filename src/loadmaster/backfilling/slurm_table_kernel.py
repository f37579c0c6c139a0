"""Hosts that are reserved whole, compiled: steps of time with a bit for each host, and a count for each step.

Steps stand in blocks; each block knows the hosts reserved in any of its steps, and the most in one step. A moment is
checked host by host only if each step of the row's runtime has enough hosts left. This search goes from the end
backward, and jumps behind the step where it fails. The same as `whole_hosts.WholeHosts`.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.slurm_arrays import BLOCK, BLOCKS, OVER, STEPS
from loadmaster.jit.kernels import inner

ONE = np.uint64(1)
_PAIRS, _FOURS, _EIGHTS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)
_GATHER = np.uint64(0x0102040810204080)
"""Times eight bytes of 0 or 1: the last byte of the product has their bits, the first byte's the lowest."""
_TWO, _FOUR, _LAST_BYTE = np.uint64(2), np.uint64(4), np.uint64(56)


@inner
def begin_table(calendar, now, slurm):
    """Begin with no reservation, and the known closures."""
    slurm.step[0].start_s, slurm.step[0].line, slurm.step[0].many = -np.inf, 0, 0
    slurm.block[0].start_s, slurm.block[0].first, slurm.block[0].steps = -np.inf, 0, 1
    slurm.size[STEPS], slurm.size[BLOCKS], slurm.size[OVER] = 1, 1, 0
    for word in range(slurm.bits.shape[1]):
        slurm.bits[0, word] = 0
    _sum_up(slurm, 0)
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
def pack(bits, eights):
    """Write a bit for each byte: `eights` are eight hosts each, with a byte of 0 or 1 for every host."""
    for word in range(bits.shape[0]):
        bits[word] = 0
        for k in range(8):
            bits[word] |= ((eights[8 * word + k] * _GATHER) >> _LAST_BYTE) << np.uint64(8 * k)


@inner
def lowest_bit(word):
    """The number of the lowest bit that is set."""
    return _ones((word & (~word + ONE)) - ONE)


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
    _begin_step(slurm, from_s)
    _begin_step(slurm, to_s)
    low, high = slurm.bits.shape[1], 0
    for word in range(slurm.bits.shape[1]):
        slurm.usable[word] = 0
    for at in range(first, last):
        set_bit(slurm.usable, np.int64(hosts[at]))
        low, high = min(low, hosts[at] >> 6), max(high, (hosts[at] >> 6) + 1)
    number = _block_of(slurm, from_s)
    while number < slurm.size[BLOCKS] and slurm.block[number].start_s < to_s:
        block = slurm.block[number]
        for i in range(block.first, block.first + block.steps):
            if from_s <= slurm.step[i].start_s < to_s:
                line = slurm.bits[slurm.step[i].line]
                for word in range(low, high):
                    slurm.step[i].many += _ones(slurm.usable[word] & ~line[word])
                    line[word] |= slurm.usable[word]
                block.fullest = max(block.fullest, slurm.step[i].many)
        for word in range(low, high):
            slurm.block_bits[block.first // BLOCK, word] |= slurm.usable[word]
        number += 1


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
def _block_of(slurm, time_s):
    """The block of the step that `time_s` lies in."""
    low, high = np.int64(0), slurm.size[BLOCKS]
    while high - low > 1:
        middle = (low + high) >> 1
        if slurm.block[middle].start_s <= time_s:
            low = middle
        else:
            high = middle
    return low


@inner
def _last_at_or_before(slurm, number, time_s):
    """The place behind the last step of a block that begins at or before `time_s`; its first if none does."""
    block = slurm.block[number]
    i = np.int64(block.first)
    while i < block.first + block.steps and slurm.step[i].start_s <= time_s:
        i += 1
    return i


@inner
def _following_s(slurm, number, i):
    """The end of the step at place `i` in a block."""
    if i + 1 < slurm.block[number].first + slurm.block[number].steps:
        return slurm.step[i + 1].start_s
    return slurm.block[number + 1].start_s if number + 1 < slurm.size[BLOCKS] else np.inf


@inner
def _begin_step(slurm, time_s):
    """Let a step begin at `time_s`."""
    number = _block_of(slurm, time_s)
    if slurm.block[number].steps == BLOCK:
        _split(slurm, number)
        number = _block_of(slurm, time_s)
    at = _last_at_or_before(slurm, number, time_s)
    if slurm.step[at - 1].start_s == time_s:
        return
    new = slurm.size[STEPS]
    slurm.size[STEPS] += 1
    slurm.block[number].steps += 1
    for i in range(slurm.block[number].first + slurm.block[number].steps - 1, at, -1):
        _copy_step(slurm, i - 1, i)
    for word in range(slurm.bits.shape[1]):
        slurm.bits[new, word] = slurm.bits[slurm.step[at - 1].line, word]
    slurm.step[at].start_s, slurm.step[at].line, slurm.step[at].many = time_s, new, slurm.step[at - 1].many


@inner
def _split(slurm, number):
    """Move the later half of the steps of a full block to a new one behind it."""
    new, half = slurm.size[BLOCKS], BLOCK // 2
    slurm.size[BLOCKS] += 1
    for i in range(new, number + 1, -1):
        block = slurm.block[i - 1]
        slurm.block[i].start_s, slurm.block[i].first = block.start_s, block.first
        slurm.block[i].steps, slurm.block[i].fullest = block.steps, block.fullest
    early, late = slurm.block[number], slurm.block[number + 1]
    for i in range(half):
        _copy_step(slurm, early.first + half + i, BLOCK * new + i)
    early.steps, late.steps = half, BLOCK - half
    late.first, late.start_s = BLOCK * new, slurm.step[BLOCK * new].start_s
    _sum_up(slurm, number)
    _sum_up(slurm, number + 1)


@inner
def _copy_step(slurm, i, to):
    slurm.step[to].start_s, slurm.step[to].line, slurm.step[to].many = (
        slurm.step[i].start_s,
        slurm.step[i].line,
        slurm.step[i].many,
    )


@inner
def _sum_up(slurm, number):
    """Compute the hosts reserved in any step of a block, and the most in one."""
    block = slurm.block[number]
    line, block.fullest = block.first // BLOCK, 0
    for word in range(slurm.block_bits.shape[1]):
        slurm.block_bits[line, word] = 0
    for i in range(block.first, block.first + block.steps):
        block.fullest = max(block.fullest, slurm.step[i].many)
        for word in range(slurm.block_bits.shape[1]):
            slurm.block_bits[line, word] |= slurm.bits[slurm.step[i].line, word]


@inner
def blocked_until(slurm, start_s, end_s, needed):
    """The end of the last step in that time, both ends included, with fewer than `needed` hosts left; else `start_s`.

    No start before that end is possible for the same runtime.
    """
    most = slurm.on.shape[0] - needed
    for number in range(_block_of(slurm, end_s), -1, -1):
        if slurm.block[number].fullest > most:
            for i in range(_last_at_or_before(slurm, number, end_s) - 1, slurm.block[number].first - 1, -1):
                if slurm.step[i].many > most:
                    return _following_s(slurm, number, i)
                if slurm.step[i].start_s <= start_s:
                    return start_s
        if slurm.block[number].start_s <= start_s:
            break
    return start_s


@inner
def begin_usable(slurm, bits):
    """Let these hosts be usable, before reservations are looked at."""
    for word in range(bits.shape[0]):
        slurm.usable[word] = bits[word]


@inner
def leave_open(calendar, slurm, row, start_s, end_s, needed):
    """Take hosts out of `usable` that are reserved or closed to the row in that time.

    Returns `start_s` if `needed` may be left. Else it returns a moment before which no start is possible with the same
    usable hosts.
    """
    for number in range(_block_of(slurm, end_s), _block_of(slurm, start_s) - 1, -1):
        low, high = _steps_in(slurm, number, start_s, end_s)
        if high - low == slurm.block[number].steps:
            _take_out(slurm.usable, slurm.block_bits[slurm.block[number].first // BLOCK])
        else:
            for i in range(low, high):
                _take_out(slurm.usable, slurm.bits[slurm.step[i].line])
        if count_bits(slurm.usable) < needed:  # a start during step `low` meets the same steps
            return _following_s(slurm, number, low)
    for closure in range(calendar.time.shape[0]):
        time = calendar.time[closure]
        if time.to_s > start_s and np.nextafter(time.from_s, np.inf) <= end_s and calendar.shut[closure, row]:
            _take_out(slurm.usable, slurm.closed[closure])
    return start_s if count_bits(slurm.usable) >= needed else np.nextafter(start_s, np.inf)


@inner
def _steps_in(slurm, number, start_s, end_s):
    """From which to before which place steps of a block lie in that time, both ends included."""
    low, last = np.int64(slurm.block[number].first), number + 1 == slurm.size[BLOCKS]
    high = low + slurm.block[number].steps
    if slurm.block[number].start_s <= start_s:
        low = _last_at_or_before(slurm, number, start_s) - 1
    if last or slurm.block[number + 1].start_s > end_s:
        high = _last_at_or_before(slurm, number, end_s)
    return low, high


@inner
def _take_out(bits, those):
    for word in range(bits.shape[0]):
        bits[word] &= ~those[word]
