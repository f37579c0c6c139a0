"""The dependencies of jobs on other jobs, in columns, and Slurm's notation of them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Bools, Floats, Ints, Longs, frozen_floats, frozen_ints, frozen_longs
from loadmaster.model.errors import InputError

KINDS = ("after", "afterany", "afterok", "afternotok", "aftercorr", "singleton")
"""What a dependency waits for, by its code: that the other has started; ended in any way, well, or not well; the same
task of the other array well; and that no job of the same user and name runs or waits with a smaller number."""
SINGLETON = KINDS.index("singleton")
_PART = re.compile(r"([0-9]{1,18})(?:_([0-9]{1,9}|\*))?(?:\+([0-9]{1,9}))?")


@dataclass(frozen=True, eq=False)
class Dependencies:
    """D dependencies of J jobs: those of job j stand in rows first[j] up to first[j + 1].

    Attributes:
        first: int64[J + 1], ascending from 0 to D.
        kind: int32[D], a code of `KINDS`.
        on: int64[D], the log's identifier of the other job or of its array; -1 for a singleton.
        task: int32[D], the task of that array; -1 for the whole of it, and for jobs that are no task.
        delay_s: float64[D], for `after`: seconds to wait from the start of the other job on.
        one_is_enough: bool[J], one of a job's dependencies is enough; else it needs all of them.

    Raises:
        InputError: columns that do not belong together, or a value beyond its range.

    Example:
        >>> waits = Dependencies.of(["", "afterok:7", "afterany:7_3?singleton"])
        >>> waits.first.tolist(), waits.on.tolist(), waits.one_is_enough.tolist(), waits.text(2)
        ([0, 0, 1, 3], [7, 7, -1], [False, False, True], 'afterany:7_3?singleton')
    """

    first: Longs
    kind: Ints
    on: Longs
    task: Ints
    delay_s: Floats
    one_is_enough: Bools

    def __post_init__(self) -> None:
        freezers = {"first": frozen_longs, "kind": frozen_ints, "on": frozen_longs, "task": frozen_ints}
        for name, freeze in (freezers | {"delay_s": frozen_floats}).items():
            object.__setattr__(self, name, freeze(getattr(self, name)))
        object.__setattr__(self, "one_is_enough", np.asarray(self.one_is_enough, bool))
        rows = {len(self.kind), len(self.on), len(self.task), len(self.delay_s)}
        jobs = len(self.one_is_enough)
        if len(self.first) != jobs + 1 or rows != {int(self.first[-1])} or (np.diff(self.first, prepend=0) < 0).any():
            raise InputError(sorted(rows), "columns of dependencies of unequal length")
        if self.kind.size and not 0 <= int(self.kind.min()) <= int(self.kind.max()) < len(KINDS):
            raise InputError(int(self.kind.max()), f"no kind of dependency; there are {', '.join(KINDS)}")
        if not (np.isfinite(self.delay_s) & (self.delay_s >= 0)).all():
            raise InputError("delay_s", "the delay of a dependency must be zero or more")

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> "Dependencies":
        """Dependencies in Slurm's notation, "" or None for a job without any; see `parse_dependency`.

        Raises:
            InputError: a text that is none.
        """
        parsed = [parse_dependency(text or "") for text in texts]
        rows = [row for each, _ in parsed for row in each]
        kind, on, task, delay_s = zip(*rows, strict=True) if rows else ((), (), (), ())
        first = np.cumsum([0, *(len(each) for each, _ in parsed)])
        return cls(
            first,
            np.array(kind, np.int32),
            np.array(on, np.int64),
            np.array(task, np.int32),
            np.array(delay_s, np.float64),
            np.array([any_ for _, any_ in parsed], bool),
        )

    def __len__(self) -> int:
        return int(self.one_is_enough.shape[0])

    def rows_of(self, job: int) -> range:
        """The rows of one job."""
        return range(int(self.first[job]), int(self.first[job + 1]))

    def text(self, job: int) -> str:
        """What one job waits for in Slurm's notation, "" for nothing."""
        parts = []
        for row in self.rows_of(job):
            kind = KINDS[self.kind[row]]
            task = f"_{self.task[row]}" if self.task[row] >= 0 else ""
            delay = f"+{self.delay_s[row] / 60:.0f}" if self.delay_s[row] else ""
            parts.append(kind if self.kind[row] == SINGLETON else f"{kind}:{self.on[row]}{task}{delay}")
        return ("?" if self.one_is_enough[job] else ",").join(parts)

    def take(self, jobs: NDArray[np.generic] | slice) -> "Dependencies":
        """Those of the jobs chosen by a mask, an index array or a slice."""
        chosen = np.arange(len(self))[jobs]
        count = np.diff(self.first)[chosen]
        first = np.concatenate(([0], np.cumsum(count)))
        rows = np.repeat(self.first[chosen] - first[:-1], count) + np.arange(first[-1])
        return Dependencies(
            first, self.kind[rows], self.on[rows], self.task[rows], self.delay_s[rows], self.one_is_enough[chosen]
        )


def parse_dependency(text: str) -> tuple[list[tuple[int, int, int, float]], bool]:
    """Rows (kind, on, task, delay_s) and whether one of them is enough, of a text such as `afterok:12:13,singleton`.

    A comma joins dependencies that must all be met, `?` those of which one is enough. `+N` is a delay in minutes;
    `12_3` is task 3 of array 12, `12_*` all of it. Text that `squeue` adds in brackets (`(unfulfilled)`) is skipped.

    Raises:
        InputError: a text that is none.

    Example:
        >>> parse_dependency("after:12+5?afterok:13_2")
        ([(0, 12, -1, 300.0), (2, 13, 2, 0.0)], True)
    """
    plain = re.sub(r"\([a-z]*\)", "", text.strip().lower())
    if "," in plain and "?" in plain:
        raise InputError(text, "a dependency joins its parts by commas or by ?, not both", fix="use one of them")
    rows: list[tuple[int, int, int, float]] = []
    for part in filter(None, re.split(r"[,?]", plain)):
        rows += [(SINGLETON, -1, -1, 0.0)] if part == "singleton" else _jobs_of(part, text)
    return rows, "?" in plain


def _jobs_of(part: str, text: str) -> list[tuple[int, int, int, float]]:
    kind, _, jobs = part.partition(":")
    rows = []
    for job in jobs.split(":"):
        match = _PART.fullmatch(job)
        if match is None or kind not in KINDS[:SINGLETON]:
            rule = f"no dependency; there are {', '.join(KINDS)}"
            raise InputError(text, rule, fix="write it like afterok:12:13,singleton")
        task = -1 if match[2] in (None, "*") else int(match[2])
        rows.append((KINDS.index(kind), int(match[1]), task, 60.0 * int(match[3] or 0)))
    return rows
