"""What a reader returns: the jobs, the machines if the log names them, and what was left out and why."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from loadmaster.model import Cluster, Workload


@dataclass
class Skipped:
    """Lines left out, counted by reason, with the numbers of the first few.

    Example:
        >>> skipped = Skipped()
        >>> skipped.add("runtime is not known", [7, 9])
        >>> skipped.total, skipped.lines["runtime is not known"]
        (2, [7, 9])
    """

    counts: dict[str, int] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)
    shown: int = 5

    def add(self, reason: str, lines: Iterable[int], count: int | None = None) -> None:
        """Count lines left out for `reason`; `count` if `lines` holds only the first of them."""
        numbers = [int(line) for line in lines]
        self.counts[reason] = self.counts.get(reason, 0) + (len(numbers) if count is None else count)
        kept = self.lines.setdefault(reason, [])
        kept.extend(numbers[: self.shown - len(kept)])

    @property
    def total(self) -> int:
        """How many lines were left out."""
        return sum(self.counts.values())


@dataclass(frozen=True, eq=False)
class Trace:
    """A log as read.

    Attributes:
        workload: its jobs, the first arrival at 0.
        cluster: its machines, None if the log does not name them.
        skipped: what was left out.
        notes: what the reader had to assume, one sentence each; shown to the user.
    """

    workload: Workload
    cluster: Cluster | None = None
    skipped: Skipped = field(default_factory=Skipped)
    notes: tuple[str, ...] = ()
