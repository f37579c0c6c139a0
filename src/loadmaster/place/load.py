"""Finds a placement policy by its name on the command line: a built-in, or `file.py:function`."""

from collections.abc import Mapping
from dataclasses import replace
from types import FunctionType
from typing import cast

from loadmaster.place import FACTORIES, POLICIES
from loadmaster.place.policy import Policy
from loadmaster.place.policy_in_process import policy_in_process
from loadmaster.place.trial import remarks
from loadmaster.rules.find import NO_SOURCES, Reference, Sources, given
from loadmaster.rules.function_checks import check_function
from loadmaster.rules.near import pick
from loadmaster.rules.parameters import arguments_of, refuse_parameters
from loadmaster.rules.part import Part


def policy_named(spec: str, sources: Sources = NO_SOURCES, elsewhere: Mapping[str, str] = {}) -> Policy:
    """The built-in policy `spec`, or the user's function where `spec` reads `path/to/file.py:function`.

    A user's function takes (demand, free, capacity), or (demand, free, capacity, context) to see the rest.

    Args:
        spec: as on the command line.
        sources: text of files, taken instead of what stands on the disk.
        elsewhere: names of other kinds, and where they are taken (see `pick`).

    Raises:
        InputError: no such policy, file, function or parameter, or a function that is no policy.

    Example:
        >>> policy_named("mix-fit").source, policy_named("borg-like(w=0.25)").name
        ('Shai 2014', 'borg-like(w=0.25)')
    """
    head = spec.partition("(")[0].strip()
    if head in POLICIES and head != spec:
        return _with_parameters(Part.of(spec), spec)
    reference = Reference.of(spec)
    if reference is None:
        return pick(spec, POLICIES, what="placement policy", elsewhere=elsewhere)
    if reference.is_in_process:
        return policy_in_process(spec, reference.thing(sources.get(reference.path)))
    score = reference.function(sources.get(reference.path))
    contextual = check_function(score, reference) == 4
    return Policy(spec, score, "your own policy", reference.path, contextual=contextual, varies=contextual)


def _with_parameters(part: Part, spec: str) -> Policy:
    """A built-in policy, made anew with parameters of its own."""
    if part.name not in FACTORIES:
        refuse_parameters(part)
        return pick(part.name, POLICIES, what="placement policy")
    factory = FACTORIES[part.name]
    score = factory(**arguments_of(cast(FunctionType, factory), part, ()))
    usual = POLICIES[part.name]
    but = f", but {', '.join(f'{name}={value}' for name, value in part.given.items())}" if part.given else ""
    return replace(usual, name=spec, score=score, summary=usual.summary + but)


def remarks_on(*specs: str) -> tuple[str, ...]:
    """What must be said of the user's functions among `specs`: whether a run with them can be repeated."""
    return tuple(remark for spec in given(specs) for remark in remarks(policy_named(spec)))
