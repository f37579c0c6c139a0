"""The token that admits a browser, stored in the work folder, so that an open page survives a restart."""

import hmac
import os
import secrets
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

FILE = "token"
_LENGTH = 43


@dataclass(frozen=True)
class Token:
    """What stands in the address that is printed; what browsers keep and send are made of it.

    Example:
        >>> token = Token("x" * 43)
        >>> token.opens("x" * 43), token.opens("y" * 43), token.cookie == token.csrf
        (True, False, False)
    """

    text: str

    @property
    def cookie(self) -> str:
        """What the cookie holds; the address cannot be learned from it."""
        return self._made("cookie")

    @property
    def csrf(self) -> str:
        """What stands on every page of ours, and in every request that changes anything."""
        return self._made("csrf")

    def opens(self, given: str) -> bool:
        """Whether `given` is the token; how long that takes tells nothing."""
        return hmac.compare_digest(self.text.encode(), given.encode("utf-8", "replace"))

    def _made(self, what: str) -> str:
        return hmac.new(self.text.encode(), what.encode(), sha256).hexdigest()


def token_in(folder: Path) -> Token:
    """The token kept in `folder`, which is made if need be; a new one where there is none that others cannot read."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    path = folder / FILE
    try:
        return Token(_read_token(path))
    except (OSError, ValueError):
        path.unlink(missing_ok=True)
    text = secrets.token_urlsafe(32)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(file, "w", encoding="ascii") as out:
        out.write(text)
    return Token(text)


def _read_token(path: Path) -> str:
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(file, encoding="ascii") as opened:
        about = os.fstat(file)
        text = opened.read(2 * _LENGTH)
    if len(text) != _LENGTH or about.st_uid != os.getuid() or about.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ValueError("not a token that this user alone can read")
    return text
