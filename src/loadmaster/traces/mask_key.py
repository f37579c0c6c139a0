"""The key under which names are masked: a user's own, so that a name has the same mask in all that this user writes."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from loadmaster.model.errors import InputError
from loadmaster.system.state_folder import state_folder

FILE = "mask-key"
_BYTES = 32


def mask_key(folder: Path | None = None) -> bytes:
    """Thirty-two random bytes, drawn at the first use and kept where only the user can read them.

    If the file is deleted, the names behind the masks are lost for ever. With the file anyone can test names.

    Args:
        folder: it is kept in; None is the user's own state.

    Raises:
        InputError: it cannot be kept or read there, or is no key.
    """
    path = (state_folder() if folder is None else folder) / FILE
    try:
        if not path.exists():
            _draw(path)
        key = path.read_bytes()
    except OSError as error:
        rule = f"no key of masks can be kept here: {error.strerror}"
        raise InputError(path, rule, fix="set XDG_STATE_HOME to a folder that you may write to") from None
    if len(key) != _BYTES:
        raise InputError(path, "this file holds no key of masks", fix="delete it, and a new one is drawn")
    return key


def _draw(path: Path) -> None:
    """Write the key whole or not at all; all processes that draw at the same time get the same key."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    number, name = tempfile.mkstemp(dir=path.parent)  # readable by the user alone
    try:
        with os.fdopen(number, "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)
