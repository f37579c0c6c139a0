"""What a look at an engine found: rights, version, latency, what is left out and why."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "note", "bad"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `bad` stands in the way of a live run, not of a shadow."""

    level: Level
    what: str
    fix: str = ""
