"""The findings of a check of an engine: rights, version, latency, what is left out and why."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from loadmaster.model.arrays import Bools
from loadmaster.system.counted import counted

Level = Literal["ok", "note", "bad"]


@dataclass(frozen=True)
class Finding:
    """One finding of a look at an engine.

    Attributes:
        level: `ok`, `note`, or `bad`, which prevents a live run, but not a shadow.
        what: the finding in words.
        fix: what to do; empty if nothing is needed.
    """

    level: Level
    what: str
    fix: str = ""


SLOW_S = 1.0
"""A listing that takes longer is noted."""
NAMED = 3
"""So many of those that are left out are named for each reason."""


def listing_time(took_s: float, of: str) -> Finding:
    """How long the engine takes to list all jobs, and what interval suits that."""
    text = f"listing all {of} takes {1000 * took_s:.0f} ms"
    if took_s > SLOW_S:
        return Finding("note", text, f"take an --interval of {10 * took_s:.0f} s or more")
    return Finding("ok", text)


def host_count(up: Bools, host: str, of: str) -> str:
    """How many hosts there are, and how many of them are down: `host` and `of` are the engine's words for both."""
    down = int((~up).sum())
    take = counted(down, f"of them takes no {of}", f"of them take no {of}")
    return counted(len(up), host) + (f", {take} now" if down else "")


def left_out(pairs: Iterable[tuple[str, str]], shown: Callable[[str], str] | None = None) -> list[Finding]:
    """A finding for each reason, the one that is met most often first.

    Args:
        pairs: (name, why) of each that is left out.
        shown: the name that users know, for engines whose names mean something to them; None names none.
    """
    names: dict[str, list[str]] = {}
    for name, why in pairs:
        names.setdefault(why, []).append(name)
    findings = []
    for why, of in sorted(names.items(), key=lambda pair: -len(pair[1])):
        more = ", ..." if len(of) > NAMED else ""
        some = "" if shown is None else f" ({', '.join(map(shown, of[:NAMED]))}{more})"
        findings.append(Finding("note", f"{len(of):,} left out: {why}{some}"))
    return findings
