"""Which verdicts change when a rule is broken."""

import importlib
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from loadmaster.papers.claim import Claim

Key = tuple[str, str, int]
"""Where a claim stands, what it says, and which of several alike it is."""


def verdicts(claims: list[Claim]) -> dict[Key, str]:
    """The verdict of every claim."""
    found: dict[Key, str] = {}
    for claim in claims:
        number = sum(key[:2] == (claim.where, claim.claim) for key in found)
        found[claim.where, claim.claim, number] = claim.verdict
    return found


def flipped(right: dict[Key, str], study: Callable[[], list[Claim]]) -> list[str]:
    """The claims whose verdict is another now, with both verdicts."""
    now = verdicts(study())
    return [f"{key[1]}: {was} -> {now.get(key, 'gone')}" for key, was in right.items() if now.get(key, "gone") != was]


def try_paper(paper: str, say: Callable[[str], None]) -> tuple[int, int]:
    """(caught, tried) of one paper."""
    module = importlib.import_module(f"broken_{paper}")
    right = verdicts(module.study())
    say(f"{paper}: {len(right)} claims, {sum(v in ('holds', 'differs') for v in right.values())} of them judged")
    caught = 0
    mutants: dict[str, Callable[[], AbstractContextManager[object]]] = module.MUTANTS
    for name, broken in mutants.items():
        began = time.perf_counter()
        with broken():
            changed = flipped(right, module.study)
        caught += bool(changed)
        shown = f"caught by {len(changed)}, such as {changed[0]}" if changed else "NOT CAUGHT"
        say(f"  {name}: {shown} ({time.perf_counter() - began:.0f} s)")
    say(f"{paper}: caught {caught} / {len(mutants)}")
    return caught, len(mutants)
