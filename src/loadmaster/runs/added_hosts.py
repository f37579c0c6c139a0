"""A site with more hosts of one kind in one partition, whose number is left open (rules D14 and L13)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from loadmaster.model import Cluster, InputError
from loadmaster.model.site_rules import HostSet
from loadmaster.runs.site_case import SiteCase
from loadmaster.site.changes import ChangeStep, SiteChange, added_hosts
from loadmaster.site.node import SiteNode
from loadmaster.traces.host_range import HostRange

LEAST_TRIED = 16
"""Up to so many hosts are added at least, where no numbers are named."""
_RANGE = re.compile(r"([0-9]{1,9})\.\.([0-9]{1,9})x(\S+)")
_FIX = "write it like 0..40x64c256g@main, or 0..40xn01@main for hosts like n01"
Changed = Callable[[SiteChange | None], SiteCase]
"""The site after a further change."""


@dataclass(frozen=True, eq=False)
class AddedRange(HostRange):
    """A site with `least` to `most` more hosts; `like` is the site with the most.

    Attributes:
        kind: what they are like and where they are, as `n01@main`.
        new: rows of `like` that are the further hosts, the first first.
    """

    kind: str = ""
    new: tuple[int, ...] = ()

    def at(self, number: int) -> Cluster:
        """All hosts of the site with so many more."""
        assert self.like is not None
        return _without(self.like, set(self.new[number:]))

    def words(self, number: int) -> str:
        """What so many are, for a sentence."""
        if number == 0:
            return "the hosts of the site as they are"
        _, like, partitions, _ = added_hosts(f"{number}x{self.kind}")
        where = ",".join(partitions) or "the default partition"
        return f"{number:,} more {'host' if number == 1 else 'hosts'} ({like}) in {where}"


class SiteRange(NamedTuple):
    """The numbers to try, and the site with the most of them."""

    hosts: AddedRange
    at_most: SiteCase


def site_range(text: str, changed: Changed) -> SiteRange:
    """The numbers to try of `0..40x64c256g@main`.

    Raises:
        InputError: it does not read so, or such hosts cannot be added to this site.
    """
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise InputError(text, "hosts to add have the numbers to try, a kind and a partition", fix=_FIX)
    least, most, kind = int(match[1]), int(match[2]), match[3]
    if not 0 <= least <= most or most == 0:
        raise InputError(text, "numbers of hosts go up, from 0", fix=_FIX)
    step = f"{most}x{kind}"
    added_hosts(step)
    present, after = changed(None), changed(SiteChange((ChangeStep("add", step),)))
    before, cluster = present.cluster, after.cluster
    old = {before.name(host) for host in range(before.hosts)}
    if cluster.resources != before.resources:
        rule = (
            f"these hosts have {', '.join(sorted({*cluster.resources} - {*before.resources}))}, no host of the site has"
        )
        raise InputError(text, rule, fix="add one such host first, with --what-if 'add ...'")
    new = tuple(host for host in range(cluster.hosts) if cluster.name(host) not in old)
    return SiteRange(AddedRange(text.strip(), least, most, cluster, kind, new), replace(after, notes=present.notes))


def usual_ranges(at: SiteCase, changed: Changed) -> list[SiteRange]:
    """Hosts like each kind that the site has, to each partition that it is in: up to twice as many.

    Raises:
        InputError: no host of the site is in a partition.
    """
    assert at.site is not None
    by_name = {node.name: node for node in at.site.nodes if node.there}
    ranges = []
    for part in at.site.partitions:
        for like, number in _kinds([by_name[name] for name in part.nodes if name in by_name]):
            ranges.append(site_range(f"0..{max(LEAST_TRIED, number)}x{like}@{part.name}", changed))
    if not ranges:
        fix = "name hosts to add: --add 0..40x16c64g"
        raise InputError("--site", "no host of this site is in a partition", fix=fix)
    return ranges


def _kinds(nodes: Sequence[SiteNode]) -> list[tuple[str, int]]:
    """The first host of each kind, and how many are of it."""
    names: dict[tuple[object, ...], list[str]] = {}
    for node in nodes:
        key = (node.cpus, node.memory_mib, node.gres, node.features, node.weight, node.threads)
        names.setdefault(key, []).append(node.name)
    return [(each[0], len(each)) for each in names.values()]


def _without(cluster: Cluster, gone: set[int]) -> Cluster:
    """The cluster without some of its hosts."""
    kept = [host for host in range(cluster.hosts) if host not in gone]
    assert cluster.speed is not None
    rules = cluster.rules
    if rules is not None:
        assert not rules.power  # it names hosts by number
        number = {host: at for at, host in enumerate(kept)}

        def left(hosts: HostSet) -> HostSet:
            return None if hosts is None else tuple(number[host] for host in hosts if host in number)

        rules = replace(
            rules,
            partitions=tuple(replace(each, hosts=left(each.hosts)) for each in rules.partitions),
            calendar=tuple(replace(each, hosts=left(each.hosts)) for each in rules.calendar if left(each.hosts) != ()),
            features=tuple(rules.features[host] for host in kept) if rules.features else (),
        )
    names = tuple(cluster.name(host) for host in kept)
    price = None if cluster.price_per_hour is None else cluster.price_per_hour[kept]
    return Cluster(cluster.resources, cluster.capacity[kept], names, cluster.speed[kept], rules, price)
