"""Whether a file is up to date: its value, the code that makes it and the file itself are unchanged."""

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from loadmaster import __version__
from loadmaster.results.stamp import file_of, stamp

if TYPE_CHECKING:
    from loadmaster.results.values import Foreign


class Maker(NamedTuple):
    """What makes a file of a value.

    Attributes:
        module: whose source does, with all that it imports.
        parts: a folder beside it, of what it puts into the file.
        libraries: whose versions count.
    """

    module: str
    parts: str
    libraries: tuple[str, ...] = ()

    def of(self, value: Any, foreign: "Mapping[str, Foreign]") -> str:
        """A name for all that decides what the file will hold."""
        from loadmaster.results.values import digest_of  # here, since help names makers and loads no NumPy

        versions = [__version__, *(version(name) for name in self.libraries)]
        digest = blake2b(repr((versions, stamp(self.module), digest_of(value, foreign))).encode(), digest_size=16)
        for path in self._parts():
            digest.update(path.name.encode() + path.read_bytes())
        return digest.hexdigest()

    def _parts(self) -> Iterable[Path]:
        home = file_of(self.module)
        assert home is not None
        return sorted(path for path in (home.parent / self.parts).iterdir() if path.is_file())


def up_to_date(path: Path, of: str) -> bool:
    """Whether the file at `path` was made of just that, as the kept value beside it says, and was not changed."""
    from loadmaster.results.values import ABOUT

    try:
        entry_before = json.loads((path.parent / ABOUT).read_text(encoding="utf-8"))["made"][path.name]
        return bool(entry_before == entry(path, of))
    except (OSError, ValueError, LookupError, TypeError):
        return False


def entry(path: Path, of: str) -> dict[str, str]:
    """What is kept of the file at `path`: of what it was made, and a name for what it holds."""
    return {"of": of, "is": blake2b(path.read_bytes(), digest_size=16).hexdigest()}
