"""The output of `--json`: one object, the same head for every verb, then the verb's content.

The head is described in docs/reference/json.md; a JSON Schema for each verb stands in `report/schemas/`.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any

from loadmaster import __version__
from loadmaster.system.build import commit
from loadmaster.system.strict_json import to_json

if TYPE_CHECKING:
    from loadmaster.traces import Skipped

FORMAT = 1
"""Raised when a key changes its meaning or goes; a new key alone does not raise it."""


def document(
    verb: str,
    content: dict[str, Any],
    *,
    command: str = "",
    seed: int | None = None,
    synthetic: bool | None = None,
    notes: Sequence[str] = (),
    left_out: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """The document of a verb: its head, then `content`.

    Args:
        verb: its name; that of the schema too.
        content: the verb's own keys; `rows` where it is a table.
        command: the command that makes it again.
        seed: of every random draw; None where nothing is drawn.
        synthetic: the data was made by a generator; None where a verb has no data or does not know.
        notes: what was assumed, in sentences.
        left_out: see `left_out`.

    Example:
        >>> list(document("policies", {"rows": []}))
        ['schema', 'version', 'commit', 'command', 'seed', 'synthetic', 'notes', 'left_out', 'rows']
    """
    head = {
        "schema": f"loadmaster.{verb}/{FORMAT}",
        "version": __version__,
        "commit": commit() or None,
        "command": command,
        "seed": seed,
        "synthetic": synthetic,
        "notes": list(notes),
        "left_out": list(left_out),
    }
    assert not head.keys() & content.keys(), f"twice in the document of {verb}: {head.keys() & content.keys()}"
    return {**head, **content}


def left_out(skipped: "Skipped") -> list[dict[str, Any]]:
    """Lines, or jobs, that could not be used: each reason, how many, the first of them, and whether malformed.

    Example:
        >>> from loadmaster.traces import Skipped
        >>> skipped = Skipped()
        >>> skipped.add("runtime is not known", [7, 9], count=12)
        >>> left_out(skipped)
        [{'reason': 'runtime is not known', 'count': 12, 'first': [7, 9], 'malformed': False}]
    """
    return [
        {"reason": reason, "count": count, "first": list(skipped.lines[reason]), "malformed": reason in skipped.bad}
        for reason, count in skipped.counts.items()
    ]


def rejected_jobs(rejected: "Skipped") -> dict[str, Any]:
    """Jobs that do not fit the machines, by reason, and the part of all work that they hold."""
    return {"rejected_jobs": left_out(rejected), "rejected_work": rejected.work}


@contextmanager
def only_documents() -> Iterator[None]:
    """Nothing but documents goes to stdout meanwhile: what a rule of the user's prints goes to stderr."""
    with redirect_stdout(_Aside(sys.stdout)):
        yield


class _Aside:
    """Writes on stderr, and knows the stdout that it stands for."""

    def __init__(self, stdout: Any) -> None:
        self.stdout = stdout

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)


def print_document(fields: dict[str, Any]) -> None:
    """Write a document on stdout, as one line."""
    stdout = sys.stdout.stdout if isinstance(sys.stdout, _Aside) else sys.stdout
    stdout.write(to_json(fields) + "\n")
