"""Objects of a JSON document one by one: those of a list under a name, of a list, or one a line; bounded memory."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from loadmaster.model import InputError
from loadmaster.traces.files import Progress, bytes_of, opened

_READ = 1 << 20
LARGEST = 1 << 24
"""Characters of one object, or of what stands before the list."""
_DECODER = json.JSONDecoder()
_BLANKS = " \t\r\n"


class _Text:
    """The text of a file from where it was read up to, a piece at a time."""

    def __init__(self, path: Path, file: Any) -> None:
        self.path = path
        self.file = file
        self.text = ""
        self.at = 0
        self.done = False
        self._line = 1
        self._counted = 0
        self._rest = b""

    def more(self) -> bool:
        """Read a piece on; False at the end."""
        if self.done:
            return False
        if len(self.text) - self.at > LARGEST:
            raise InputError(self.path.name, "a JSON value of more than 16 MB", where=f"{self.path}:{self.place()}")
        piece = self._rest + self.file.read(max(_READ, len(self.text) - self.at))
        self.done = len(piece) == len(self._rest)
        whole = len(piece) if self.done else max(piece.rfind(b"\n"), piece.rfind(b","), piece.rfind(b"}")) + 1
        whole = whole or len(piece)
        self._rest = piece[whole:]
        self.place()
        self._counted = 0
        self.text = self.text[self.at :] + piece[:whole].decode("utf-8", "replace")
        self.at = 0
        return True

    def peek(self) -> str:
        """The next character that is no blank; "" at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _BLANKS:
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def expect(self, characters: str) -> str:
        """The next character, one of `characters`."""
        character = self.peek()
        if not character or character not in characters:
            raise self.broken()
        self.at += 1
        return character

    def value(self) -> Any:
        """The next JSON value."""
        self.peek()
        while True:
            try:
                parsed, end = _DECODER.raw_decode(self.text, self.at)
            except (ValueError, RecursionError):  # ValueError: also of a number of thousands of digits
                if self.more():
                    continue
                raise self.broken() from None
            if end == len(self.text) and self.more():  # a number may go on
                continue
            self.at = end
            return parsed

    def place(self) -> int:
        """The line, from 1."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def broken(self) -> InputError:
        """The error for text that is no JSON, or ends early."""
        rule = "this JSON is cut short" if self.done and not self.peek() else "not JSON"
        shown = self.text[self.at : self.at + 60] or self.path.name
        return InputError(shown, rule, fix="write it again", where=f"{self.path}:{self.place()}")


def json_records(
    path: Path, names: Collection[str], progress: Progress | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects with the line on which each begins.

    Args:
        path: `{..., "NAME": [{...}, ...], ...}` with NAME among `names`, `[{...}, ...]`, or objects one behind the
            other.
        names: of the list.
        progress: told the part of the file that has been read.

    Raises:
        InputError: it cannot be read, is no JSON, is cut short, or has no such list.
    """
    with opened(path) as (file, raw):
        text = _Text(path, file)
        whole = max(bytes_of(path), 1)
        count = 0
        for line, record in _records(text, names):
            count += 1
            if progress is not None and count % 1000 == 0:
                progress(min(raw.tell() / whole, 1.0))
            if not isinstance(record, dict):
                raise InputError(str(record)[:40], "an object is meant here", where=f"{path}:{line}")
            yield line, record


def _records(text: _Text, names: Collection[str]) -> Iterator[tuple[int, Any]]:
    start = text.peek()
    if start == "[":
        yield from _list(text)
    elif start == "{":
        first = _keyed(text, names)
        if first is None:
            yield from _list(text)
        else:
            yield first
            while text.peek():
                yield text.place(), text.value()
            return
    else:
        raise text.broken()


def _list(text: _Text) -> Iterator[tuple[int, Any]]:
    text.expect("[")
    if text.peek() == "]":
        text.at += 1
        return
    while True:
        text.peek()
        line = text.place()
        yield line, text.value()
        if text.expect(",]") == "]":
            return


def _keyed(text: _Text, names: Collection[str]) -> tuple[int, dict[str, Any]] | None:
    """None where the reading stands before a list of one of `names`; else the whole object, which has none."""
    line = text.place()
    text.expect("{")
    whole: dict[str, Any] = {}
    if text.peek() == "}":
        text.at += 1
        return line, whole
    while True:
        key = text.value()
        text.expect(":")
        if key in names and text.peek() == "[":
            return None
        whole[str(key)] = text.value()
        if text.expect(",}") == "}":
            return line, whole
