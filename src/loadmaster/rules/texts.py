"""Texts of the user's files as they were run, so that Python finds the lines of a function in the text that made it.

Several texts may bear one file's name: a file that was edited, the winners of two searches.
"""

import ast
import linecache
from threading import Lock

_RUN: dict[str, tuple[str, str]] = {}
_PARSING = Lock()
"""Python 3.11 counts the depth of a tree for all threads together, and fails where two of them parse at once."""


def syntax_tree(text: str | bytes) -> ast.Module:
    """The tree of `text`, made by one thread at a time.

    Raises:
        SyntaxError, ValueError: it is not Python.
    """
    with _PARSING:
        return ast.parse(text)


def remember(module: str, file: str, text: str) -> None:
    """Keep the `text` that is run as `module`, named `file`."""
    _RUN[module] = file, text
    recall(module)


def recall(module: str) -> None:
    """Let Python find the text of `module` under its file's name; of other modules nothing is changed."""
    if module in _RUN:
        file, text = _RUN[module]
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
