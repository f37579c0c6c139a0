"""All rules that a search may find: knobs, and a candidate's values as text that can be run (rule U4)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

from loadmaster.model import InputError
from loadmaster.model.arrays import Floats
from loadmaster.rules.find import Reference, Sources, sources
from loadmaster.rules.part import Part
from loadmaster.runs.case import Case
from loadmaster.runs.setting import Setting, discipline_of, policy_of, sources_of
from loadmaster.scheduling.notation import USUAL_ORDER, order_and_backfilling
from loadmaster.tuning.backfillings import backfilling_knobs, backfilling_text, usual_backfilling
from loadmaster.tuning.knobs import Knob, Value, Values
from loadmaster.tuning.orders import AGEING, first_orders, order_knobs, order_text
from loadmaster.tuning.placements import first_placements, placement_knobs, placement_text
from loadmaster.tuning.slurm_parameters import one_by_one, refuse_other_queues, slurm_discipline, slurm_knobs
from loadmaster.tuning.trees import cut, expression, first_trees, tree_knobs, tree_text

FILE = "winner.py"
"""The name under which the functions of candidates run; the winner's file bears it."""
PartName = Literal["order", "placement", "tree", "backfilling", "slurm"]
PARTS: tuple[PartName, ...] = get_args(PartName)
_SCORES: tuple[PartName, ...] = ("placement", "tree")
"""Two forms of one function: a weighted sum, and an expression."""


@dataclass(frozen=True, eq=False)
class Space:
    """What is searched, and what stays as it is.

    Attributes:
        parts: what is searched.
        base: gives whatever is not searched: placement, order, backfilling, cycle.
        knobs: all that is searched, in a fixed order.
        resources: names of the R resources.
        largest: float64[R], the most of each that a host has.
        cores: that all hosts have together, each times its speed.
    """

    parts: tuple[PartName, ...]
    base: Setting
    knobs: tuple[Knob, ...]
    resources: tuple[str, ...]
    largest: Floats
    cores: float

    def of(self, part: PartName) -> tuple[Knob, ...]:
        """The knobs of one part."""
        return tuple(knob for knob in self.knobs if knob.part == part)

    @property
    def places(self) -> bool:
        """Whether placements are searched, in either form."""
        return any(part in self.parts for part in _SCORES)

    @property
    def writes(self) -> bool:
        """Whether a candidate is a function in a file, and not only parameters of a built-in backfilling."""
        return self.places or "order" in self.parts

    def text(self, values: Values) -> str:
        """The functions of a candidate; empty where only a backfilling is searched."""
        parts = []
        if "order" in self.parts:
            parts.append(order_text(self.of("order"), values, self.cores))
        if "placement" in self.parts:
            parts.append(placement_text(self.of("placement"), values, self.resources, self.largest))
        if "tree" in self.parts:
            parts.append(tree_text(values, self.resources, self.largest))
        return "\n\n".join(parts)

    def described(self, values: Values) -> list[tuple[str, str, str]]:
        """A candidate in lines: a term, its value, what it does; terms of no weight are left out."""
        lines = [
            (knob.term, f"{values[knob.name]}", knob.meaning)
            for knob in self.knobs
            if knob.part != "tree" and values[knob.name] != knob.off
        ]
        return lines + ([("score", expression(values), _LOWEST)] if "tree" in self.parts else [])

    def setting(self, values: Values, path: str) -> Setting:
        """A candidate as it runs, its functions in the file `path`."""
        if "slurm" in self.parts:
            return replace(self.base, discipline=slurm_discipline(self.base, self.knobs, values))
        order, backfilling = order_and_backfilling(self.base.discipline)
        if "order" in self.parts:
            order = f"{path}:rank"
        if "backfilling" in self.parts:
            part = Part.of(backfilling)
            backfilling = backfilling_text(part.name, part.given, self.of("backfilling"), values)
        policy = f"{path}:score" if self.places else self.base.policy
        return replace(self.base, policy=policy, discipline=f"{order}+{backfilling}")

    def name(self, values: Values) -> tuple[str, str]:
        """What tells a candidate from another: as it is written."""
        return self.text(values), self.setting(values, FILE).discipline

    def sources(self, values: Values, path: str) -> dict[str, str]:
        """The text of every file that a candidate takes a function from; only those of the user's are read."""
        texts: dict[str, str] = dict(self.own_sources)
        if text := self.text(values):
            texts[path] = text
        return texts

    @cached_property
    def own_sources(self) -> Sources:
        """The text of those files of the user's that the base takes something from that is not searched."""
        order, backfilling = order_and_backfilling(self.base.discipline)
        named = [() if self.places else (self.base.policy,), () if "order" in self.parts else (order,)]
        specs = [Part.of(each).name for group in (*named, (backfilling,)) for each in group]
        return sources(*(spec for spec in specs if Reference.of(spec) is not None))

    def first(self) -> list[dict[str, Value]]:
        """Candidates to begin with: those of each part in turn, the others' going round beside them."""
        lists: list[list[dict[str, Value]]] = []
        if "slurm" in self.parts:
            lists.append(one_by_one(self.knobs))
        if "order" in self.parts:
            lists.append(first_orders(self.of("order")))
        if "placement" in self.parts:
            lists.append(first_placements(self.of("placement")))
        if "tree" in self.parts:
            lists.append(first_trees(self.resources))
        if "backfilling" in self.parts:
            lists.append([usual_backfilling(self.of("backfilling"))])
        most = max(map(len, lists))
        return [{name: value for each in lists for name, value in each[k % len(each)].items()} for k in range(most)]

    def without(self, values: Values) -> list[tuple[Knob, dict[str, Value]]]:
        """The candidate with one term taken out, for each term that it has (rule U12)."""
        taken: list[tuple[Knob, dict[str, Value]]] = []
        for knob in (each for each in self.knobs if each.part != "tree"):
            if knob.off is not None and values[knob.name] != knob.off:
                taken.append((knob, {**values, knob.name: knob.off}))
            elif knob.name == AGEING:
                taken.append((knob, {name: value for name, value in values.items() if name != knob.name}))
        return taken + (cut(self.of("tree"), values) if "tree" in self.parts else [])


