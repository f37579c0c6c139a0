"""Sizers of the user's own: a class or an object with `name`, `tick_s` and `decide(snapshot)`."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from loadmaster.model.errors import InputError, one_line
from loadmaster.rules.find import NO_SOURCES, Reference, Sources
from loadmaster.rules.parameters import instance_of
from loadmaster.rules.part import part_of
from loadmaster.rules.state import refuse_state
from loadmaster.sizing.snapshot import Actions, BagSnapshot, Sizer


@dataclass(frozen=True)
class OwnSizer:
    """A class of the user's as a `Sizer`, by its name and its text, so that it can be kept and sent elsewhere.

    Attributes:
        name: as it is given, with its parameters: `file.py:Class(part=2)`.
        text: of its file.
        tick_s: seconds between its looks.
    """

    name: str
    text: str
    tick_s: float

    @classmethod
    def of(cls, spec: str, sources: Sources = NO_SOURCES) -> "OwnSizer":
        """The sizer that `spec` says; a file is taken from its text in `sources`, if it is there.

        Raises:
            InputError: no such file, class or parameter, or it lacks what a sizer has.
        """
        reference = Reference.of(part_of(spec).name)
        if reference is None:
            raise InputError(spec, "names no class of a file", fix="write file.py:Class")
        text = sources[reference.path] if reference.path in sources else reference.text()
        return cls(spec, text, float(_sizer(spec, text).tick_s))

    def decide(self, snapshot: BagSnapshot) -> Actions:
        """What the class decides, if that can be done.

        Raises:
            InputError: it fails, or requests what is not there.
        """
        return sound_actions(_sizer(self.name, self.text), snapshot, self.name)


def checked_sizer(given: Any) -> Sizer:
    """`given` as a sizer; a class is called without arguments.

    Raises:
        InputError: it lacks what a sizer has, or cannot be made.
    """
    called = given.__name__ if isinstance(given, type) else type(given).__name__
    refuse_state(given if isinstance(given, type) else type(given), "")
    candidate = given
    if isinstance(given, type):
        try:
            candidate = given()
        except Exception as error:  # whatever the user's own raises
            why = one_line(f"{type(error).__name__}: {error}", 100)
            raise InputError(called, f"this sizer cannot be made: {why}", fix="give every field a default") from error
    lacks = [name for name in ("name", "tick_s", "decide") if not hasattr(candidate, name)]
    if lacks:
        fix = "give it name, tick_s and decide(self, snapshot) -> Actions"
        raise InputError(called, f"this is not a sizer: it has no {' and no '.join(lacks)}", fix=fix)
    if not (isinstance(candidate.tick_s, int | float) and candidate.tick_s > 0):
        raise InputError(
            candidate.tick_s, "the seconds between two calls of a sizer must be more than zero", where=called
        )
    sizer: Sizer = candidate
    return sizer


def sound_actions(sizer: Sizer, snapshot: BagSnapshot, name: str) -> Actions:
    """What `sizer` requests.

    Raises:
        InputError: it fails, gives no `Actions`, or requests what is not there.
    """
    try:
        actions = sizer.decide(snapshot)
    except Exception as error:  # whatever the user's own raises
        why = one_line(f"{type(error).__name__}: {error}", 100)
        raise InputError(name, f"this sizer fails: {why}") from error
    if type(actions) is not Actions:
        rule = f"a sizer gives Actions, not {type(actions).__name__}"
        raise InputError(name, rule, fix="write `return Actions()`, of loadmaster.sizing")
    for kind, number in actions.rent:
        if kind not in range(len(snapshot.types)) or number != int(number) or number < 0:
            rule = f"rents {number} machines of type {kind}, of which there are {len(snapshot.types)}"
            raise InputError(name, rule, fix="types count from 0, machines are whole")
    unknown = set(actions.release) - {host.host for host in snapshot.hosts}
    if unknown:
        raise InputError(name, f"gives back machine {min(unknown)}, which is not rented", fix="see snapshot.hosts")
    return actions


@lru_cache(maxsize=64)
def _sizer(spec: str, text: str) -> Sizer:
    part = part_of(spec)
    reference = Reference.of(part.name)
    kind: Any = None if reference is None else reference.thing(text)
    if not isinstance(kind, type):
        raise InputError(part.name, "a sizer is a class", fix="give it name, tick_s and decide(self, snapshot)")
    return checked_sizer(instance_of(kind, part, {}, "sizer", "decide"))
