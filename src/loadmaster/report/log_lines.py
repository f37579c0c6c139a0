"""Lines of a log with the time of day: text, or one JSON object a line."""

import sys
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

from loadmaster.system.strict_json import to_json

Format = Literal["text", "json"]


class LogLines:
    """Writes lines, each with its time in UTC, and each at once.

    Args:
        form: `json` writes one object a line on stdout: `time`, `event`, `message` and what the event has besides.
        text_to: where lines of text go; None is stdout.
    """

    def __init__(self, form: Format, text_to: TextIO | None = None) -> None:
        self.form: Format = form
        self._text_to = text_to

    def write(self, message: str, event: str = "note", **fields: Any) -> None:
        """One line; text has the message alone."""
        time = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        if self.form == "json":
            print(to_json({"time": time, "event": event, "message": message, **fields}), flush=True)
        else:
            print(f"{time} {message}", file=self._text_to or sys.stdout, flush=True)
