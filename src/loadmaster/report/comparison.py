"""Runs side by side: which policy is best under each load and discipline, and the answer in one sentence."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from loadmaster.model.units import show_seconds
from loadmaster.runs import Case, Outcome

CLOSE = 0.01
"""Policies whose mean waits differ by less than this are called equally good."""


@dataclass(frozen=True, eq=False)
class Group:
    """The runs under one load and one discipline.

    Attributes:
        baseline: the run that the others are measured against; None if there is only one.
    """

    load: float
    discipline: str
    outcomes: Sequence[Outcome]
    baseline: Outcome | None

    @property
    def best(self) -> Outcome:
        """The run with the least mean wait, the first among equals; none that left more jobs unstarted than another."""
        return min(self.outcomes, key=lambda outcome: (outcome.metrics.unstarted, outcome.metrics.mean_wait_s))

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
    """

    case: Case
    outcomes: Sequence[Outcome]
    baseline: str
    remarks: Sequence[str] = ()
    command: str = ""

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
            groups.append(Group(load, discipline, runs, baseline if len(runs) > 1 else None))
        return groups


def answer(comparison: Comparison) -> str:
    """The answer in one sentence, for the highest load; with several loads, how far it holds for the others."""
    loads = sorted({group.load for group in comparison.groups})
    top = [group for group in comparison.groups if group.load == loads[-1]]
    group = min(top, key=lambda g: g.best.metrics.mean_wait_s)
    sentence = _sentence(group)
    if len(comparison.disciplines) > 1:
        sentence += f", under {group.discipline}"
    if len(loads) > 1:
        sentence += f", at {load_words(loads[-1])}"
        good = sum(_is_good(comparison, load, group.best) for load in loads)
        if group.baseline is not None and not _all_close(group):
            sentence += f"; it is the best or within 1 % of it at {good} of {len(loads)} loads"
    return sentence + "."


def unbroken(text: str) -> str:
    """`text` with every number kept on one line with its unit."""
    return re.sub(r"(\d) (?=\S{1,3}(?:[\s,.;)]|$))", "\\1\N{NO-BREAK SPACE}", text)


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
        found.append(f"{unstarted:,} {'job' if unstarted == 1 else 'jobs'} never started; means leave them out")
    return [*found, *outcome.faults]


def load_words(load: float, digits: int = 2) -> str:
    """An offered load in words.

    Example:
        >>> load_words(0.85), load_words(float("inf"))
        ('load 0.85', 'all jobs at once')
    """
    return f"load {load:.{digits}f}" if math.isfinite(load) else "all jobs at once"


def _sentence(group: Group) -> str:
    best = group.best
    wait = show_seconds(best.metrics.mean_wait_s)
    if group.baseline is None:
        return (
            f"Under {best.setting.policy} a job waits {wait} on average, {best.metrics.mean_queue_length:.3g} at a time"
        )
    baseline = group.baseline.setting.policy
    against = show_seconds(group.baseline.metrics.mean_wait_s)
    if _all_close(group):
        return f"The choice hardly matters here: all policies wait within 1 % of {baseline}'s {against}"
    change = group.change(best)
    least = best.metrics.mean_wait_s
    close = [o for o in group.outcomes if o is not best and o.metrics.mean_wait_s <= least * (1 + CLOSE)]
    level = f", {listed([o.setting.policy for o in close])} within 1 % of it" if close else ""
    if change is None:
        others = [outcome for outcome in group.outcomes if outcome is not best and outcome not in close]
        second = min(others, key=lambda outcome: outcome.metrics.mean_wait_s)
        more = second.metrics.mean_wait_s / best.metrics.mean_wait_s - 1 if best.metrics.mean_wait_s > 0 else 0.0
        return (
            f"{baseline} keeps the queue shortest{level}: the next, {second.setting.policy}, waits {percent(more)} more"
        )
    less = f"{percent(-change)} less wait than {baseline} ({wait}, not {against})"
    return f"{best.setting.policy} keeps the queue shortest{level}: {less}"


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


def _all_close(group: Group) -> bool:
    return all(abs(group.change(outcome) or 0.0) < CLOSE for outcome in group.outcomes)


def _is_good(comparison: Comparison, load: float, winner: Outcome) -> bool:
    """The winning policy and discipline is the best at `load`, or within 1 % of it."""
    runs = [outcome for group in comparison.groups if group.load == load for outcome in group.outcomes]
    least = min(outcome.metrics.mean_wait_s for outcome in runs)
    key = (winner.setting.policy, winner.setting.discipline)
    own = next(o.metrics.mean_wait_s for o in runs if (o.setting.policy, o.setting.discipline) == key)
    return own <= least * (1 + CLOSE)
