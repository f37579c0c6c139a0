"""GPUs of several kinds in one host, such as the slices of two cards under MIG (rules K22 and Q22)."""

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.cards import whole_cards
from loadmaster.model.cluster import Cluster
from loadmaster.model.constraints import Constraints
from loadmaster.model.errors import InputError
from loadmaster.model.features import hosts_that_serve, parse_features
from loadmaster.model.gres import MODEL
from loadmaster.model.site_rules import SiteRules
from loadmaster.model.units import GPUS
from loadmaster.model.workload import Workload
from loadmaster.system.counted import counted

CardKind = tuple[str, ...]
"""The names of a kind of card, such as ("V100M32",); empty where it has none."""
_COUNTED = re.compile(r"(.+):([0-9]+)")
_KIND = f"{GPUS} "
"""So begins the name of the resource that counts the GPUs of a kind."""


def kinds_of_cards(features: Sequence[str], cards: int) -> list[tuple[CardKind, int]]:
    """The kinds of a host's cards: one with all names, or kinds with counts, such as slices of MIG.

    Args:
        features: of the host; `NAME:COUNT` for each kind of which there are so many.
        cards: of the host.

    Raises:
        InputError: the counts are not the cards of the host.

    Example:
        >>> kinds_of_cards(["1g.10gb:4", "3g.40gb:1"], 5), kinds_of_cards(["a100", "nvlink"], 2)
        ([(('1g.10gb',), 4), (('3g.40gb',), 1)], [(('a100', 'nvlink'), 2)])
    """
    counts = _counts(features)
    if not counts:
        return [(tuple(features), cards)]
    if sum(counts.values()) != cards:
        text, total = ", ".join(features), sum(counts.values())
        raise InputError(text, f"the counts add up to {total}, and the host has {cards} gpus", fix="make them equal")
    plain = tuple(name for name in features if _COUNTED.fullmatch(name) is None)
    return [((name, *plain), count) for name, count in counts.items()]


def with_gpu_kinds(workload: Workload, cluster: Cluster) -> tuple[Workload, Cluster]:
    """Jobs and hosts with a resource for each kind of GPU, where hosts count kinds and jobs name them.

    The resource `gpus` stays: it is the sum of all kinds. A job that names no kind, or needs several at once, requests
    this sum alone. Where no job names a kind, and where no host counts kinds, jobs and hosts are as they were.

    Args:
        workload: jobs, which name their kind in `gpu_kind`, else in `features`: by its name, or as `gpu:MODEL`.
        cluster: hosts; a feature `1g.5gb:7` or `gpu:a100:2` counts the GPUs of a kind, as in `kinds_of_cards`.

    Raises:
        InputError: the counts are not the GPUs of a host; or a job accepts one of several kinds, or requests a part
            of a GPU and may run on a host with several.

    Example:
        >>> from loadmaster.model import Cluster, Constraints, Named, SiteRules, Workload
        >>> rules = SiteRules(features=(("1g.5gb:7", "3g.20gb:2"),))
        >>> hosts = Cluster(("cores", "gpus"), np.array([[8.0, 9.0]]), rules=rules)
        >>> asked = Constraints(gpu_kind=Named.of(["3g.20gb"]))
        >>> log = Workload.of(submit_s=[0], runtime_s=[60], cores=[1], gpus=[1], constraints=asked)
        >>> log, hosts = with_gpu_kinds(log, hosts)
        >>> log.resources, log.demand.tolist(), hosts.capacity.tolist()
        (('cores', 'gpus', 'gpus 1g.5gb', 'gpus 3g.20gb'), [[1.0, 1.0, 0.0, 1.0]], [[8.0, 9.0, 7.0, 2.0]])
    """
    rules, bound = cluster.rules, workload.constraints
    if rules is None or bound is None or GPUS not in workload.resources or GPUS not in cluster.resources:
        return workload, cluster
    kinds = _kinds_counted(rules)
    gpus = workload.demand[:, workload.resources.index(GPUS)]
    if not kinds or not gpus.any():
        return workload, cluster
    requests, which = _requests(bound, workload.jobs)
    named = [_kinds_named(request, kinds) for request in requests]
    if all(named[code] == {""} for code in np.unique(which[gpus > 0]).tolist()):
        return workload, cluster
    there = whole_cards(cluster.capacity[:, cluster.resources.index(GPUS)], cluster.names)
    for names, many in zip(rules.features, there.tolist(), strict=True):
        kinds_of_cards(names, many)  # which refuses counts that do not add up
    plain = tuple(tuple(_COUNTED.sub(r"\1", name) for name in names) for names in rules.features)
    several = [host for host, names in enumerate(rules.features) if _counts(names)]
    for code, (request, its_kinds) in enumerate(zip(requests, named, strict=True)):
        rows = np.flatnonzero((which == code) & (gpus > 0))
        on = next((host for host in several if _may_run(request, host, plain[host], cluster)), None)
        if len(rows):
            _refuse_unclear(workload, rows, gpus[rows], its_kinds, "" if on is None else cluster.name(on))
    asks = np.array([[kind in each for kind in kinds] for each in named])[which]
    has = np.array(
        [_gpus_by_kind(names, kinds, many) for names, many in zip(rules.features, there.tolist(), strict=True)]
    )
    columns = tuple(_KIND + kind.removeprefix(MODEL) for kind in kinds)
    return (
        replace(
            workload,
            resources=workload.resources + columns,
            demand=np.hstack((workload.demand, asks * gpus[:, None])),
        ),
        replace(
            cluster,
            resources=cluster.resources + columns,
            capacity=np.hstack((cluster.capacity, has)),
            rules=replace(rules, features=plain),
        ),
    )


