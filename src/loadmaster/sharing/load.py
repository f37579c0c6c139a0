"""Finds a sharing model by its name on the command line: a built-in, or `file.py:function`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from loadmaster.model.arrays import Floats
from loadmaster.rules.find import NO_SOURCES, Reference, Sources, given
from loadmaster.rules.function_checks import FunctionShape, check_function, draws_at_random
from loadmaster.rules.near import pick
from loadmaster.rules.parameters import instance_of, refuse_parameters
from loadmaster.rules.part import part_of
from loadmaster.sharing.model import Claims, SharingModel
from loadmaster.sharing.models import SHARING_MODELS

YIELDS = FunctionShape("a sharing model", "yields(demand, capacity)", (2, 3))
"""A sharing model of one's own; its third parameter is the claims."""
METHOD = FunctionShape("a sharing model", "yields(self, demand, capacity)", (3, 4))
"""The same as a method of a class."""


@dataclass(frozen=True)
class OwnModel:
    """A function of the user's as a `SharingModel`; `claiming` if it takes the claims too."""

    name: str
    function: Callable[..., Floats]
    claiming: bool = False

    def yields(self, demand: Floats, capacity: Floats, claims: Claims) -> Floats:
        """What the function returns (see `SharingModel`)."""
        return self.function(demand, capacity, claims) if self.claiming else self.function(demand, capacity)


def sharing_named(spec: str, sources: Sources = NO_SOURCES) -> SharingModel:
    """The built-in sharing model `spec`, or the user's function or class where `spec` reads `path/to/file.py:name`.

    A user's function takes (demand, capacity), or (demand, capacity, claims), and returns the yield of every task; a
    class has it as its method `yields`, and its parameters stand in parentheses.

    Args:
        spec: as on the command line.
        sources: text of files, taken instead of what stands on the disk.

    Raises:
        InputError: no such model, file or function, or a function that is no sharing model.

    Example:
        >>> sharing_named("water-filling")
        WaterFilling(name='water-filling')
    """
    part = part_of(spec)
    reference = Reference.of(part.name)
    if reference is None:
        return pick(spec, SHARING_MODELS, what="sharing model", see=f"known: {', '.join(SHARING_MODELS)}")[0]
    thing = reference.thing(sources.get(reference.path))
    if isinstance(thing, type):
        kind: Any = thing
        model = instance_of(kind, part, {}, "sharing model", "yields")
        number = check_function(kind.yields, reference, METHOD) - 1
        return OwnModel(spec, model.yields, claiming=number == 3)
    refuse_parameters(part)
    number = check_function(thing, reference, YIELDS)
    return OwnModel(spec, thing, claiming=number == 3)


def remarks_on_models(*specs: str) -> tuple[str, ...]:
    """What must be said of the user's functions among `specs`: whether a run with them can be repeated."""
    functions: dict[str, Any] = {
        spec: model.function for spec in given(specs) if type(model := sharing_named(spec)) is OwnModel
    }
    return tuple(
        f"{spec} draws at random without a seed, so a run with it cannot be repeated."
        for spec, function in functions.items()
        if draws_at_random(getattr(function, "__func__", function))
    )
