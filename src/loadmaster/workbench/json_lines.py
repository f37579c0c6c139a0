"""The first and the last lines of a long file of JSON lines, without reading the lines between."""

import json
from pathlib import Path
from typing import Any

LONGEST = 1 << 18


def first_line(path: Path) -> dict[str, Any]:
    """The first line as an object; empty where it is none."""
    with path.open("rb") as file:
        return _object(file.readline(LONGEST))


def last_lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines within the last quarter of a megabyte, in order."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - LONGEST))
        lines = file.read(LONGEST).splitlines(keepends=True)
    whole = lines if size <= LONGEST else lines[1:]
    return [value for line in whole if line.endswith(b"\n") and (value := _object(line))]


def object_in(path: Path, most: int = 1 << 22) -> dict[str, Any]:
    """A file that is one JSON object; empty where it is none or larger than `most` bytes."""
    with path.open("rb") as file:
        text = file.read(most + 1)
    return _object(text) if len(text) <= most else {}


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def events_in(path: Path, most: int = 1 << 26) -> tuple[int, int]:
    """Of the log of a bag: how many of its commands have ended, and how many there are; what lies behind `most` bytes
    is left out.
    """
    done: set[object] = set()
    tasks = 0
    with path.open("rb") as file:
        for text in file.read(most).splitlines():
            if b'"finished"' in text or b'"given-up"' in text or b'"session"' in text:
                line = _object(text)
                tasks = max(tasks, len(line["commands"]) if isinstance(line.get("commands"), list) else 0)
                if line.get("event") in ("finished", "given-up") and isinstance(line.get("task"), int):
                    done.add(line["task"])
    return len(done), tasks
