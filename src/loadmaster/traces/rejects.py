"""The judgement over every line: kept, left out and counted, or (strict) an error that names the line."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from loadmaster.model import InputError
from loadmaster.model.arrays import Bools
from loadmaster.traces.trace import Skipped


class Rule(NamedTuple):
    """Why a line is not kept; `bad` if it is malformed, not merely a job that cannot be replayed."""

    reason: str
    bad: bool = True


class Line(NamedTuple):
    """A line of a file, by number from 1, with its text."""

    number: int
    text: str


Locate = Callable[[int], Line]


class Rejects:
    """Counts what a reader leaves out; in strict mode the first bad line ends the reading."""

    def __init__(self, path: Path, *, strict: bool = False) -> None:
        self.path = path
        self.strict = strict
        self.skipped = Skipped()
        self.first: tuple[Line, Rule] | None = None

    def judge(self, checks: Sequence[tuple[Rule, Bools]], locate: Locate) -> Bools:
        """Count each row under the first rule it breaks.

        Args:
            checks: rules, each with bool[N], the rows that break it.
            locate: the line of a row.

        Returns:
            bool[N], the rows that break none.
        """
        keep = np.ones(checks[0][1].shape[0], dtype=bool)
        violations: list[tuple[Rule, list[Line], int]] = []
        for rule, broken in checks:
            rows = np.flatnonzero(broken & keep)
            if rows.size:
                keep[rows] = False
                violations.append((rule, [locate(int(row)) for row in rows[: self.skipped.shown]], int(rows.size)))
        self.count(violations)
        return keep

    def count(self, broken: Sequence[tuple[Rule, list[Line], int]]) -> None:
        """Count rows by rule: the rule, its first lines, how many."""
        bad = [(lines[0], rule) for rule, lines, _ in broken if rule.bad and lines]
        if bad and self.strict:
            raise self.error(*min(bad))
        for rule, lines, count in broken:
            self.skipped.add(rule.reason, [line.number for line in lines], count, bad=rule.bad)
        firsts = [(lines[0], rule) for rule, lines, _ in broken if lines]
        if self.first is None and firsts:
            self.first = min(firsts)

    def error(self, line: Line, rule: Rule) -> InputError:
        """The error that names `line`."""
        return InputError(line.text, rule.reason, where=f"{self.path}:{line.number}")

    def none_left(self) -> InputError:
        """The error for a file without a single job."""
        if self.first is None:
            return InputError(self.path.name, "no job in this file", where=str(self.path))
        line, rule = self.first
        fix = f"none of its {self.skipped.total:,} lines is a job that can be replayed"
        return InputError(line.text, rule.reason, fix=fix, where=f"{self.path}:{line.number}")
