"""Finds a placement policy by its name on the command line: a built-in, or `file.py:function`."""

from collections.abc import Mapping

from loadmaster.place import POLICIES
from loadmaster.place.policy import Policy
from loadmaster.place.trial import remarks
from loadmaster.rules.find import NO_SOURCES, Reference, Sources, given
from loadmaster.rules.near import pick
from loadmaster.rules.sound import check_function


def policy_named(spec: str, sources: Sources = NO_SOURCES, elsewhere: Mapping[str, str] = {}) -> Policy:
    """The built-in policy `spec`, or the user's function where `spec` reads `path/to/file.py:function`.

    A user's function takes (demand, free, capacity), or (demand, free, capacity, context) to see the rest.

    Args:
        spec: as on the command line.
        sources: text of files, taken instead of what stands on the disk.
        elsewhere: names of other kinds, and where they are taken (see `pick`).

    Raises:
        InputError: no such policy, file or function, or a function that is no policy.

    Example:
        >>> policy_named("mix-fit").source
        'Shai 2014'
    """
    reference = Reference.of(spec)
    if reference is None:
        return pick(spec, POLICIES, what="placement policy", elsewhere=elsewhere)
    score = reference.function(sources.get(reference.path))
    contextual = check_function(score, reference) == 4
    return Policy(spec, score, "your own policy", reference.path, contextual=contextual, varies=contextual)


def remarks_on(*specs: str) -> tuple[str, ...]:
    """What must be said of the user's functions among `specs`: whether a run with them can be repeated."""
    return tuple(remark for spec in given(specs) for remark in remarks(policy_named(spec)))
