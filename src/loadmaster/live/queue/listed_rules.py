"""Rules between jobs as plain data: a list of rules in a listing, and in each job's row the groups that it is in.

A group has a name of its own, so that a row changes only when its job joins or leaves a group.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from loadmaster.live.session.engine import Observation
from loadmaster.packing.constrained.constraints import Apart, BetweenTasks, MaxSkew, Together, groups_of
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.constrained.job_rules import ConstrainedJobs

GROUPS = "groups"
"""The column of a job's row that names its groups."""
_KINDS: dict[str, type[Apart | Together]] = {"apart": Apart, "together": Together}


def plain_rules(rules: Sequence[BetweenTasks]) -> dict[str, Any]:
    """Levels (the domain of each host) and rules (kind, names of groups, level, of a skew the most)."""
    levels: dict[str, list[int]] = {}
    listed: list[list[Any]] = []
    for rule in rules:
        level = f"{rule.level.name} {crc32(rule.level.domain.tobytes()):08x}"
        levels[level] = rule.level.domain.tolist()
        kind = next((name for name, of in _KINDS.items() if type(rule) is of), "skew")
        most = [rule.at_most] if isinstance(rule, MaxSkew) else []
        listed.append([kind, [group.name for group in groups_of(rule)], level, *most])
    return {"levels": levels, "rules": listed}


def merged_rules(some: Mapping[str, Any] | None, more: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The rules of two listings together, each once."""
    if not some or not more:
        return some or more
    rules = [*some["rules"], *(rule for rule in more["rules"] if rule not in some["rules"])]
    return {"levels": some["levels"] | more["levels"], "rules": rules}


def groups_by_job(seen: Observation) -> dict[str, list[str]]:
    """The names of the groups of each job; empty without rules."""
    named = {group.name: group for rule in seen.rules for group in groups_of(rule)}
    groups: dict[str, list[str]] = {name: [] for name in seen.ids} if named else {}
    for name, group in named.items():
        for row in group.tasks.tolist():
            groups[seen.ids[row]].append(name)
    return groups


def rules_in(
    listing: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]], ids: Sequence[str], hosts: Sequence[str]
) -> ConstrainedJobs | None:
    """The rules of a listing between the jobs `ids` on `hosts`, in these orders; None where there are none.

    Args:
        listing: that has the rules.
        rows: of jobs, with their groups; a job without a row is in none.
        ids: names of jobs.
        hosts: names of hosts; one that is not listed is in no domain.
    """
    if not (plain := listing.get("rules")):
        return None
    members: dict[str, list[int]] = {}
    for number, name in enumerate(ids):
        for group in rows[name].get(GROUPS, ()) if name in rows else ():
            members.setdefault(group, []).append(number)
    number_of = {name: number for number, name in enumerate(listing["cluster"]["names"])}
    listed = [number_of.get(name, -1) for name in hosts]
    levels = {
        name: DomainLevel(name.rpartition(" ")[0], np.array([*domain, -1], np.int32)[listed])
        for name, domain in plain["levels"].items()
        if len(domain) == len(number_of)
    }
    named = {name for _, names, *_ in plain["rules"] for name in names}
    groups = {name: TaskGroup(name, np.array(members.get(name, ()), np.int32)) for name in named}
    rules: list[BetweenTasks] = []
    for kind, names, level_name, *most in plain["rules"]:
        level = levels.get(level_name)
        if level is None:
            continue
        of = [groups[name] for name in names]
        if kind in _KINDS:
            rules.append(_KINDS[kind](of[0], of[1], level))
        else:
            rules.append(MaxSkew(of[0], level, most[0], np.ones(level.domains, bool)))
    return ConstrainedJobs(rules, ids, hosts)
