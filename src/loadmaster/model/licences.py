"""Licences and burst buffers that jobs request: amounts of the whole cluster, which belong to no host."""

import re
from dataclasses import replace

from loadmaster.model.cluster import Cluster
from loadmaster.model.errors import InputError
from loadmaster.model.limits import Amounts
from loadmaster.model.site_rules import SiteRules
from loadmaster.model.units import show_bytes

BURST_BUFFER = "bb/"
"""Names that begin with this are burst buffers, in bytes."""
FORM = "join NAME:AMOUNT by commas, as in matlab:2,bb/scratch:500G"
_ONE = re.compile(r"([^\s,;:=|()]+)(?:[:=](\d+(?:\.\d+)?)([KMGTP]?))?")
_POWER = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def parse_licences(text: str) -> Amounts:
    """Name and amount of each licence in `text`; an amount that is left out is 1.

    `K`, `M`, `G`, `T` and `P` behind an amount are powers of 1024. A name that comes twice counts once, with the sum.

    Raises:
        InputError: a part that does not read so, such as Slurm's `a|b` (one or the other).

    Example:
        >>> parse_licences("matlab:2,fluent"), parse_licences("bb/scratch:1K")
        ((('matlab', 2.0), ('fluent', 1.0)), (('bb/scratch', 1024.0),))
    """
    amounts: dict[str, float] = {}
    for part in (part.strip() for part in text.split(",")):
        match = _ONE.fullmatch(part)
        if match is None:
            raise InputError(part, "no licence with an amount", fix=FORM)
        name, number, unit = match.groups()
        amount = float(number or 1) * 1024.0 ** _POWER[unit or ""]
        if amount % 1 or amount >= 2**53:
            raise InputError(part, "an amount of a licence is a whole number below 2**53", fix=FORM)
        amounts[name] = amounts.get(name, 0.0) + amount
    return tuple(amounts.items())


def licences_text(amounts: Amounts) -> str:
    """The same as one text.

    Example:
        >>> licences_text((("matlab", 2.0), ("bb/scratch", 1024.0)))
        'matlab:2,bb/scratch:1024'
    """
    return ",".join(f"{name}:{amount:.15g}" for name, amount in amounts)


def with_licences(cluster: Cluster, licences: Amounts) -> Cluster:
    """The cluster with these licences beside its own; one of the same name replaces its own."""
    rules = cluster.rules or SiteRules()
    both = tuple({**dict(rules.licences), **dict(licences)}.items())
    return replace(cluster, rules=replace(rules, licences=both))


def show_amount(name: str, amount: float) -> str:
    """An amount for people: bytes of a burst buffer with their unit."""
    return show_bytes(amount) if name.startswith(BURST_BUFFER) else f"{amount:,.15g}"
