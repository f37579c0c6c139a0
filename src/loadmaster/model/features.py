"""Which hosts a job may use: features of hosts joined by `&` (and) and `|` (or), and names of hosts."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import product

from loadmaster.model.errors import InputError
from loadmaster.model.host_names import host_names

HOST = "host:"
"""Begins a term that a host has if it is in the list of hosts behind it, such as `host:n[1-4]`."""
NOT = "!"
Alternatives = tuple[tuple[str, ...], ...]
"""A host serves if it has all terms of one of these."""
MOST_ALTERNATIVES = 10_000
_HOST_TERM = re.compile(r"!?host:(?:[^&|()\[\]]|\[[^\]]*\])+")
_TOKEN = re.compile(rf"({_HOST_TERM.pattern}|[^&|()\[\]*,]+|.)", re.DOTALL)
_FIX = "join names by & (and) and | (or)"


def parse_features(text: str) -> Alternatives:
    """Alternatives, each a tuple of terms that a host must all have; `&` binds before `|`.

    Raises:
        InputError: an empty name, a count such as `a*2`, or brackets or parentheses that do not match.

    Example:
        >>> parse_features("intel&gpu|amd"), parse_features("(intel|amd)&!old")
        ((('intel', 'gpu'), ('amd',)), (('intel', '!old'), ('amd', '!old')))
    """
    return tuple(dict.fromkeys(part for choice in parse_choices(text) for part in choice))


@lru_cache(maxsize=1 << 12)
def parse_choices(text: str) -> tuple[Alternatives, ...]:
    """Alternatives for one host, for each of the choices `[...|...]` of which all hosts of a job take the same.

    Raises:
        InputError: as `parse_features`.

    Example:
        >>> parse_choices("[rack1|rack2]&gpu")
        ((('rack1', 'gpu'),), (('rack2', 'gpu'),))
    """
    tokens = [token.strip() for token in _TOKEN.findall(text) if token.strip()]
    if {"*", ","} & set(tokens):
        raise InputError(text, "features with counts are not modelled", fix=_FIX)
    found = _any_of(_operands(text, tokens, ""), text)
    if tokens:
        raise InputError(text, "brackets that do not match", fix=_FIX)
    return found


def has_choices(features: Collection[str]) -> bool:
    """Whether all hosts of some job must take the same of several choices."""
    return any(len(parse_choices(text)) > 1 for text in features)


def _operands(text: str, tokens: list[str], end: str) -> list[tuple[Alternatives, ...]]:
    """What stands between `|` up to the sign `end`, which is taken away like all before it."""
    operands = [_operand(text, tokens)]
    while tokens and tokens[0] == "|":
        tokens.pop(0)
        operands.append(_operand(text, tokens))
    if end and (not tokens or tokens.pop(0) != end):
        raise InputError(text, "brackets that do not match", fix=_FIX)
    return operands


def _operand(text: str, tokens: list[str]) -> tuple[Alternatives, ...]:
    """What stands between two `|`, up to a closing bracket."""
    found = _factor(text, tokens)
    while tokens and tokens[0] == "&":
        tokens.pop(0)
        pairs = product(found, _factor(text, tokens))
        found = tuple(tuple(tuple(dict.fromkeys(a + b)) for a, b in product(one, other)) for one, other in pairs)
        if sum(map(len, found)) > MOST_ALTERNATIVES:
            rule = f"more than {MOST_ALTERNATIVES:,} alternatives of features"
            raise InputError(text[:80], rule, fix="request fewer")
    return found


def _factor(text: str, tokens: list[str]) -> tuple[Alternatives, ...]:
    token = tokens.pop(0) if tokens else ""
    if token == "(":
        return _any_of(_operands(text, tokens, ")"), text)
    if token == "[":
        return tuple(choice for operand in _operands(text, tokens, "]") for choice in operand)
    if token in ("", "&", "|", ")", "]", NOT, HOST, NOT + HOST):
        raise InputError(text, "a feature without a name", fix=_FIX)
    if HOST in token[: len(NOT + HOST)]:
        host_names(_hosts_of_term(token))
    return (((token,),),)


def _any_of(operands: Sequence[tuple[Alternatives, ...]], text: str) -> tuple[Alternatives, ...]:
    if len(operands) == 1:
        return operands[0]
    if any(len(operand) > 1 for operand in operands):
        raise InputError(text, "a choice in brackets beside other alternatives is not modelled", fix=_FIX)
    return (tuple(part for operand in operands for part in operand[0]),)


def with_terms(features: str, terms: Collection[str]) -> str:
    """Features with terms that each alternative needs as well.

    Example:
        >>> with_terms("big|new&fast", ["x"]), with_terms("", ["x", "y"]), with_terms("[a|b]", ["x"])
        ('big&x|new&fast&x', 'x&y', '[a|b]&x')
    """
    more = "".join(f"&{term}" for term in terms)
    if any(sign in _HOST_TERM.sub("", features) for sign in "[("):
        return f"({features}){more}" if more and not features.startswith("[") else f"{features}{more}"
    return "|".join(f"{part}{more}" for part in features.split("|")).lstrip("&")


def replaced_terms(features: str, terms: Callable[[str], Sequence[str]]) -> str:
    """Features with others in place of each term, one of which is needed; empty if one alternative needs nothing."""
    choices = [
        ["&".join(filter(None, each)) for part in choice for each in product(*map(terms, part))]
        for choice in parse_choices(features)
    ]
    if not all(part for choice in choices for part in choice):
        return ""
    texts = list(dict.fromkeys("|".join(dict.fromkeys(choice)) for choice in choices))
    return texts[0] if len(texts) == 1 else "[" + "|".join(f"({text})" if "|" in text else text for text in texts) + "]"


def host_terms(features: str) -> list[str]:
    """The terms about names of hosts in a text that may be one of features."""
    return list(dict.fromkeys(_HOST_TERM.findall(features)))


def names_hosts(term: str) -> bool:
    """Whether a term is about names of hosts."""
    return term.removeprefix(NOT).startswith(HOST)


def hosts_that_serve(
    alternatives: Alternatives, names: Sequence[str], features: Sequence[Collection[str]]
) -> list[bool]:
    """Of each host whether it has all terms of one alternative.

    Args:
        alternatives: as `parse_features` gives them.
        names: of the hosts.
        features: of the hosts; () where those of none are known, so that only names bind.

    Example:
        >>> hosts_that_serve(parse_features("big&!host:n1"), ["n1", "n2", "n3"], [["big"], ["big"], []])
        [False, True, False]
    """
    listed = {
        term: set(host_names(_hosts_of_term(term))) for part in alternatives for term in part if names_hosts(term)
    }

    def has(term: str, host: int) -> bool:
        if term not in listed and not features:
            return True
        found = names[host] in listed[term] if term in listed else term.removeprefix(NOT) in features[host]
        return found != term.startswith(NOT)

    return [any(all(has(term, host) for term in part) for part in alternatives) for host in range(len(names))]


def _hosts_of_term(term: str) -> str:
    """The list of hosts in a term."""
    return term.removeprefix(NOT).removeprefix(HOST)
