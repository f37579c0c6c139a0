"""Finds a sizer by its name on the command line: a built-in, a number of machines, or `file.py:Class`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from loadmaster.model.errors import InputError
from loadmaster.rules.find import NO_SOURCES, Reference, Sources
from loadmaster.rules.near import pick
from loadmaster.rules.parameters import instance_of, refuse_parameters, values_of
from loadmaster.rules.part import Part, part_of
from loadmaster.sizing.baselines import FixedHosts, all_at_once, user_guess
from loadmaster.sizing.own import OwnSizer
from loadmaster.sizing.planner import Planner
from loadmaster.sizing.silva import SilvaRule
from loadmaster.sizing.snapshot import Sizer

SEE = "planner, silva, user-guess, all-at-once, a number of machines, or file.py:Class"


class BagKnowledge(NamedTuple):
    """What a sizer may be made with.

    Attributes:
        tasks: of the bag.
        unit_s: seconds of work that a machine does in one charging unit.
        usual: values for those parameters that a built-in sizer has and its name does not say, by name.
    """

    tasks: int
    unit_s: float = 3600.0
    usual: Mapping[str, Any] = {}


@dataclass(frozen=True)
class GuessParameters:
    """What the parameters of `user-guess` say; see `user_guess`."""

    guess_s: float = 0.0
    creation_ratio: float = 0.5
    increase_ratio: float = 0.5


def sizer_named(spec: str, knowledge: BagKnowledge, sources: Sources = NO_SOURCES) -> Sizer:
    """The sizer that `spec` says; parameters stand in parentheses.

    Args:
        spec: as on the command line.
        knowledge: of the bag.
        sources: text of files, taken instead of what stands on the disk.

    Raises:
        InputError: no such sizer, file, class or parameter.

    Example:
        >>> sizer_named("silva(overrun=kill)", BagKnowledge(10)).overrun, sizer_named("8", BagKnowledge(10)).count
        ('kill', 8)
    """
    part = part_of(spec)
    if Reference.of(part.name) is not None:
        return OwnSizer.of(spec, sources)
    if part.name.isdecimal() and int(part.name) > 0:
        refuse_parameters(part)
        return FixedHosts(int(part.name), name=part.name)
    return pick(part.name, _MAKERS, what="sizer", see=SEE, elsewhere=_ELSEWHERE)(part, knowledge)


def _of_class(kind: type[Any]) -> Callable[[Part, BagKnowledge], Sizer]:
    def of(part: Part, knowledge: BagKnowledge) -> Sizer:
        sizer: Sizer = instance_of(kind, part, knowledge.usual, "sizer", "decide")
        return sizer

    return of


def _fixed(part: Part, _known: BagKnowledge) -> Sizer:
    if part.given.get("count", "0") == "0":
        raise InputError("fixed", "does not say how many machines", fix="write fixed(count=8), or 8 alone")
    return FixedHosts(**values_of(FixedHosts, part))


def _all_at_once(part: Part, knowledge: BagKnowledge) -> Sizer:
    refuse_parameters(part)
    return all_at_once(knowledge.tasks)


def _user_guess(part: Part, knowledge: BagKnowledge) -> Sizer:
    says = GuessParameters(**values_of(GuessParameters, part, knowledge.usual))
    if not says.guess_s:
        raise InputError("user-guess", "needs the duration of a task", fix="--guess 5min, or user-guess(guess_s=300)")
    return user_guess(knowledge.tasks, says.guess_s, knowledge.unit_s, says.creation_ratio, says.increase_ratio)


Making = Callable[[Part, BagKnowledge], Sizer]
SIZERS: dict[str, tuple[Making | None, str, str]] = {
    "planner": (_of_class(Planner), "rents by a forecast that counts running tasks as not done; keeps a budget or a "
                "deadline", ""),
    "silva": (_of_class(SilvaRule), "after every result, machines for what the present ones cannot do",
              "Silva et al. 2008"),
    "user-guess": (_user_guess, "the same, begun with machines for a guessed duration", "Silva et al. 2008"),
    "all-at-once": (_all_at_once, "one machine a task", "BOINC, in Silva et al. 2008"),
    "fixed": (_fixed, "a given number of machines", ""),
    "oracle": (None, "as many as the work fills, known beforehand; for comparison only", "Silva et al. 2008"),
}  # fmt: skip
"""Every sizer by its name on the command line: what makes it, what it does, where it comes from."""
_MAKERS = {name: making for name, (making, *_) in SIZERS.items() if making is not None}
_ELSEWHERE = {
    "oracle": "it knows all durations in advance, which no real bag gives; the best row of `size` has that number"
}
