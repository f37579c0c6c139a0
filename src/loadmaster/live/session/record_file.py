"""The record of a live run: lines of JSON, only ever appended, on disk before the run goes on."""

import errno
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Self

from loadmaster.live.session.lines import FORMAT
from loadmaster.model.errors import InputError, one_line
from loadmaster.system.file_lock import has_writer, lock
from loadmaster.system.strict_json import plain, to_json
from loadmaster.system.whole_file import naming

_CUT = "cut short while the run writes it: take the record out of logrotate, and start again with a new -o"
_MOVED = "moved while the run writes it: take the record out of logrotate, put it back in its place, and start again"


@dataclass
class RecordFile:
    """One file a run; every start appends a session to it. Everything is data: numbers, texts, lists, maps.

    What a session of a queue writes says `queue.record`. Of a bag a session begins with a `session` line (which tasks
    are left, what machines cost, how they are sized); `event` lines say what happened, `decision` lines what the sizer
    requested, `alive` lines that the runner still was. Tasks bear the number of their line in the file of commands,
    from 1.
    """

    path: Path
    _file: int = field(default=-1, repr=False)
    _size: int = field(default=0, repr=False)

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.path.parent

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Open for appending; a line cut short by a crash is closed first.

        Raises:
            InputError: another runner holds it.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        if not lock(self._file):
            self.close()
            raise InputError(self.path, "another run is writing this log", fix="wait for it or give another -o")
        size = os.fstat(self._file).st_size
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            size += os.write(self._file, b"\n")
        self._size = size

    def append(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Append lines, in order, and wait until they are on disk.

        Raises:
            OSError: they cannot be written, or the file is no longer the one that was opened.
        """
        with naming(self.path):
            self._refuse_rotated()
            left = "".join(to_json(line) + "\n" for line in lines).encode()
            while left:  # a disk that is nearly full takes a part without a word
                written = os.write(self._file, left)
                left, self._size = left[written:], self._size + written
            os.fsync(self._file)

    def _refuse_rotated(self) -> None:
        """See that the file is in its place and as long as this writer left it, since nothing else tells of the run.

        Raises:
            OSError: it was moved, replaced, deleted or cut short, as by logrotate with and without copytruncate.
        """
        ours = os.fstat(self._file)
        if ours.st_size != self._size:
            raise OSError(errno.ESTALE, _CUT)
        if not (self.path.exists() and os.path.samestat(ours, self.path.stat())):
            raise OSError(errno.ESTALE, _MOVED)

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def is_being_written(self) -> bool:
        """Whether a runner has it open now: the system lets go of the file when the runner dies, however that is."""
        return has_writer(self.path)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Every whole line; one cut short by a crash is passed over."""
        if not self.path.exists():
            return
        with self.path.open(encoding="utf-8", errors="replace") as file:
            for text in file:
                try:
                    line = json.loads(text)
                except ValueError:
                    continue
                if isinstance(line, dict):
                    yield line

    def begun(self, what: str, fix: str) -> list[dict[str, Any]]:
        """All whole lines, the first of which begins a session in our format.

        Raises:
            InputError: there is no such record, or it is of another format.
        """
        lines, where = list(self.lines()), str(self.folder)
        if not lines or "begin" not in lines[0]:
            raise InputError(where, f"no record of {what} here", fix=fix)
        if lines[0]["begin"] != FORMAT:
            raise InputError(lines[0]["begin"], f"this record has another format than {FORMAT}", where=where)
        return lines


@contextmanager
def damage_named(folder: Path) -> Iterator[None]:
    """Whatever breaks inside, where the record in `folder` is read, breaks because that record is damaged.

    Raises:
        InputError: it is.
    """
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        why = one_line(f"{type(error).__name__}: {error}", 80)
        raise InputError(folder, f"this live record is damaged: {why}") from error


def described(thing: object) -> dict[str, Any]:
    """A sizer or a machine type as data: the name of its class, then its fields; those that are no data by their type.

    Example:
        >>> from loadmaster.sizing import FixedHosts
        >>> described(FixedHosts(3))
        {'class': 'FixedHosts', 'count': 3, 'type': 0, 'name': 'fixed', 'tick_s': None}
    """
    description: dict[str, Any] = {"class": type(thing).__name__}
    if is_dataclass(thing):
        for part in fields(thing):
            value = getattr(thing, part.name)
            try:
                description[part.name] = plain(value)
            except TypeError:
                description[part.name] = described(value) if is_dataclass(value) else type(value).__name__
    return description