def notes_on_unnamed_kinds(workload: Workload, cluster: Cluster) -> tuple[str, ...]:
    """How many jobs request GPUs of no one kind and may run on a host with several: they take any (rule Q22).

    Args:
        workload: as `with_gpu_kinds` leaves it.
        cluster: the same.
    """
    of_kinds = [r for r, name in enumerate(cluster.resources) if name.startswith(_KIND)]
    rules, bound = cluster.rules, workload.constraints
    if not of_kinds or rules is None or bound is None or workload.resources != cluster.resources:
        return ()
    any_kind = workload.demand[:, cluster.resources.index(GPUS)] > workload.demand[:, of_kinds].sum(axis=1)
    several = np.flatnonzero((cluster.capacity[:, of_kinds] > 0).sum(axis=1) > 1).tolist()
    requests, which = _requests(bound, workload.jobs)
    hosts = [next((h for h in several if _may_run(each, h, rules.features[h], cluster)), None) for each in requests]
    there = any_kind & np.array([host is not None for host in hosts])[which]
    if not there.any():
        return ()
    first = next(hosts[code] for code in which[there].tolist())
    jobs = counted(there.sum(), "job requests", "jobs request")
    return (
        f"{jobs} GPUs of no one model and may run on hosts with several (such as {cluster.name(first or 0)}): GPUs "
        "of any model serve, and those of other jobs can be regrouped. In Slurm each job keeps its GPUs, so a job that "
        "names a model may wait longer there.",
    )


def _refuse_unclear(workload: Workload, rows: Longs, gpus: Floats, kinds: Set[str], host: str) -> None:
    """Refuse jobs `rows` int64[N], which request `gpus` float64[N] of these kinds, where a kind does not say all.

    Raises:
        InputError: several kinds would do; or one requests a part of a GPU, of a kind or on `host`.
    """
    part = gpus != np.floor(gpus)
    job = workload.id_of(int(rows[np.argmax(part)]))  # the first of all where none requests a part
    if len(kinds) > 1:
        rule = f"job {job} requests GPUs of several kinds, any of which would do, and takes those of one"
        raise InputError(" | ".join(filter(None, sorted(kinds))), rule, fix="let it name one kind")
    if part.any() and (kinds != {""} or host):
        rule = f"job {job} requests a part of a GPU on hosts with GPUs of several kinds"
        fix = "round it up" if host else "round it up, or name no kind"
        raise InputError(f"{gpus[np.argmax(part)]:g} gpus", rule, fix=fix)


class _Request(NamedTuple):
    """The words of a job about its hosts, "" where it says nothing."""

    gpu_kind: str
    features: str
    partition: str


def _requests(bound: Constraints, jobs: int) -> tuple[list[_Request], Longs]:
    """The distinct requests, and int64[J], which of them each job has."""
    columns = [bound.gpu_kind, bound.features, bound.partition]
    codes = np.column_stack([np.full(jobs, -1) if each is None else each.code for each in columns])
    distinct, which = np.unique(codes, axis=0, return_inverse=True)
    words = [[*(() if each is None else each.names), ""] for each in columns]  # the last for -1
    return [_Request(*(words[k][code] for k, code in enumerate(row))) for row in distinct.tolist()], which.reshape(-1)


def _kinds_counted(rules: SiteRules) -> list[str]:
    """The kinds of GPUs that some host counts."""
    return list(dict.fromkeys(kind for names in rules.features for kind in _counts(names)))


def _gpus_by_kind(features: Sequence[str], kinds: Sequence[str], gpus: int) -> list[float]:
    """How many GPUs of each kind a host has: all of them of a kind that it names without a count."""
    counts, names = _counts(features), {each.lower().removeprefix(MODEL) for each in features}
    if counts:
        return [float(counts.get(kind, 0)) for kind in kinds]
    return [float(gpus) if kind.lower().removeprefix(MODEL) in names else 0.0 for kind in kinds]


def _kinds_named(request: _Request, kinds: Sequence[str]) -> Set[str]:
    """The counted kinds of which a job takes its GPUs; "" among them where GPUs of no one kind would do."""
    own = set(kinds).intersection(request.gpu_kind.split(","))
    by_model = {kind.lower().removeprefix(MODEL): kind for kind in kinds}
    alternatives = parse_features(request.features) if request.features else ((),)
    parts = [own] if own else [{_kind_of(term, by_model, kinds) for term in each} - {""} for each in alternatives]
    return frozenset().union(*(each if len(each) == 1 else {""} for each in parts))


def _kind_of(feature: str, by_model: dict[str, str], kinds: Sequence[str]) -> str:
    """The counted kind that a job requests by this feature, "" for none."""
    if feature in kinds:
        return feature
    return by_model.get(feature.removeprefix(MODEL).lower(), "") if feature.startswith(MODEL) else ""


def _may_run(request: _Request, host: int, features: CardKind, cluster: Cluster) -> bool:
    """Whether partitions and features let a job run on a host."""
    alternatives = parse_features(request.features) if request.features else ((),)
    rules = cluster.rules or SiteRules()
    names = request.partition.split(",") if request.partition else [rules.default_partition]
    partitions = [each for each in rules.partitions if each.name in names] or rules.partitions[:1]
    open_there = not partitions or any(each.hosts is None or host in each.hosts for each in partitions)
    return open_there and hosts_that_serve(alternatives, [cluster.name(host)], [features])[0]


def _counts(features: Sequence[str]) -> dict[str, int]:
    """How many GPUs of each kind a host says that it has."""
    counted = [match for match in map(_COUNTED.fullmatch, features) if match is not None]
    return {match[1]: int(match[2]) for match in counted}