def space_of(case: Case, parts: Sequence[PartName], base: Setting, longest_s: float) -> Space:
    """What can be searched on these jobs and hosts.

    Args:
        case: jobs and hosts of the training weeks.
        parts: to be searched.
        base: whatever is not searched.
        longest_s: the longest wait that is allowed there.

    Raises:
        InputError: the base is no order with a backfilling, or its backfilling has nothing to search.
    """
    resources = case.cluster.resources
    knobs: tuple[Knob, ...] = ()
    if "order" in parts:
        knobs += order_knobs(longest_s, memory=len(resources) > 1 and bool((case.workload.demand[:, 1] > 0).any()))
    if "placement" in parts:
        knobs += placement_knobs(resources)
    if "tree" in parts:
        knobs += tree_knobs(resources)
    if "backfilling" in parts:
        knobs += _searched_backfilling(base, parts)
    if "slurm" in parts:
        knobs += slurm_knobs(base, case.cluster)
    ordered = tuple(part for part in PARTS if part in parts)
    hosts, speed = case.cluster.capacity, case.cluster.speed
    assert speed is not None
    return Space(ordered, base, knobs, resources, hosts.max(axis=0), float(hosts[:, 0] @ speed))


_LOWEST = "the lowest rated host that fits is taken"


def refuse_base(base: Setting, parts: Sequence[PartName]) -> None:
    """See, before a log is read, that what is not searched can be run, and that there is something to search.

    Raises:
        InputError: no such policy, order or backfilling, a backfilling that has nothing to search, or both forms of
            a placement.
    """
    if all(part in parts for part in _SCORES):
        fix = "search one of them; compare takes the winners of both"
        raise InputError(",".join(_SCORES), "a placement is a weighted sum or a tree, not both", fix=fix)
    if "slurm" in parts:
        if len(parts) > 1:
            fix = "search slurm alone, or leave it out"
            raise InputError(",".join(parts), "the parameters of Slurm are searched by themselves", fix=fix)
        refuse_other_queues(base)
    texts = sources_of(base)
    policy_of(base, texts)
    discipline_of(base, texts)
    order_and_backfilling(base.discipline)
    if FILE in texts:
        raise InputError(FILE, "the winner is written under this name", fix="give your own file another one")
    if "backfilling" in parts:
        _searched_backfilling(base, parts)


def _searched_backfilling(base: Setting, parts: Sequence[PartName]) -> tuple[Knob, ...]:
    order, backfilling = order_and_backfilling(base.discipline)
    return backfilling_knobs(Part.of(backfilling).name, by_arrival=order == USUAL_ORDER and "order" not in parts)
