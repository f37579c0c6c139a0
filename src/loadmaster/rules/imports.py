"""The imports of a user's file from other files of the user: they affect a result as much as its own text."""

import ast
import importlib.util
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from loadmaster.results.stamp import PACKAGE, stamp
from loadmaster.rules.texts import syntax_tree

_INSTALLED = tuple(Path(sysconfig.get_path(kind)).resolve() for kind in ("purelib", "platlib", "stdlib", "platstdlib"))


def imported(texts: Iterable[str]) -> dict[str, str]:
    """A digest of every Python file that `texts` import, one after another, by the name of its module.

    Python's own modules and installed packages are left out; of this package's modules it is the stamp. What a file
    reads in other ways cannot be known.

    Args:
        texts: of the files.
    """
    found: dict[str, str] = {}
    waiting = [name for text in texts for name in _named_in(text, "")]
    while waiting:
        name = waiting.pop()
        if name in found or name.partition(".")[0] in sys.stdlib_module_names:
            continue
        if name.partition(".")[0] == PACKAGE:
            found[name] = stamp(name)
        elif (file := _own_file(name)) is not None:
            content = file.read_bytes()
            found[name] = sha256(content).hexdigest()
            package = name if file.name == "__init__.py" else name.rpartition(".")[0]
            waiting += [*_named_in(content, package), name.rpartition(".")[0] or name]
    return found


def _named_in(code: str | bytes, package: str) -> Iterator[str]:
    """The modules that `code` imports, and the names it takes from them, which may be modules."""
    try:
        tree = syntax_tree(code)
    except (SyntaxError, ValueError):  # refused where it is run
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            with suppress(ImportError):
                module = importlib.util.resolve_name("." * node.level + module, package) if node.level else module
            yield from (module, *(f"{module}.{alias.name}" for alias in node.names))


def _own_file(module: str) -> Path | None:
    """The Python file of a module that is not installed; None for others, and for what is no module."""
    with suppress(ImportError, ValueError, AttributeError):
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.has_location and str(spec.origin).endswith(".py"):
            file = Path(str(spec.origin)).resolve()
            return None if any(file.is_relative_to(place) for place in _INSTALLED) else file
    return None
