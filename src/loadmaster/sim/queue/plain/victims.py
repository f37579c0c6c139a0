"""The jobs to stop for another job: candidates in their order, and the fewest that make room (rule C8)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from loadmaster.model.site_rules import Mode, Partition, Qos, SiteRules

_MOST = 65535


class Victim(NamedTuple):
    """A running job that may be stopped.

    Attributes:
        job: its number.
        worth: priority of its QOS, or tier of its partition.
        hosts: that it runs on.
        start_s: when it was started.
    """

    job: int
    worth: int
    hosts: frozenset[int]
    start_s: float


Room = Callable[[Sequence[int]], tuple[int, ...] | None]
"""Hosts on which the preemptor fits once these jobs are stopped; None if it does not."""


def victims(candidates: Sequence[Victim], room: Room, rules: SiteRules) -> list[int]:
    """Numbers of the jobs to stop; none if stopping all candidates makes no room.

    Candidates are added one by one, the least worth first and of these the smallest, until the preemptor fits; then
    once more with the last that was added first and the others by how many of its hosts they hold: fewer are hit.
    A job that holds none of the hosts finally taken is not stopped.
    """
    by = rules.preemption
    if by.youngest_first:
        order = sorted(candidates, key=lambda each: -each.start_s)
    else:
        order = sorted(candidates, key=lambda each: min(each.worth, _MOST) * 65536 + min(len(each.hosts), _MOST))
    found, hosts = _until_it_fits(order, room)
    for _ in range(by.reorder_count):
        if not found:
            break
        taken = set(hosts)
        rest = sorted((each for each in order if each != found[-1]), key=lambda each: -len(each.hosts & taken))
        found, hosts = _until_it_fits([found[-1], *rest], room)
    return [each.job for each in found if each.hosts & set(hosts)]


def _until_it_fits(order: Sequence[Victim], room: Room) -> tuple[list[Victim], tuple[int, ...]]:
    found: list[Victim] = []
    for each in order:
        found.append(each)
        hosts = room([victim.job for victim in found])
        if hosts is not None:
            return found, hosts
    return [], ()


def may_stop(rules: SiteRules, own: Qos | None, other: Qos | None, tiers: tuple[int, int], outranks: bool) -> bool:
    """Whether a job of QOS `own` may stop one of QOS `other`.

    Args:
        rules: of the site.
        own: of the preemptor.
        other: of the victim.
        tiers: of the partitions of both.
        outranks: its own priority is higher.
    """
    if rules.preemption.by == "partition":
        return tiers[0] > tiers[1]
    if rules.preemption.by != "qos" or own is None or other is None:
        return False
    return other.name in own.preempts or (own.name == other.name and own.within and outranks)


def mode_of(rules: SiteRules, qos: Qos | None, partition: Partition | None, *, requeue: bool) -> Mode:
    """What becomes of a victim; one that may not go back to the queue is cancelled."""
    given = qos.preempt_mode if rules.preemption.by == "qos" and qos is not None else None
    if rules.preemption.by == "partition" and partition is not None:
        given = partition.preempt_mode
    mode = rules.preemption.mode if given is None else given
    return "cancel" if mode == "requeue" and not requeue else mode


def victim_rank(rules: SiteRules, qos: Qos | None, partition: Partition | None) -> int:
    """How dear a victim is: the priority of its QOS, or the tier of its partition."""
    if rules.preemption.by == "qos":
        return qos.priority if qos is not None else 0
    return partition.tier if partition is not None else 0
