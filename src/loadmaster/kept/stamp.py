"""A stamp of source: a name for the content of modules of this package and of all that they import from it.

Results and machine code that are kept on disk bear the stamp of the source that made them, so that changed code never
answers with an old number, also where the version stays the same (an editable install after a pull).
"""

import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

PACKAGE = __name__.partition(".")[0]
_HOME = Path(__file__).resolve().parents[1]
_IMPORT = re.compile(
    rf"^[ \t]*(?:from ({PACKAGE}[\w.]*) import (\([^)]*\)|[^\n]*)|import ({PACKAGE}[\w.]*))"
    rf"|\blater\(\s*[\"']({PACKAGE}[\w.]*)",
    re.MULTILINE,
)
"""An import of this package wherever it stands, also within a function, and what is loaded when it is called
(`later`). A parser would take seconds for all files; a test holds this expression to it."""


@cache
def stamp(*modules: str) -> str:
    """Sixteen hex digits over the source of `modules` and of all modules of this package that they import.

    Args:
        modules: full names, such as `loadmaster.sim.queue.door`. What stands in the `__init__` of a room counts where a
            name is taken from the room.

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
    known: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in known and file_of(name) is not None:
            known.add(name)
            waiting += imports_of(name) if name != PACKAGE else ()  # the front door loads what is asked for, no more
    return sorted(known)


@cache
def imports_of(module: str) -> tuple[str, ...]:
    """The modules of this package that one imports directly, whether at its top or within a function."""
    names: set[str] = set()
    for match in _IMPORT.finditer(_text(module)):
        whence, what, plain, named = match.groups()
        if plain or named:
            names.add(plain or named)
            continue
        names.add(whence)
        words = re.sub(r"#[^\n]*|[()]", " ", what).split(",")
        names |= {f"{whence}.{word.split()[0]}" for word in words if word.split()}
    return tuple(sorted(name for name in names if file_of(name) is not None))


@cache
def file_of(module: str) -> Path | None:
    """Where a module of this package stands; None if there is none of that name."""
    first, *rest = module.split(".")
    if first != PACKAGE:
        return None
    path = _HOME.joinpath(*rest)
    for candidate in (path / "__init__.py", path.with_suffix(".py")):
        if candidate.is_file():
            return candidate
    return None


@cache
def _text(module: str) -> str:
    path = file_of(module)
    return path.read_text(encoding="utf-8") if path is not None else ""


@cache
def _content_digest(module: str) -> str:
    return sha256(_text(module).encode()).hexdigest()
