"""Machines whose number is left open: `10..400x16c64g` in the short form, or the proportions of those given."""

import re
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model import Cluster, InputError, SiteRules
from loadmaster.model.arrays import Ints
from loadmaster.model.cluster import MOST_HOSTS
from loadmaster.traces.hosts import parse_hosts, short_form

MOST_TIMES = 8
"""No more than so many times the machines given are tried, where no numbers are named."""
_RANGE = re.compile(r"([0-9]+)\.\.([0-9]+)x(.+)")
_FIX = "write it like 10..400x16c64g, or 10..400x16c64g,2x64c512g with two hosts that are always there"


@dataclass(frozen=True, eq=False)
class HostRange:
    """Sets of machines, one for each number.

    Attributes:
        name: as it was given.
        least, most: the numbers that may be tried.
        like: whose proportions they have; None where `name` is the short form with the numbers.
    """

    name: str
    least: int
    most: int
    like: Cluster | None = None

    def at(self, number: int) -> Cluster:
        """The machines of a number; those of a larger number are those of a smaller one and more."""
        if self.like is not None:
            return proportional(self.like, number)
        groups = (_RANGE.sub(rf"{number}x\3", group) for group in self.name.split(","))
        return parse_hosts(",".join(groups))

    def words(self, number: int) -> str:
        """The machines of a number, for a sentence."""
        return short_form(self.at(number))


def is_range(text: str) -> bool:
    """Whether a text of the short form leaves a number open."""
    return any(_RANGE.fullmatch(group) for group in text.replace(" ", "").split(","))


def range_of(text: str) -> HostRange:
    """The machines of a text in which one group has the numbers to try; the other groups are always there.

    Raises:
        InputError: several groups leave their number open, or a group is none.

    Example:
        >>> some = range_of("1..4x8c,1x64c")
        >>> some.least, some.most, [int(some.at(n).total[0]) for n in (1, 4)]
        (1, 4, [72, 96])
    """
    groups = text.replace(" ", "").split(",")
    open_groups = [k for k, group in enumerate(groups) if _RANGE.fullmatch(group)]
    if len(open_groups) != 1:
        raise InputError(text, "the number of one group of hosts is searched for", fix=_FIX)
    (k,) = open_groups
    match = _RANGE.fullmatch(groups[k])
    assert match is not None
    least, most = int(match[1]), int(match[2])
    if not 1 <= least <= most <= MOST_HOSTS:
        raise InputError(groups[k], f"numbers of hosts go up, from 1 to {MOST_HOSTS:,} at most", fix=_FIX)

    host_range = HostRange(",".join(groups), least, most)
    host_range.at(most)
    return host_range


def proportions_of(cluster: Cluster, name: str) -> HostRange:
    """From one host to `MOST_TIMES` those given, in their proportions.

    Raises:
        InputError: hosts that rules of a site name cannot be multiplied.
    """
    if cluster.rules is not None and replace(cluster.rules, licences=(), power=()) != SiteRules():
        rule = "the number of machines is searched only without partitions, features and calendars"
        raise InputError("rules of a site", rule, fix="give the machines alone, with --hosts")
    return HostRange(name, 1, MOST_TIMES * cluster.hosts, cluster)


def proportional(cluster: Cluster, hosts: int) -> Cluster:
    """So many hosts of the kinds of `cluster` and in its proportions; with more hosts come those with fewer and some.

    Example:
        >>> mixed = Cluster(("cores",), np.array([[8.0], [8.0], [8.0], [64.0]]))
        >>> [int(proportional(mixed, n).total[0]) for n in (1, 2, 4, 8)]
        [8, 16, 88, 176]
    """
    assert cluster.speed is not None
    chosen, price = _like(cluster, hosts), cluster.price_per_hour
    return Cluster(
        cluster.resources,
        cluster.capacity[chosen],
        speed=cluster.speed[chosen],
        price_per_hour=None if price is None else price[chosen],
        rules=None if cluster.rules is None else _rules_like(cluster.rules, chosen),
    )


def _rules_like(rules: SiteRules, chosen: Ints) -> SiteRules:
    """The rules of hosts that are like the hosts `chosen` int32[hosts]: these draw as much power."""
    alike = [replace(each, hosts=tuple(np.flatnonzero(np.isin(chosen, each.hosts)).tolist())) for each in rules.power]
    return replace(rules, power=tuple(each for each in alike if each.hosts))


def _like(cluster: Cluster, hosts: int) -> Ints:
    """int32[hosts]: for each the host of `cluster` that it is like."""
    _, kind = cluster.kinds
    order = np.argsort(kind, kind="stable")
    count = np.bincount(kind)
    nth = np.empty(cluster.hosts)
    nth[order] = np.concatenate([np.arange(n) for n in count])
    turn = (nth + 0.5) / count[kind]  # every kind is through once when this comes to 1
    ahead = np.lexsort((np.arange(cluster.hosts), turn))
    return np.resize(ahead, hosts).astype(np.int32)
