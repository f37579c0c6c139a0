"""Text for people, on stdout and stderr: names are shown as they are, and simple terminals get simpler signs.

Names of files, hosts, jobs and policies come from the user and may hold anything. So brackets are brackets, never
markup; and what an output cannot encode, such as a star under `PYTHONIOENCODING=ascii`, is replaced and never an error.
"""

import codecs
import sys
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

POOR = {
    "★": "*", "−": "-", "–": "-", "—": "-", "→": ">", "×": "x", "±": "~", "∞": "inf", "…": "...", "─": "-",
    "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
"""What takes the place of our own signs where they cannot be encoded; of other letters, their number."""

_HANDLER = "loadmaster.poor"


def for_results() -> "Console":
    """The console of stdout: results."""
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False)


def for_notes() -> "Console":
    """The console of stderr: notes, warnings, progress; a sentence is never broken into lines by us."""
    from rich.console import Console

    return Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)


def new_table(*heads: str, **more: Any) -> "Table":
    """A table in the one look of all: a line below the heads and none around, the title bold at the left."""
    from rich import box
    from rich.table import Table

    look = {"box": box.SIMPLE_HEAD, "show_edge": False, "pad_edge": False, "title_justify": "left"}
    return Table(*heads, **{**look, "title_style": "bold", **more})


def never_fail_to_encode(*streams: IO[str]) -> None:
    """From now on, what a stream cannot encode is replaced as in `POOR`."""
    codecs.register_error(_HANDLER, _poorer)
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_HANDLER)


def _poorer(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(POOR.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in signs), error.end


def as_typed(arguments: list[str]) -> str:
    """Arguments of a command line as one would type them, in letters that every file can hold.

    Example:
        >>> as_typed(["compare", "my log.swf"])
        "compare 'my log.swf'"
    """
    import shlex

    escaped = [part.encode(sys.getfilesystemencoding(), "surrogateescape") for part in arguments]
    return shlex.join(part.decode("utf-8", "backslashreplace") for part in escaped)
