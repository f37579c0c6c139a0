"""What a job of Slurm asks of its hosts (`-C`, `-w`, `-x`), as features of loadmaster."""

import re

from loadmaster.model.errors import InputError
from loadmaster.model.features import HOST, NOT, parse_features

_COUNTED = re.compile(r"((?:[^&|()\[\]*]+|\([^()]*\)))\*([0-9]+)")


def features_asked(text: str, hosts: int) -> str:
    """What a job of `hosts` hosts requests in Slurm's notation, without the counts that all its hosts meet.

    Raises:
        InputError: it requests different features on different hosts, or more hosts than it takes.

    Example:
        >>> features_asked("(intel|amd)*4", hosts=4), features_asked("[rack1|rack2]", hosts=1)
        ('(intel|amd)', '(rack1|rack2)')
    """
    if any(int(count) != hosts for _, count in _COUNTED.findall(text)) or re.search(r"\[[^\]]*&[^\]]*\*", text):
        rule = "features of some of the hosts of a job are not modelled"
        raise InputError(text, rule, fix="request features that all its hosts have")
    plain = _COUNTED.sub(r"\1", text).replace(",", "&")
    plain = plain.replace("[", "(").replace("]", ")") if hosts == 1 else plain
    parse_features(plain)
    return plain


def hosts_asked_for(named: str, without: str) -> list[str]:
    """Terms for the hosts that a job must be on, all of them in the list `named`, and for those it must not be on.

    Example:
        >>> hosts_asked_for("n[1-2]", ""), hosts_asked_for("", "n7,login")
        (['host:n[1-2]'], ['!host:n7,login'])
    """
    return [f"{sign}{HOST}{text}" for sign, text in (("", named), (NOT, without)) if text]
