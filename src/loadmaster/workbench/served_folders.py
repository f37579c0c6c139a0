"""The folders that the workbench serves, and the one that it writes into. Only here do outside names become paths."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loadmaster.workbench.refusal import Refused

OWN = ".workbench"
"""In the work folder: what the workbench keeps for itself."""
LOGS = "logs"
"""In the work folder: what was uploaded."""
DEEPEST = 5
MOST = 2000
_LEAVES = frozenset({"log.jsonl", "live.jsonl"})
"""A folder with one of these is the record of a bag or of a live run: below it may be a folder for every command."""


@dataclass(frozen=True)
class ServedFolders:
    """Folders that are served, by number.

    Attributes:
        roots: absolute, without links.
        work: likewise; all that is written goes below it.
    """

    roots: tuple[Path, ...]
    work: Path

    @property
    def logs(self) -> Path:
        """Where uploads go."""
        return self.work / LOGS

    @property
    def own(self) -> Path:
        """Where the workbench keeps what is its own."""
        return self.work / OWN

    def name_of(self, folder: Path) -> str:
        """What stands for `folder` in addresses: the number of its root, and its path below that."""
        for number, root in enumerate(self.roots):
            if folder.is_relative_to(root):
                return f"{number}/{folder.relative_to(root).as_posix()}".removesuffix("/.")
        raise ValueError(f"{folder} is not served")

    def shown(self, folder: Path) -> str:
        """`folder` for people: below which root, and where."""
        number, _, below = self.name_of(folder).partition("/")
        root = self.roots[int(number)].name or str(self.roots[int(number)])
        return f"{root}/{below}" if below else root

    def folder(self, name: str) -> Path:
        """The folder that `name` stands for.

        Raises:
            Refused: there is none, or it or a file in it leads out of what is served.
        """
        number, _, below = name.partition("/")
        parts = below.split("/") if below else []
        if not (number.isascii() and number.isdecimal()) or len(number) > 6 or int(number) >= len(self.roots):
            raise Refused(404, "there is no such folder here")
        if any(part in ("", ".", "..") or "\0" in part or "\\" in part for part in parts):
            raise Refused(400, "this is not the name of a folder")
        path = self.roots[int(number)].joinpath(*parts)
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise Refused(404, "there is no such folder here") from None
        if not real.is_dir():
            raise Refused(404, "there is no such folder here")
        if not self.holds(real):
            raise Refused(403, "this folder leads out of the served folders")
        self._refuse_links(real)
        return real

    def file(self, folder: Path, name: str) -> Path:
        """A plain file of `folder`, which may be a link only to what is served.

        Raises:
            Refused: there is none, or it leads out.
        """
        path = folder / name
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise Refused(404, "there is no such file here") from None
        if not self.holds(real):
            raise Refused(403, "this file leads out of the served folders")
        if not real.is_file():
            raise Refused(404, "there is no such file here")
        return real

    def holds(self, real: Path) -> bool:
        """Whether a path without links lies in what is served."""
        return any(real.is_relative_to(root) for root in (*self.roots, self.work))

    def folders(self) -> Iterator[Path]:
        """The roots and the folders below them, those near first, links not followed, none that begins with a dot."""
        level = [root for root in dict.fromkeys(self.roots) if root.is_dir()]
        served, visited = 0, set(level)
        for depth in range(DEEPEST + 1):
            below: list[Path] = []
            for folder in level:
                if served == MOST:
                    return
                served += 1
                yield folder
                if depth < DEEPEST:
                    below += [each for each in _below(folder) if each not in visited]
                    visited.update(below)
            level = below

    def _refuse_links(self, folder: Path) -> None:
        for each in _entries(folder):
            if each.is_symlink() and not self.holds(Path(each.path).resolve()):
                raise Refused(403, "this folder holds a link that leads out of the served folders")


def _below(folder: Path) -> list[Path]:
    entries = _entries(folder)
    if any(each.name in _LEAVES for each in entries):
        return []
    names = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
    return [folder / name for name in sorted(names) if not name.startswith(".") and is_text(name)]


def is_text(name: str) -> bool:
    """Whether a name of a file can be shown: printable, in Unicode."""
    return name.isprintable() and not any("\ud800" <= sign <= "\udfff" for sign in name)


def _entries(folder: Path) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
