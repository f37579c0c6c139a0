"""The result of a reader: the jobs, the machines if the log names them, and what was left out and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from numpy.typing import NDArray

from loadmaster.model import Cluster, Workload
from loadmaster.traces.recipe import Recipe

Machines = Literal["", "given", "log", "beside"]


@dataclass
class Skipped:
    """Lines or jobs left out, counted by reason, with the numbers of the first few.

    Attributes:
        counts: reason -> how many.
        lines: reason -> the line numbers (or identifiers of jobs) of the first `shown`.
        bad: the reasons that mean a malformed line, not a job that never ran.
        work: of jobs, the part of all work that they hold: of core-seconds, or of GPU-seconds where that is more.

    Example:
        >>> skipped = Skipped()
        >>> skipped.add("runtime is not known", [7, 9])
        >>> skipped.total, skipped.lines["runtime is not known"]
        (2, [7, 9])
    """

    counts: dict[str, int] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)
    shown: int = 5
    work: float = 0.0

    def add(self, reason: str, lines: Iterable[int], count: int | None = None, *, bad: bool = False) -> None:
        """Count lines left out for `reason`; `count` if `lines` holds only the first of them."""
        numbers = [int(line) for line in lines]
        self.counts[reason] = self.counts.get(reason, 0) + (len(numbers) if count is None else count)
        examples = self.lines.setdefault(reason, [])
        examples.extend(numbers[: self.shown - len(examples)])
        if bad and reason not in self.bad:
            self.bad.append(reason)

    @property
    def total(self) -> int:
        """How many lines were left out."""
        return sum(self.counts.values())

    @property
    def malformed(self) -> int:
        """How many of them were malformed."""
        return sum(self.counts[reason] for reason in self.bad)

    def sentences(self, noun: str = "line") -> list[str]:
        """One sentence a reason, for people.

        Example:
            >>> skipped = Skipped()
            >>> skipped.add("runtime is not known", [7, 9], count=12)
            >>> skipped.sentences()
            ['12 left out: runtime is not known (line 7, 9, ...)']
        """
        return [
            f"{count:,} left out: {reason} ({noun} {', '.join(map(str, self.lines[reason]))}"
            + (", ...)" if count > len(self.lines[reason]) else ")")
            for reason, count in self.counts.items()
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """A log as read.

    Attributes:
        workload: its jobs, the first arrival at 0.
        cluster: its machines, None if nothing names them.
        skipped: what was left out.
        notes: what the reader had to assume, one sentence each; shown to the user.
        about: what the log says of itself (SWF header comments).
        machines: how the cluster became known: named by the user, by the log itself, by a file beside it, or not.
        memory_in_doubt: memory looks wrong; one of the notes says why.
        format: a name of `loadmaster.traces.FORMATS`; empty for jobs that no file held.
        extra: further columns of the log, one value a job, where `ReadOptions.all_fields` requested them.
        recipe: how a synthetic log says that it was made.
        window_s: when the window of a dump opens, on the clock of its jobs; None of a log that shows none.
        listed_s: when a queue was listed, on the clock of its jobs; None of a log of jobs that are over.
        of_queue: it lists the jobs that run and wait at one moment.
    """

    workload: Workload
    cluster: Cluster | None = None
    skipped: Skipped = field(default_factory=Skipped)
    notes: tuple[str, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    machines: Machines = ""
    memory_in_doubt: bool = False
    format: str = ""
    recipe: Recipe | None = None
    listed_s: float | None = None
    of_queue: bool = False
    window_s: float | None = None

    def __repr__(self) -> str:
        lost = f", {self.skipped.total:,} lines left out" if self.skipped.total else ""
        return (
            f"<Trace: {self.workload!r}, {'no machines named' if self.cluster is None else repr(self.cluster)}{lost}>"
        )
