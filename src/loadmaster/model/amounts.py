"""Amounts of a cluster's resources as plain numbers: one of each of R resources."""

from collections.abc import Sequence
from operator import add, sub

Amounts = tuple[float, ...]
"""R amounts. They cannot be changed, so a list of them is copied without copying them."""


def plus(room: Sequence[float], demand: Sequence[float]) -> Amounts:
    """What `room` has once `demand` is given back to it."""
    return tuple(map(add, room, demand))


def minus(room: Sequence[float], demand: Sequence[float]) -> Amounts:
    """What `room` has once `demand` is taken from it."""
    return tuple(map(sub, room, demand))


def times(tasks: int, demand: Amounts) -> Amounts:
    """What so many tasks of `demand` request together."""
    return demand if tasks == 1 else tuple([tasks * amount for amount in demand])


def on_hosts(hosts: Sequence[int], demand: Amounts) -> tuple[tuple[int, Amounts], ...]:
    """What tasks of `demand`, one on each of `hosts`, hold together on each host.

    Example:
        >>> on_hosts((0, 0, 1), (2.0,))
        ((0, (4.0,)), (1, (2.0,)))
    """
    if len(hosts) == 1:  # as with most jobs
        return ((hosts[0], demand),)
    many: dict[int, int] = {}
    for host in hosts:
        many[host] = many.get(host, 0) + 1
    return tuple([(host, times(tasks, demand)) for host, tasks in many.items()])


def sums_on_hosts(hosts: Sequence[int], each: Sequence[Amounts]) -> tuple[tuple[int, Amounts], ...]:
    """What tasks hold together on each host; `each` is what the task on each of `hosts` holds.

    Example:
        >>> sums_on_hosts((0, 0, 1), [(2.0,), (1.0,), (2.0,)])
        ((0, (3.0,)), (1, (2.0,)))
    """
    held: dict[int, Amounts] = {}
    for host, amounts in zip(hosts, each, strict=True):
        held[host] = plus(held[host], amounts) if host in held else amounts
    return tuple(held.items())


def rounded_up(amounts: Sequence[float]) -> Amounts:
    """A hair more than these amounts: those of a live cluster need not be on the grid on which sums are exact."""
    return tuple([amount * (1.0 + 1e-9) for amount in amounts])
