"""Methods for time-shared clusters: the host of a task at its start, and the mover that migrates it later."""

from dataclasses import dataclass, replace
from typing import Any

from loadmaster.model.errors import InputError
from loadmaster.move.assign_u_r import AssignUR
from loadmaster.move.enhanced_mosix import EnhancedMosix
from loadmaster.move.mosix import Mosix
from loadmaster.move.mover import Mover, check_mover
from loadmaster.place import POLICIES, Policy
from loadmaster.place.load import policy_named
from loadmaster.rules.find import NO_SOURCES, Reference, Sources
from loadmaster.rules.near import pick
from loadmaster.rules.parameters import instance_of
from loadmaster.rules.part import part_of


@dataclass(frozen=True)
class Method:
    """A placement policy for time-shared hosts, with the mover that corrects it.

    A task is placed at once: there is no queue, hosts slow down instead.

    Attributes:
        policy: rates a host for a task, as on clusters whose hosts are held exclusively.
        mover: migrates tasks later; None for placements that are final.
        overcommit: True rates every host; False first those with room for the demand, if none those with room
            for all of it but the cores, if none all.
        scaled: the policy sees the CPU of a host as large as the load at which the cluster counts as full
            (`HostLoads.scale`), which is what an opportunity cost needs; else as its cores.
        blind: the policy does not see the demand, only a direction: one thread and the memory of the largest host.
    """

    name: str
    policy: Policy
    mover: Mover | None = None
    overcommit: bool = True
    scaled: bool = False
    blind: bool = False
    summary: str = ""
    source: str = ""

    @property
    def parameters(self) -> str:
        """The mover and its parameters as text, to stand with every result."""
        return repr(self.mover) if self.mover is not None else "no migration"


_PVM = POLICIES["round-robin"]
_COST = POLICIES["opportunity-cost"]
_ASSIGN_U = POLICIES["assign-u"]
_GREEDY = POLICIES["greedy-load"]
_AMIR = "Amir et al. 2000"

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("pvm", _PVM, summary="round robin, never moves", source=_AMIR),
        Method("e-pvm", _COST, scaled=True, summary="least opportunity cost, never moves", source=_AMIR),
        Method(
            "d-pvm", POLICIES["derivative-cost"], scaled=True, blind=True, summary="e-pvm without knowing the needs",
            source="Amir et al., later slides",
        ),
        Method("mosix", _PVM, Mosix(), summary="round robin, then load balancing (a reconstruction)", source=_AMIR),
        Method("e-mosix", _COST, EnhancedMosix(), scaled=True, summary="opportunity cost, moves as well", source=_AMIR),
        Method("assign-u", _ASSIGN_U, summary="exponential cost of CPU load, never moves", source="Aspnes et al. 1993"),
        Method(
            "assign-u-r", _ASSIGN_U, AssignUR(), summary="assign-u, moves when a task ends",
            source="Awerbuch et al. 1994",
        ),
        Method("greedy", _GREEDY, summary="smallest CPU load, never moves", source="Bartal et al. 1992"),
    )
}  # fmt: skip
"""Every method that has a name of its own; every placement policy is one as well (`method_named`)."""

MOVERS: dict[str, tuple[Mover, str, str]] = {
    "mosix": (Mosix(), "balances load, keeps some memory free (a reconstruction)", _AMIR),
    "enhanced-mosix": (EnhancedMosix(), "the move that lowers the opportunity cost most", _AMIR),
    "assign-u-r": (
        AssignUR(),
        "when a task ends, moves the tasks whose place has become too dear",
        "Awerbuch et al. 1994",
    ),
}
"""Every mover for time-shared hosts by its name on the command line: mover, summary, source."""


def method_named(spec: str, sources: Sources = NO_SOURCES) -> Method:
    """The method `spec`, or the placement policy `spec` used as one, built-in or `file.py:function`.

    A placement policy avoids hosts without room as long as there are others. With `+mosix`, `+enhanced-mosix`,
    `+assign-u-r` or `+file.py:Class` behind the name that mover corrects it; its parameters stand in parentheses.
    A file is taken from its text in `sources`, if it is there.

    Raises:
        InputError: no such method, policy or mover.

    Example:
        >>> method_named("e-pvm").mover is None, method_named("mix-fit+mosix").parameters[:20]
        (True, 'Mosix(period_s=1.0, ')
    """
    name, plus, mover = parts_of(spec)
    moving = mover_named(mover, sources) if plus else None
    if name in METHODS:
        method = METHODS[name]
    else:
        policy = policy_named(name, sources)
        method = Method(policy.name, policy, overcommit=False, summary=policy.summary, source=policy.source)
    return replace(method, name=spec, mover=moving) if plus else method


def mover_named(spec: str, sources: Sources = NO_SOURCES) -> Mover:
    """The mover that `spec` names: of `MOVERS`, or a user's class; parameters stand in parentheses.

    Raises:
        InputError: no such mover or parameter, or it lacks a part of a mover.

    Example:
        >>> mover_named("mosix(period_s=5)").period_s
        5.0
    """
    part = part_of(spec)
    reference = Reference.of(part.name)
    kind: Any = None
    if reference is None:
        mover = pick(part.name, MOVERS, what="mover", see=f"known: {', '.join(MOVERS)}, file.py:Class")[0]
        if not part.given:
            return mover
        kind = type(mover)
    else:
        kind = reference.thing(sources.get(reference.path))
    if not isinstance(kind, type):
        raise InputError(part.name, "a mover is a class", fix="give it name, period_s, fanout and turn(...)")
    made_mover: Mover = instance_of(kind, part, {}, "mover", "turn or next_move")
    check_mover(made_mover)
    return made_mover


def parts_of(spec: str) -> tuple[str, str, str]:
    """Method, `+` if a mover follows, mover; a path may hold a + of its own.

    Example:
        >>> parts_of("a+b.py:rule+mosix"), parts_of("pvm"), parts_of("pvm+mine.py:Mover(budget=3)")
        (('a+b.py:rule', '+', 'mosix'), ('pvm', '', ''), ('pvm', '+', 'mine.py:Mover(budget=3)'))
        >>> parts_of("mine.py:rule+a+b.py:Mover")
        ('mine.py:rule', '+', 'a+b.py:Mover')
    """
    ends = [at for at, sign in enumerate(spec.partition("(")[0]) if sign == "+"]
    for at in ends[::-1]:
        left = spec[:at]
        if left in METHODS or left in POLICIES or (Reference.of(left) and left.rpartition(":")[2].isidentifier()):
            return left, "+", spec[at + 1 :]
    known = ":" not in spec and bool(ends)  # no path: what stands before the plus is misspelled
    return (spec[: ends[0]], "+", spec[ends[0] + 1 :]) if known else (spec, "", "")
