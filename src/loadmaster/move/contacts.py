"""The few other hosts whose load a host gets at a tick, drawn by hashing, so that all movers get the same."""

_MASK = (1 << 64) - 1


def draw(seed: int, tick: int, host: int, channel: int, below: int) -> int:
    """A whole number in [0, below), the same whenever the same five are given (splitmix64 over their hash).

    Nothing is remembered between draws: a tick that is skipped because no task runs changes no other tick. Two movers
    that draw different numbers of times still get the same hosts.

    Example:
        >>> [draw(1, 2, 3, channel, below=10) for channel in range(4)]
        [2, 8, 8, 4]
    """
    value = (seed * 0x9E3779B97F4A7C15 + tick * 0xBF58476D1CE4E5B9 + host * 0x94D049BB133111EB + channel) & _MASK
    for _ in range(2):
        value = (value + 0x9E3779B97F4A7C15) & _MASK
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
        value ^= value >> 31
    return (value >> 11) % below


ORDER, CONTACT, PICK = 1 << 20, 2 << 20, 3 << 20
"""Channels of `draw`: the order of the hosts in a tick, their contacts, the task that a mover picks."""


def order_of_turns(seed: int, tick: int, hosts: int) -> list[int]:
    """The hosts in the random order in which they take their turns at this tick (Fisher-Yates)."""
    order = list(range(hosts))
    for last in range(hosts - 1, 0, -1):
        other = draw(seed, tick, last, ORDER, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def contacts_of(seed: int, tick: int, host: int, hosts: int, fanout: int) -> list[int]:
    """Up to `fanout` different hosts other than `host`, in the order in which they were drawn."""
    found: list[int] = []
    attempt = 0
    while len(found) < min(fanout, hosts - 1):
        other = draw(seed, tick, host, CONTACT + attempt, hosts - 1)
        other += other >= host
        attempt += 1
        if other not in found:
            found.append(other)
    return found
