"""The mark of a job that loadmaster holds, in its administrator's comment: whose it is, its own hosts, why it waits."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from loadmaster.live.slurm.listing import ListedJob
from loadmaster.live.slurm.work import OURS
from loadmaster.system.state_folder import state_folder

_MARK = re.compile(r"loadmaster(?::(?P<owner>[0-9a-f]{6}))?(?:/(?P<named>\S+))?(?: (?P<why>.*))?", re.DOTALL)
MOST_LETTERS = 100


def owner_of(folder: Path | None) -> str:
    """Six letters that stand for a folder of state; None is the user's own. Runs in the same folder share their jobs.

    Example:
        >>> owner_of(Path("/var/lib/loadmaster")) == owner_of(Path("/var/lib/../lib/loadmaster"))
        True
    """
    place = state_folder() if folder is None else folder
    return hashlib.sha256(str(place.resolve()).encode()).hexdigest()[:6]


def mark(owner: str, why: str = "", named: str = "") -> str:
    """What the administrator's comment of a job says that this owner holds; no sign that `scontrol` would take apart.

    Args:
        owner: see `owner_of`.
        why: it waits.
        named: the hosts that the job itself names, which its pin hides as long as it is pinned.

    Example:
        >>> mark("0a1b2c", "no host has what it requests")
        'loadmaster:0a1b2c no host has what it requests'
    """
    plain = re.sub(r"""[^\w .,:;()*/+-]""", "", why, flags=re.ASCII)
    own = f"/{named}" if named else ""
    return f"{OURS}:{owner}{own}" + (f" {plain}" if plain else "")[: MOST_LETTERS - len(own)]


def of_owner(row: ListedJob, owner: str | None) -> ListedJob:
    """The row; its comment is `OURS` alone where it names this owner or none, for an `owner` None whomever it names.

    The hosts that the job itself names are those of the comment, else those that it requests, if it has no mark.
    """
    match = _MARK.fullmatch(row["admin_comment"])
    if match is None or (None not in (match["owner"], owner) and match["owner"] != owner):
        return replace(row, named=(match["named"] or "") if match else row["ReqNodes"])
    return replace(row, cells=row.cells | {"admin_comment": OURS}, named=match["named"] or "")
