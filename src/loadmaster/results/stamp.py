"""A stamp of source: a name for the content of modules of this package and of all that they import from it.

Results and machine code that are kept on disk bear the stamp of the source that made them, so that changed code never
answers with an old number, also where the version stays the same (an editable install after a pull).
"""

import os
import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from itertools import chain
from pathlib import Path

PACKAGE = __name__.partition(".")[0]
_HOME = Path(__file__).resolve().parents[1]
_IMPORTS = (
    re.compile(rf"from (?<!>>> from )({PACKAGE}[\w.]*) import (\([^)]*\)|[^\n]*)"),
    re.compile(rf"import (?<!>>> import )({PACKAGE}[\w.]*)()"),
    re.compile(rf"later\(\s*[\"']({PACKAGE}[\w.]*)()"),
)
"""An import of this package wherever it stands, also within a function, and what is loaded when it is called
(`later`); none of an example. A parser would take seconds for all files; a test holds these expressions to it. Each
begins with letters, which are found ten times as fast as the beginning of a line."""


@cache
def stamp(*modules: str) -> str:
    """Sixteen hex digits over the source of `modules` and of all modules of this package that they import.

    Args:
        modules: full names, such as `loadmaster.sim.queue.simulation`. What stands in the `__init__` of a room counts
            where a name is taken from the room.

    Example:
        >>> stamp("loadmaster.place") == stamp("loadmaster.order")
        False
    """
    digest = sha256()
    for name in sources(modules):
        digest.update(f"{name} {_content_digest(name)}\n".encode())
    return digest.hexdigest()[:16]


def sources(modules: Iterable[str]) -> list[str]:
    """The names of `modules` and of all modules of this package that they import, sorted."""
    names: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in names and file_of(name) is not None:
            names.add(name)
            waiting += imports_of(name) if name != PACKAGE else ()  # the package loads only what is used
    return sorted(names)


@cache
def imports_of(module: str) -> tuple[str, ...]:
    """The modules of this package that one imports directly, whether at its top or within a function."""
    names: set[str] = set()
    for whence, what in chain.from_iterable(each.findall(_text(module)) for each in _IMPORTS):
        names.add(whence)
        words = re.sub(r"#[^\n]*|[()]", " ", what).split(",")
        names |= {f"{whence}.{word.split()[0]}" for word in words if word.split()}
    return tuple(sorted(name for name in names if file_of(name) is not None))


@cache
def file_of(module: str) -> Path | None:
    """Where a module of this package stands; None if there is none of that name."""
    return _files().get(module)


@cache
def _files() -> dict[str, Path]:
    """Every module of this package, and where it stands: to look for each name on disk would take longer."""
    files = {}
    for folder, _, names in os.walk(_HOME):
        room = ".".join((PACKAGE, *Path(folder).relative_to(_HOME).parts))
        for name in names:
            module, ending = os.path.splitext(name)
            if ending == ".py":
                files[room if module == "__init__" else f"{room}.{module}"] = Path(folder, name)
    return files


@cache
def _text(module: str) -> str:
    path = file_of(module)
    return path.read_text(encoding="utf-8") if path is not None else ""


@cache
def _content_digest(module: str) -> str:
    return sha256(_text(module).encode()).hexdigest()
