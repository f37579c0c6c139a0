"""A bag of shell commands, as a file has them."""

from collections.abc import Sequence
from pathlib import Path

from loadmaster.model.errors import InputError

_FIX = "write one shell command a line"


def read_commands(path: Path) -> list[str]:
    """The commands of a file, without empty lines and comments.

    Raises:
        InputError: no such file, or nothing in it that can be run.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(path, "no such file", fix="check the path") from None
    except IsADirectoryError:
        raise InputError(path, "a folder, not a file", fix="name a file in it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, "cannot be read as text", fix="give a file with one shell command a line") from error
    return checked_commands(text.split("\n"), str(path))  # splitlines would cut commands at form feeds and the like


def checked_commands(lines: Sequence[str], where: str) -> list[str]:
    """The commands among `lines`, without empty ones and comments.

    Args:
        lines: a command each.
        where: they come from.

    Raises:
        InputError: there is none, or one that cannot be run.
    """
    stripped = [line.strip() for line in lines]
    commands = [line for line in stripped if line and not line.startswith("#")]
    for number, line in enumerate(stripped, 1):
        if "\0" in line:
            raise InputError(line[:40], "a command cannot hold a zero byte", where=f"{where}:{number}")
    if not commands:
        raise InputError(where, "holds no command", fix=_FIX)
    return commands
