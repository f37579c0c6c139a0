"""Lines of `sacctmgr dump`: `Cluster - `, `Parent - `, `Account - `, `User - ` with settings separated by colons."""

import re

from loadmaster.model import InputError
from loadmaster.site.account_table import AssociationRow
from loadmaster.site.lines import Pair

_LINE = re.compile(r"(cluster|parent|account|user)\s+-\s+(.+)", re.IGNORECASE)
_PART = re.compile(r"""((?:'[^']*'|"[^"]*"|[^:'"])*)(?::|$)""")


class DumpRows:
    """Takes a dump line by line; what is said of an account or user belongs to the parent named before it."""

    def __init__(self) -> None:
        self.associations: list[AssociationRow] = []
        self._cluster = ""
        self._parent = "root"

    def take(self, line: str, where: str) -> bool:
        """A line of a dump; False if it is none.

        Raises:
            InputError: quotes that do not close, or a setting without a value.
        """
        match = _LINE.fullmatch(line)
        if match is None:
            return False
        name, *settings = _parts(match[2], where)
        kind, lower = match[1].lower(), name.lower()
        pairs = dict(_pair(setting, where) for setting in settings)
        if kind == "cluster":
            self._cluster = lower
            pairs |= {"account": Pair("Account", "root", where)}
            self.associations.append(AssociationRow(pairs, where, lower, "root"))
        elif kind == "parent":
            self._parent = lower
        elif kind == "account":
            pairs["account"] = Pair("Account", name, where)
            self.associations.append(AssociationRow(pairs, where, self._cluster, lower, self._parent))
        else:
            pairs["user"] = Pair("User", name, where)
            self.associations.append(AssociationRow(pairs, where, self._cluster, self._parent))
        return True


def _parts(text: str, where: str) -> list[str]:
    parts, at = [], 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            raise InputError(text, "a quotation that is not closed", fix="close it", where=where)
        parts.append(_plain(match[1]))
        at = match.end()
    return parts


def _pair(setting: str, where: str) -> tuple[str, Pair]:
    key, equal, value = setting.partition("=")
    if not equal:
        raise InputError(setting, "a setting of a dump is NAME=VALUE", fix="correct or remove it", where=where)
    return key.strip().lower(), Pair(key.strip(), _plain(value), where)


def _plain(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
