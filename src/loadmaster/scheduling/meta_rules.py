"""Every meta-rule by its name, and how the command line names one: a built-in, or `file.py:Class`."""

from itertools import chain
from typing import Any

from loadmaster.model.errors import InputError
from loadmaster.place.load import remarks_on as remarks_on_policies
from loadmaster.place.trial import remarks
from loadmaster.rules.find import NO_SOURCES, Reference, Sources
from loadmaster.rules.parameters import instance_of
from loadmaster.rules.part import Part, part_of
from loadmaster.scheduling.max_jobs import MaxJobs
from loadmaster.scheduling.meta_rule import MetaRule, members_of

META_RULES: dict[str, tuple[type[Any], str, str]] = {
    "max-jobs": (MaxJobs, "in every cycle, the member that starts most jobs", "Shai 2014"),
}
"""Every meta-rule by its name on the command line: class, summary, source."""


def meta_rule_named(spec: str, sources: Sources = NO_SOURCES, **usual: Any) -> MetaRule | None:
    """The meta-rule that `spec` names, parameters in parentheses; None if it names something else.

    Args:
        spec: as on the command line.
        sources: text of files, taken instead of the files on disk.
        usual: parameters for a meta-rule that has them and does not say otherwise.

    Raises:
        InputError: a class that is no meta-rule, a parameter that it does not have, or no members.

    Example:
        >>> meta_rule_named("max-jobs(target=cores)").target
        'cores'
        >>> meta_rule_named("mix-fit") is None
        True
    """
    part = part_of(spec)
    own = _rule_in_process(part)
    if own is not None:
        members_of(own)
        return own
    kind: type[Any] | None = META_RULES[part.name][0] if part.name in META_RULES else _class_named(part, sources)
    if kind is None:
        return None
    if not hasattr(kind, "members"):
        fix = 'give it members = ("mix-fit", "best-fit-cores", ...)'
        raise InputError(part.name, "this meta-rule does not name the rules that it chooses from", fix=fix)
    rule: MetaRule = instance_of(kind, part, usual, "meta-rule", "choose")
    if not hasattr(rule, "name"):
        object.__setattr__(rule, "name", part.name)
    members_of(rule)
    return rule


def name_of(spec: str) -> str:
    """The name in `spec`, without parameters."""
    return part_of(spec).name


def remarks_on(*specs: str) -> tuple[str, ...]:
    """Remarks on the user's functions among `specs`, and among the members of meta-rules there."""
    said: dict[str, None] = {}
    for spec in specs:
        rule = meta_rule_named(spec)
        said |= dict.fromkeys(remarks_on_policies(spec) if rule is None else chain(*map(remarks, members_of(rule))))
    return tuple(said)


def _rule_in_process(part: Part) -> MetaRule | None:
    """The object of this process that `part` names, if it is a meta-rule."""
    reference = Reference.of(part.name)
    if reference is None or not reference.is_in_process:
        return None
    thing = reference.thing()
    return thing if hasattr(thing, "choose") and hasattr(thing, "members") and hasattr(thing, "name") else None


def _class_named(part: Part, sources: Sources) -> type[Any] | None:
    reference = Reference.of(part.name)
    if reference is None:
        return None
    thing = reference.thing(sources.get(reference.path))
    return thing if isinstance(thing, type) else None
