"""Runs side by side: which has the lowest mean wait under each load and discipline, and what must not be trusted."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from loadmaster.runs import Case, Outcome

CLOSE = 0.01
"""Policies whose mean waits differ by less than this are called equally good."""


@dataclass(frozen=True, eq=False)
class Group:
    """The runs under one load and one discipline.

    Attributes:
        baseline: the run that the others are measured against; None if there is only one.
        judged: the best may be called so; not where too many jobs are left out.
    """

    load: float
    discipline: str
    outcomes: Sequence[Outcome]
    baseline: Outcome | None
    judged: bool = True

    @property
    def eligible(self) -> list[Outcome]:
        """The runs that left the fewest jobs unstarted; a mean that leaves out more says nothing beside theirs."""
        fewest = min(outcome.metrics.unstarted for outcome in self.outcomes)
        return [outcome for outcome in self.outcomes if outcome.metrics.unstarted == fewest]

    @property
    def best(self) -> Outcome:
        """The eligible run with the least mean wait, the first among equals."""
        return min(self.eligible, key=lambda outcome: outcome.metrics.mean_wait_s)

    def change(self, outcome: Outcome) -> float | None:
        """The relative change of the mean wait against the baseline; None for the baseline itself."""
        if self.baseline is None or outcome is self.baseline:
            return None
        against = self.baseline.metrics.mean_wait_s
        if against > 0:
            return outcome.metrics.mean_wait_s / against - 1.0
        return 0.0 if outcome.metrics.mean_wait_s == 0 else float("inf")


@dataclass(frozen=True, eq=False)
class Comparison:
    """What `compare` has to show.

    Attributes:
        outcomes: in the order load, discipline, policy.
        baseline: name of the policy that the others are measured against.
        remarks: what was left out, assumed or is synthetic.
        command: how to make it again.
        notes: what was assumed, and which options do nothing under some of the runs; they are among the remarks.
    """

    case: Case
    outcomes: Sequence[Outcome]
    baseline: str
    remarks: Sequence[str] = ()
    command: str = ""
    notes: Sequence[str] = ()

    @property
    def policies(self) -> tuple[str, ...]:
        """The policies compared, in the order given."""
        return tuple(dict.fromkeys(outcome.setting.policy for outcome in self.outcomes))

    @property
    def disciplines(self) -> tuple[str, ...]:
        """The disciplines compared, in the order given."""
        return tuple(dict.fromkeys(outcome.setting.discipline for outcome in self.outcomes))

    @property
    def groups(self) -> list[Group]:
        """The runs by load, then by discipline, loads ascending."""
        ordered = sorted(self.outcomes, key=lambda o: (o.load, self.disciplines.index(o.setting.discipline)))
        groups = []
        for (load, discipline), same in groupby(ordered, key=lambda o: (o.load, o.setting.discipline)):
            runs = list(same)
            baseline = next((o for o in runs if o.setting.policy == self.baseline), None)
            judged = not self.case.without_verdict
            groups.append(Group(load, discipline, runs, baseline if len(runs) > 1 else None, judged))
        return groups


def faults(comparison: Comparison) -> list[str]:
    """Runs that must not be trusted, and why; one sentence each."""
    return [
        f"{outcome.setting.policy}, {outcome.setting.discipline}, {load_words(outcome.load)}: {warning}"
        for outcome in comparison.outcomes
        for warning in warnings(outcome)
    ]


def warnings(outcome: Outcome) -> list[str]:
    """Why a run must not be trusted, one sentence each; mostly none."""
    error, unstarted = outcome.metrics.little_error, outcome.metrics.unstarted
    found = []
    if error > CLOSE:
        found.append(f"Little's law does not hold ({error:.2%} apart)")
    if unstarted:
        jobs = "job" if unstarted == 1 else "jobs"
        found.append(f"{unstarted:,} {jobs} never started{_because(outcome)}; means leave them out")
    return [*found, *outcome.faults]


def _because(outcome: Outcome) -> str:
    """Why jobs never started, in parentheses; empty where they only wait."""
    reasons = [f"{count:,}: {reason}" for reason, count in outcome.losses.never_run.items()]
    refused = outcome.losses.refused
    reasons += [f"{refused:,}: refused, too many of its user, account or QOS"] if refused else []
    return f" ({'; '.join(reasons)})" if reasons else ""


def load_words(load: float, digits: int = 2) -> str:
    """An offered load in words.

    Example:
        >>> load_words(0.85), load_words(float("inf"))
        ('load 0.85', 'all jobs at once')
    """
    return f"load {load:.{digits}f}" if math.isfinite(load) else "all jobs at once"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them.

    Example:
        >>> listed(["a"]), listed(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def percent(part: float) -> str:
    """A part as whole percent, with one digit where it is small.

    Example:
        >>> percent(0.2234), percent(0.034)
        ('22 %', '3.4 %')
    """
    return f"{part * 100:.0f} %" if abs(part) >= 0.0995 else f"{part * 100:.1f} %"
