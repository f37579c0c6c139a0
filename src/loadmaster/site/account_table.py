"""Rows of `sacctmgr show assoc -P`, `sacctmgr show qos -P` and `sshare -aP`: cells between |, below their names."""

from collections.abc import Mapping
from dataclasses import dataclass

from loadmaster.model import InputError
from loadmaster.site.lines import Pair

_PASSED = ("fairshare", "normshares", "levelfs", "rawusage", "normusage", "effectvusage", "tresrunmins")
_OF_SSHARE = {**dict.fromkeys(_PASSED, ""), "rawshares": "Share"}
"""What columns of `sshare` are called here; those that follow from the use so far are passed over."""
_FIX = "keep the line with the names of the columns: leave out -n"


@dataclass(frozen=True)
class AssociationRow:
    """An association or a QOS as it stands there; `parent` is the account above, names in lower case."""

    pairs: Mapping[str, Pair]
    where: str
    cluster: str = ""
    account: str = ""
    parent: str = ""


class TableRows:
    """Takes tables line by line; a line of names begins a new one."""

    def __init__(self) -> None:
        self.associations: list[AssociationRow] = []
        self.qos: list[AssociationRow] = []
        self._columns: list[str] = []
        self._above: list[tuple[int, str]] = []
        self._told = False
        self._accounts = 0

    @property
    def flat(self) -> bool:
        """Whether there are accounts beside root, and nothing tells which is below which."""
        return self._accounts > 0 and not self._told

    def take(self, line: str, where: str) -> None:
        """A line of names, or one of cells.

        Raises:
            InputError: it has not as many cells as names, or no line of names came before.
        """
        cells = line.rstrip("\r\n").split("|")
        lower = [cell.strip().lower() for cell in cells]
        if ("account" in lower and {"share", "fairshare", "rawshares"} & {*lower}) or (
            "name" in lower and "priority" in lower
        ):
            renamed = _OF_SSHARE if "rawshares" in lower else {}
            self._columns, self._above = [renamed.get(cell.strip().lower(), cell.strip()) for cell in cells], []
            self._told |= bool({"par name", "parentname"} & set(lower))
            return
        if not self._columns:
            raise InputError(line, "a table of sacctmgr without the names of its columns", fix=_FIX, where=where)
        if len(cells) != len(self._columns):
            rule = f"{len(cells)} cells below {len(self._columns)} names"
            raise InputError(line, rule, fix="write the table again with -P", where=where)
        named = zip(self._columns, cells, strict=True)
        pairs = {name.lower(): Pair(name, cell, where) for name, cell in named if name}
        if "account" in pairs:
            self.associations.append(self._association(pairs, where))
        else:
            self.qos.append(AssociationRow(pairs, where))

    def _association(self, pairs: dict[str, Pair], where: str) -> AssociationRow:
        cell = pairs["account"].value
        name, depth = cell.strip().lower(), len(cell) - len(cell.lstrip(" "))
        if not name:
            raise InputError(cell, "an account without a name", fix="correct or remove it", where=where)
        is_user = "user" in pairs and pairs["user"].value.strip() != ""
        if not is_user:
            while self._above and self._above[-1][0] >= depth:
                self._above.pop()
        parent = pairs.get("parentname") or pairs.get("par name")
        if parent is not None:
            above = parent.value.strip().lower()
        elif depth and not is_user:
            above = self._above[-1][1] if self._above else "root"
        else:
            above = ""
        if not is_user:
            self._above.append((depth, name))
            self._told |= depth > 0
            self._accounts += name != "root"
        above = "" if name == "root" or is_user else above or "root"
        cluster = pairs["cluster"].value.strip().lower() if "cluster" in pairs else ""
        return AssociationRow(pairs, where, cluster, name, above)
