"""What is wrong with the outcome of a case."""

import json
import re
from pathlib import Path

from cases import Case, Result

LONGEST = 400
"""Characters of a refusal, the paths of the case's folder not counted."""
NO_NUMBER = re.compile(r"[:\[,]\s*-?(NaN|Infinity)\b")


def faults(case: Case, result: Result) -> list[str]:
    """Sentences; empty if all is well."""
    return [*_ending(case, result), *_refusal(case, result), *_json(case, result)]


def hangs(case: Case, result: Result) -> bool:
    """Whether it ran longer than it may."""
    return result.code == -2 or result.seconds > case.limit_s


def has_traceback(result: Result) -> bool:
    """Whether it printed one."""
    return "Traceback (most recent call last)" in result.err + result.out


def _ending(case: Case, result: Result) -> list[str]:
    found = []
    if hangs(case, result):
        found.append(f"still running after {case.limit_s:g} s")
    elif result.code == -1:
        found.append("the process died")
    elif result.code not in (0, 1, 2, 130):
        found.append(f"exit code {result.code}")
    if has_traceback(result):
        found.append("a traceback: " + (result.err.strip().splitlines() or [""])[-1][:200])
    return found


def _refusal(case: Case, result: Result) -> list[str]:
    if result.code != 2:
        return []
    lines = result.err.strip().splitlines()
    if not lines or not lines[-1].startswith("loadmaster: "):
        return [f"refused without saying why: {lines[-1:]!r}"[:300]]
    said = lines[-1].replace(str(case.folder), "")
    return [f"a refusal of {len(said)} characters"] if len(said) > LONGEST else []


def _json(case: Case, result: Result) -> list[str]:
    found = []
    if "--json" in case.arguments and result.code in (0, 1) and result.out.strip():
        found += _strict("stdout", result.out)
    if "--json" in case.arguments and result.code == 0 and not result.out.strip():
        found.append("no JSON on stdout")
    for path in sorted(case.folder.rglob("*")):
        written = path.is_file() and case.given.get(path) != path.stat().st_mtime_ns
        if path.suffix in (".json", ".jsonl") and written:
            text = path.read_text(errors="replace")
            for part in text.splitlines() if path.suffix == ".jsonl" else [text]:
                if NO_NUMBER.search(part):
                    found += _strict(_name(case, path), part)
    return found


def _name(case: Case, path: Path) -> str:
    return str(path.relative_to(case.folder))


def _strict(name: str, text: str) -> list[str]:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as error:
        return [f"{name} is no JSON: {error}"[:200]]
    return []
