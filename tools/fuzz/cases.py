"""What a case is, and how it follows from its kind, seed and number alone."""

import random
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """One call of the command line.

    Attributes:
        folder: where it runs, with the files it is given.
        arguments: behind `loadmaster`.
        alone: only in a process of its own, such as verbs that start processes themselves.
        limit_s: processor seconds after which it counts as hanging.
        given: the files that it is given, and when they were written.
    """

    folder: Path
    arguments: tuple[str, ...]
    alone: bool = False
    limit_s: float = 20.0
    given: Mapping[Path, int] = field(default_factory=dict)

    def said(self) -> str:
        """The call as it may be typed, cut to a readable length."""
        return " ".join(repr(a) if len(a) < 60 else f"{a[:57]!r}...({len(a)})" for a in ("loadmaster", *self.arguments))


@dataclass(frozen=True)
class Result:
    """What came of it."""

    code: int
    out: str
    err: str
    seconds: float


Maker = Callable[[random.Random, Path], Case]
"""make(draws, empty folder) -> a case; writes its files into the folder."""


def draw(make: Maker, kind: str, seed: int, number: int, folder: Path) -> Case:
    """The case of that number."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    case = make(random.Random(f"{kind} {seed} {number}"), folder)
    return replace(case, given={path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()})
