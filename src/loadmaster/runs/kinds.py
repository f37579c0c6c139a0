"""Every kind of rule that can be named, from the registries, and the options that take it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple, Protocol

from loadmaster.backfilling import BACKFILLINGS
from loadmaster.model.constraints import COLUMNS
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.packing.solve import PACKERS
from loadmaster.place import POLICIES
from loadmaster.rules.near import no_such, pick
from loadmaster.scheduling.estimate_model import SOURCES
from loadmaster.scheduling.meta_rules import META_RULES
from loadmaster.scheduling.notation import WHOLE
from loadmaster.scheduling.time_shared import METHODS, MOVERS
from loadmaster.sharing.models import SHARING_MODELS
from loadmaster.sharing.vm_choice import VM_CHOICES
from loadmaster.sizing import SIZERS
from loadmaster.traces.formats import FORMATS


class NamedRule(NamedTuple):
    """One thing that can be named.

    Attributes:
        name: as it is typed; with a colon the form in which one of the user's own is named.
        summary: what it does.
        source: where it was published, or nothing.
    """

    name: str
    summary: str
    source: str = ""


class NamedObjects(Protocol):
    """What a registry of objects holds."""

    @property
    def name(self) -> str:
        """As it is typed."""

    @property
    def summary(self) -> str:
        """What it does."""

    @property
    def source(self) -> str:
        """Where it was published."""


@dataclass(frozen=True)
class Kind:
    """A kind of rule.

    Attributes:
        name: as `loadmaster policies --kind` takes it.
        registry: all of it, in the order of their registry.
        taken: what a name of it is, and where it is taken: said where it is given in the wrong place.
    """

    name: str
    registry: Callable[[], tuple[NamedRule, ...]]
    taken: str

    @cached_property
    def rules(self) -> tuple[NamedRule, ...]:
        """All of it, in the order of their registry."""
        return self.registry()


def named(registry: Mapping[str, NamedObjects]) -> tuple[NamedRule, ...]:
    """The rules of a registry whose values know name, summary and source themselves."""
    return tuple(NamedRule(each.name, each.summary, each.source) for each in registry.values())


def described(registry: Mapping[str, tuple[Any, ...]]) -> tuple[NamedRule, ...]:
    """The rules of a registry whose values end with summary and source."""
    return tuple(NamedRule(name, *entry[-2:]) for name, entry in registry.items())


_PLACEMENT = "it is a placement policy: give it to --policies"
_DISCIPLINE = "it is a discipline: give it to --disciplines"
_OWN_POLICY = NamedRule("file.py:function", "a policy of your own: score(demand, free, capacity), lower is better")
_OWN_META = NamedRule(
    "file.py:Class", "a meta-rule of your own: a class with members and choose(self, snapshot, trials)"
)
_OWN_ORDER = NamedRule(
    "file.py:function", "an order of your own: rank(job, now) or rank(job, now, backlog), lower goes first"
)
_OWN_BACKFILLING = NamedRule("file.py:Class", "a backfilling of your own: a class with serve(self, this_pass)")
_FRACTIONAL = NamedRule("fractional", "CPU by yield, repacked by a packer", "Casanova et al. 2008")
_OWN_MODEL = NamedRule(
    "file.py:function", "a sharing model of your own: yields(demand, capacity), CPU received over CPU requested"
)
_OWN_PACKER = NamedRule("file.py:function", "a packer of your own: pack(instance), the host of every task, -1 for none")
_OWN_MOVER = NamedRule("file.py:Class", "a mover of your own: a class with name, period_s, fanout and turn(...)")
_OWN_SIZER = NamedRule("file.py:Class", "a sizer of your own: a class with name, tick_s and decide(snapshot)")

GENERATORS: Mapping[str, tuple[str, str]] = {
    "netbatch": ("a log like that of one of Intel's pools, with its machines", "Shai 2014"),
    "opportunity": ("jobs with Pareto work and memory, a few of them parallel, with machines", "Amir et al. 2000"),
    "virtual-clusters": ("tasks of one VM each, to be packed", "Casanova et al. 2008"),
    "virtual-jobs": ("parallel jobs, to be packed", "Casanova et al. 2008"),
    "lublin": ("a log of rigid parallel jobs, with its machine", "Lublin and Feitelson 2003"),
    "bag": ("durations of a bag of tasks, drawn from a law", ""),
}
"""Every kind of `loadmaster generate`: what it makes, where it comes from."""
_OWN_GENERATOR = NamedRule(
    "file.py:function", "a generator of your own: jobs(seed, ...), a log or a bag; also wherever a log is named"
)

_OWN_FACTOR = NamedRule("a number", "what the user said times that")


KINDS: tuple[Kind, ...] = (
    Kind("placement", lambda: (*named(POLICIES), _OWN_POLICY), _PLACEMENT),
    Kind("meta-rule", lambda: (*described(META_RULES), _OWN_META), "it is a meta-rule: give it to --policies"),
    Kind("packer", lambda: (*named(PACKERS), _OWN_PACKER), "it is a packer: `loadmaster pack --method` takes it"),
    Kind("order", lambda: (*named(ORDERS), *described(ORDERS_WITH_MEMORY), _OWN_ORDER), _DISCIPLINE),
    Kind("backfilling", lambda: (*described(BACKFILLINGS), _OWN_BACKFILLING), _DISCIPLINE),
    Kind("discipline", lambda: described(WHOLE), _DISCIPLINE),
    Kind("method", lambda: (*named(METHODS), _FRACTIONAL), "it is a method of `loadmaster share`: --methods takes it"),
    Kind("sharing-model", lambda: (*described(SHARING_MODELS), _OWN_MODEL),
         "it is a sharing model: give it to --sharing"),
    Kind("mover", lambda: (*described(MOVERS), _OWN_MOVER),
         "it moves tasks of shared machines: `loadmaster share --methods POLICY+MOVER`"),
    Kind("sizer", lambda: (*described(SIZERS), _OWN_SIZER), "it is a sizer: `loadmaster size` and `run` take it"),
    Kind("generator", lambda: (*described(GENERATORS), _OWN_GENERATOR),
         "it is a generator: `loadmaster generate` takes it"),
    Kind("vm-choice", lambda: described(VM_CHOICES), "it is a choice of virtual machines: `share --methods` takes it"),
    Kind("constraint", lambda: tuple(NamedRule(name, each.words) for name, each in COLUMNS.items()),
         "it is a constraint, a column of jobs: --ignore leaves it aside"),
    Kind("estimates", lambda: (*described(SOURCES), _OWN_FACTOR),
         "it is a source of estimates: give it to --estimates"),
    Kind("format", lambda: tuple(NamedRule(name, each.summary) for name, each in FORMATS.items()),
         "it is a format of logs: give it to --format"),
)  # fmt: skip
"""Every kind; a new registry is one line here, and `loadmaster policies` lists it. A name of two is said to be of the
first."""


def listed(kind: str | None = None, part: str | None = None) -> Iterator[tuple[str, NamedRule]]:
    """Kind and rule of all that can be named: of one kind, or with `part` in the name.

    Raises:
        InputError: no such kind, or no rule with such a name.

    Example:
        >>> [rule.name for _, rule in listed("packer", "mcb") if rule.name < "mcb3"]
        ['mcb2', 'mcb1']
    """
    table = {each.name: each for each in KINDS}
    among = KINDS if kind is None else (pick(kind, table, what="kind of rule", see=f"known: {', '.join(table)}"),)
    rows = [(each.name, rule) for each in among for rule in each.rules]
    chosen = [row for row in rows if part is None or part.lower() in row[1].name.lower()]
    if not chosen and part is not None:
        rule, see = "rule" if kind is None else f"rule of kind {kind}", "see `loadmaster policies` without a name"
        kinds = table if kind is None else ()
        raise no_such(part, [*kinds, *(row[1].name for row in rows)], what=rule, see=see)
    yield from chosen


@cache
def elsewhere(wanted: str) -> dict[str, str]:
    """For every name that is no `wanted` but something else: what it is, and what to write, in words.

    Args:
        wanted: `placement policy` or `discipline`.

    Example:
        >>> elsewhere("placement policy")["e-pvm"]
        'it is a method of `loadmaster share`, which places by opportunity-cost: use that here, or `share`'
        >>> elsewhere("discipline")["mix-fit"]
        'it is a placement policy: give it to --policies'
    """
    here = ("placement",) if wanted == "placement policy" else ("order", "backfilling", "discipline")
    barred = {rule.name for kind in KINDS if kind.name in here for rule in kind.rules}
    hints: dict[str, str] = {}
    for kind in KINDS:
        for rule in kind.rules:
            words = _method(rule.name) if kind.name == "method" and rule.name in METHODS else kind.taken
            hints.setdefault(rule.name, words)
    return {name: words for name, words in hints.items() if name not in barred}


def _method(name: str) -> str:
    policy = METHODS[name].policy.name
    return f"it is a method of `loadmaster share`, which places by {policy}: use that here, or `share`"
