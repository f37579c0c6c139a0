"""Which hosts a job may use by their features: names joined by `&` (and) and `|` (or)."""

import re

from loadmaster.model.errors import InputError

_UNKNOWN = re.compile(r"[\[\]()*,]")


def parse_features(text: str) -> tuple[tuple[str, ...], ...]:
    """Alternatives, each a tuple of features that a host must all have; `&` binds before `|`.

    Raises:
        InputError: an empty name, or one of Slurm's bracketed and counted forms, such as `[a|b]` and `a*2`.

    Example:
        >>> parse_features("intel&gpu|amd")
        (('intel', 'gpu'), ('amd',))
    """
    if _UNKNOWN.search(text):
        rule = "features with brackets or counts are not modelled"
        raise InputError(text, rule, fix="join names by & (and) and | (or)")
    parts = tuple(tuple(name.strip() for name in part.split("&")) for part in text.split("|"))
    if not all(name for part in parts for name in part):
        raise InputError(text, "a feature without a name", fix="join names by & (and) and | (or)")
    return parts
