"""Changes of a site, as lines of its `slurm.conf`: hosts added or removed, parameters set (rule L13)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from loadmaster.model import InputError
from loadmaster.model.host_names import bracketed, host_names
from loadmaster.model.units import CORES, GPUS, MB, MEMORY
from loadmaster.rules.near import near_to
from loadmaster.site.fields import Fields
from loadmaster.site.keys import ALL_KEYS, MODELLED, NO_BEARING, OF_PARTITIONS
from loadmaster.site.lines import ConfigLine, Lines, Pair, pairs_of
from loadmaster.site.node import ADDED, REMOVED
from loadmaster.site.partition import SitePartition
from loadmaster.site.scheduler import SchedulerParameters
from loadmaster.site.site import Site, site_of_lines, with_defaults
from loadmaster.traces.hosts import parse_hosts

StepKind = Literal["add", "remove", "set"]
MOST_ADDED = 100_000
"""Hosts that one step adds at most."""
_ADD = re.compile(r"([0-9]{1,9})x([^@\s]+)(?:@([0-9]+\.?[0-9]*|\.[0-9]+)(?=@))?(?:@(\S+))?")
_SHORT_FORM = re.compile(r"[0-9]+c[0-9a-z.]*", re.IGNORECASE)
_REMOVE_COUNT = re.compile(r"([0-9]{1,9})@(\S+)")
_OWN_OF_ONE_HOST = ("nodename", "nodeaddr", "nodehostname", "port", "state", "reason", "price")
_ADD_FIX = "write it like 20x64c256g4gpu@gpu, 20xn01@main for 20 more hosts like n01, or 20xn01@1.2@main with a price"
_SET_FIX = "write it like PriorityWeightAge=1000, or PartitionName=main MaxTime=2-0"


class ChangeStep(NamedTuple):
    """One thing that is changed: its kind, and what the user wrote behind it."""

    kind: StepKind
    text: str

    @property
    def words(self) -> str:
        """It as `--what-if` takes it."""
        return f"{self.kind} {self.text}"


@dataclass(frozen=True)
class SiteChange:
    """Steps that belong together, in their order."""

    steps: tuple[ChangeStep, ...]

    @property
    def name(self) -> str:
        """All steps as `--what-if` takes them; the name of the row."""
        return "; ".join(step.words for step in self.steps)

    def refuse_some_prices(self) -> None:
        """Refuse prices of some added hosts alone.

        Raises:
            InputError: some have a price, and others none.
        """
        prices = {added_hosts(step.text).price_per_hour is None for step in self.steps if step.kind == "add"}
        if len(prices) > 1:
            rule = "some added hosts have a price and others none, so what they cost together is not known"
            raise InputError(self.name, rule, fix="give each its price an hour, as in add 20x64c256g@1.2@main")


def change_of(text: str) -> SiteChange:
    """The steps of `--what-if`, with semicolons between them.

    Raises:
        InputError: a step is no `add`, `remove` or `set`, or there is none.

    Example:
        >>> change_of("add 4x64c256g@main; set PriorityWeightAge=1000").steps[1]
        ChangeStep(kind='set', text='PriorityWeightAge=1000')
    """
    steps = []
    for part in (part.strip() for part in text.split(";")):
        kind, _, rest = part.partition(" ")
        if kind.lower() not in get_args(StepKind) or not rest.strip():
            fix = "write it like 'add 20x64c256g@main; set PriorityWeightAge=1000'"
            raise InputError(part or text, "a step is add, remove or set, and what", fix=fix)
        steps.append(ChangeStep(kind.lower(), rest.strip()))  # type: ignore[arg-type]
    return SiteChange(tuple(steps))


def changed_lines(path: Path, lines: Lines, step: ChangeStep) -> tuple[Lines, str]:
    """The lines of a `slurm.conf` after one step, and what the step does, in a sentence.

    Args:
        path: of the file, for refusals.
        lines: before the step.
        step: what is changed.

    Raises:
        InputError: a host, a partition or a parameter that is not there, or a value that breaks its rule.
    """
    site = site_of_lines(path, lines)
    steps = {"add": _added, "remove": _without_hosts, "set": _set}
    changed, sentence = steps[step.kind](site, lines.lines, step)
    digest = lines.digest + step.words
    return Lines(changed, digest), sentence


class AddedHosts(NamedTuple):
    """`20x64c256g@1.2@main` in its parts: how many, like what, in which partitions, and the price of one an hour."""

    number: int
    like: str
    partitions: tuple[str, ...]
    price_per_hour: float | None


def added_hosts(text: str) -> AddedHosts:
    """Hosts that a step adds, in parts.

    Raises:
        InputError: it does not read so, or adds none or too many.
    """
    match = _ADD.fullmatch(text)
    if match is None:
        raise InputError(text, "hosts to add are COUNTxKIND@PARTITION", fix=_ADD_FIX)
    number = int(match[1])
    if not 1 <= number <= MOST_ADDED:
        raise InputError(text, f"from 1 to {MOST_ADDED:,} hosts are added", fix=_ADD_FIX)
    price = None if match[3] is None else float(match[3])
    return AddedHosts(number, match[2], tuple(filter(None, (match[4] or "").split(","))), price)


def _added(site: Site, lines: tuple[ConfigLine, ...], step: ChangeStep) -> tuple[tuple[ConfigLine, ...], str]:
    wanted = added_hosts(step.text)
    partitions = [_partition(site, name) for name in wanted.partitions] or [_usual_partition(site)]
    kind = _kind(site, lines, wanted.like)
    names = _new_names(site, wanted.number)
    pairs = {"nodename": Pair("NodeName", names, ADDED), **kind}
    everywhere = _with_all_hosts(lines)
    priced = {} if wanted.price_per_hour is None else {"price": Pair("Price", repr(wanted.price_per_hour), ADDED)}
    lines = (*lines, ConfigLine({**pairs, **priced}, ADDED))
    for part in partitions:
        if part.name not in everywhere:
            lines = _in_partition(lines, part.name, names)
    shown = [pair for key, pair in pairs.items() if pair.value and key != "state"]
    if not site.selection.memory:
        shown = [pair for pair in shown if pair.key != "RealMemory"]
    written = " ".join(f"{pair.key}={pair.value}" for pair in shown)
    inside = list(dict.fromkeys([*(part.name for part in partitions), *everywhere]))
    where = f"in the partition{'s' if len(inside) > 1 else ''} {', '.join(inside)}"
    return lines, f"Changed: {step.words} ({written}, {where})."


def _kind(site: Site, lines: tuple[ConfigLine, ...], like: str) -> dict[str, Pair]:
    """The keys of hosts in the short form, or of those like a host of the site."""
    if not _SHORT_FORM.fullmatch(like):
        return _like_host(site, lines, like)
    cluster = parse_hosts(like)
    amounts = dict(zip(cluster.resources, cluster.capacity[0].tolist(), strict=True))
    if site.selection.memory and MEMORY not in amounts:
        rule = "this site counts memory, and these hosts have none"
        raise InputError(like, rule, fix=f"say how much one has, such as {like}256g")
    values = {
        "CPUs": f"{amounts[CORES]:.0f}",
        "RealMemory": f"{amounts[MEMORY] / MB:.0f}" if MEMORY in amounts else "1",
        "Gres": f"gpu:{amounts[GPUS]:.0f}" if amounts.get(GPUS) else "",
        "State": "UNKNOWN",
    }
    return {key.lower(): Pair(key, value, "--add") for key, value in values.items()}


def _like_host(site: Site, lines: tuple[ConfigLine, ...], like: str) -> dict[str, Pair]:
    """The keys of the line of that host; a host like one of a cloud sleeps as that one does."""
    state = "CLOUD" if any(node.cloud for node in site.nodes if node.name == like) else "UNKNOWN"
    for _, fields, name in with_defaults(lines, "nodename"):
        if like in host_names(name.value, name.where):
            pairs = {key: pair for key, pair in fields.pairs.items() if key not in _OWN_OF_ONE_HOST}
            return {**pairs, "state": Pair("State", state, "--add")}
    raise InputError(like, "neither a kind of host nor a host of the site", fix=_ADD_FIX)


def _new_names(site: Site, count: int) -> str:
    """Names that no host has yet, in brackets."""
    taken = {node.name for node in site.nodes}
    first = 1
    while f"added{first}" in taken:
        first += 1
    return f"added{first}" if count == 1 else f"added[{first}-{first + count - 1}]"


def _with_all_hosts(lines: tuple[ConfigLine, ...]) -> list[str]:
    """Partitions whose hosts are ALL: each new host is in them."""
    parts = with_defaults(lines, "partitionname")
    return [
        name.value
        for _, fields, name in parts
        if (nodes := fields.pairs.get("nodes")) is not None and nodes.value.strip().upper() == "ALL"
    ]


def _in_partition(lines: tuple[ConfigLine, ...], partition: str, names: str) -> tuple[ConfigLine, ...]:
    line, fields = next((line, fields) for line, fields, name in _partitions(lines) if name == partition)
    before = fields.pairs.get("nodes")
    value = names if before is None or not before.value.strip() else f"{before.value},{names}"
    return _with_pairs(lines, line, {"nodes": Pair("Nodes", value, "--add")})


def _without_hosts(site: Site, lines: tuple[ConfigLine, ...], step: ChangeStep) -> tuple[tuple[ConfigLine, ...], str]:
    names = _to_remove(site, step.text)
    pairs = {"downnodes": Pair("DownNodes", bracketed(names), REMOVED), "state": Pair("State", "DOWN", REMOVED)}
    return (*lines, ConfigLine(pairs, REMOVED)), f"Changed: {step.words} ({bracketed(names)})."


def _to_remove(site: Site, text: str) -> list[str]:
    """Hosts by name, or so many of a partition: those that jobs take last, by Weight and place in the file."""
    up = sorted((node for node in site.nodes if node.there), key=lambda node: node.weight)
    match = _REMOVE_COUNT.fullmatch(text)
    if match is not None:
        part, count = _partition(site, match[2]), int(match[1])
        members = [node.name for node in up if node.name in set(part.nodes)]
        if not 1 <= count <= len(members):
            rule = f"the partition {part.name} has {len(members):,} hosts that are up"
            raise InputError(text, rule, fix="remove at least 1 of them, and no more than there are")
        return members[-count:]
    names = list(dict.fromkeys(host_names(text, REMOVED)))
    there = {node.name for node in up}
    for name in names:
        if name not in there:
            rule = "this host is not up already" if any(node.name == name for node in site.nodes) else "no such host"
            near = near_to(name, there)
            fix = f"did you mean {near}?" if near else "write it like n[01-04], or 4@main for 4 hosts of main"
            raise InputError(name, rule, fix=fix)
    if not names:
        raise InputError(text, "no host is named", fix="write it like n[01-04], or 4@main for 4 hosts of main")
    return names


def _set(site: Site, lines: tuple[ConfigLine, ...], step: ChangeStep) -> tuple[tuple[ConfigLine, ...], str]:
    given = pairs_of(step.text, "--set")
    sentence = f"Changed: {step.words}."
    if given.kind == "partitionname":
        name = _partition(site, given.pairs["partitionname"].value).name
        pairs = {key: pair for key, pair in given.pairs.items() if key != "partitionname"}
        if not pairs:
            raise InputError(step.text, "nothing of the partition is set", fix=_SET_FIX)
        _refuse_unmodelled(pairs.values())
        line = next(line for line, _, each in _partitions(lines) if each == name)
        return _with_pairs(lines, line, pairs), sentence
    if {"nodename", "downnodes", "nodeset"} & given.pairs.keys():
        fix = "add hosts with add, and take them away with remove"
        raise InputError(step.text, "lines of hosts cannot be set", fix=fix)
    _refuse_unmodelled(given.pairs.values())
    if of_partition := next((pair for key, pair in given.pairs.items() if key in OF_PARTITIONS), None):
        usual = _usual_partition(site).name
        fix = f"say which: PartitionName={usual} {of_partition.key}={of_partition.value}"
        raise InputError(step.text, "this is a parameter of a partition", fix=fix)
    pairs = dict(given.pairs)
    if "schedulerparameters" in pairs:
        before = [line.pairs["schedulerparameters"].value for line in lines if "schedulerparameters" in line.pairs]
        pairs["schedulerparameters"] = _merged(before[-1] if before else "", pairs["schedulerparameters"])
    return (*lines, ConfigLine(pairs, "--set")), sentence


def _refuse_unmodelled(pairs: Iterable[Pair]) -> None:
    """Refuse a key that Slurm does not know, or that changes nothing in the model.

    Raises:
        InputError: there is one.
    """
    for pair in pairs:
        key = pair.key.lower()
        if key in MODELLED:
            continue
        written = f"{pair.key}={pair.value}"
        if key in SchedulerParameters.__dataclass_fields__:
            fix = f"write SchedulerParameters={written}"
            raise InputError(written, "this is a word of SchedulerParameters", fix=fix)
        if key in NO_BEARING:
            raise InputError(written, "this parameter changes no job", fix="leave it out")
        if key in ALL_KEYS:
            raise InputError(written, "the model does not use this parameter", fix="leave it out (rule L8)")
        near = near_to(pair.key, MODELLED.values())
        raise InputError(written, "Slurm has no such parameter", fix=f"did you mean {near}?" if near else _SET_FIX)


def _merged(before: str, given: Pair) -> Pair:
    """SchedulerParameters with the words that are set in place of those that are there; the others stay."""
    words: dict[str, str] = {}
    for word in [*before.split(","), *given.value.split(",")]:
        if word.strip():
            words[word.partition("=")[0].strip().lower()] = word.strip()
    for word in (word.strip() for word in given.value.split(",") if word.strip()):
        name = word.partition("=")[0].strip().lower()
        if name not in SchedulerParameters.__dataclass_fields__:
            near = near_to(name, SchedulerParameters.__dataclass_fields__, cutoff=0.8)
            fix = f"did you mean {near}?" if near else "leave it out (rule L5 lists those that are)"
            raise InputError(word, "no parameter of the scheduler that the model uses", fix=fix)
    return replace(given, value=",".join(words.values()))


def _partition(site: Site, name: str) -> SitePartition:
    for part in site.partitions:
        if part.name == name:
            return part
    names = [part.name for part in site.partitions]
    near = near_to(name, names)
    fix = f"did you mean {near}?" if near else f"one of {', '.join(names[:8])}"
    raise InputError(name, "the site has no such partition", fix=fix)


def _usual_partition(site: Site) -> SitePartition:
    return next((part for part in site.partitions if part.default), site.partitions[0])


def _partitions(lines: tuple[ConfigLine, ...]) -> list[tuple[ConfigLine, Fields, str]]:
    return [(line, fields, name.value) for line, fields, name in with_defaults(lines, "partitionname")]


def _with_pairs(lines: tuple[ConfigLine, ...], line: ConfigLine, pairs: dict[str, Pair]) -> tuple[ConfigLine, ...]:
    return tuple(replace(each, pairs={**each.pairs, **pairs}) if each is line else each for each in lines)
