"""What a look at an engine found: rights, version, latency, what is left out and why."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "bad"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        level: `ok`, `note`, or `bad`: it stands in the way of a live run, not of a shadow.
        what: that was found, in words.
        fix: what can be done; empty where nothing need be.
    """

    level: Level
    what: str
    fix: str = ""
