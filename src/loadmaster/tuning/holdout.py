"""The winner's gain on held-out weeks, its reasons, and the groups that lose (rules U11 to U13)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadmaster.measure.paired_comparison import Difference, log_ratio, of_chaos, over_resamples
from loadmaster.measure.resample import whole_weeks, without_interval
from loadmaster.model.arrays import Floats
from loadmaster.runs.samples import Resampling, SampleRun
from loadmaster.tuning.bench import PortableRule, TrialBench
from loadmaster.tuning.figures import column
from loadmaster.tuning.full_log_run import FullLogRun, full_log_run
from loadmaster.tuning.knobs import Knob
from loadmaster.tuning.search import SearchOutcome, SearchPlan, runnable_rule

SHORTEST_S = 1.0
"""Longest waits below this count as so long, where others are measured by them."""
FEW = 10
"""Terms are taken out one by one on the first so many of the logs."""


@dataclass(frozen=True)
class Ablation:
    """The winner without one of its terms.

    Attributes:
        knob: what was taken out.
        worse: the rule without the term against the winner, in the first target; above 0 the term lowers the target.
        longest: the longest wait of what is left over the winner's, on the log where that is largest.
    """

    knob: Knob
    worse: Difference
    longest: float


@dataclass(frozen=True)
class Gain:
    """The winner against one other rule on the held-out weeks.

    Attributes:
        against: the other rule.
        differences: of each target.
    """

    against: PortableRule
    differences: tuple[Difference, ...]

    @property
    def claimed(self) -> bool:
        """Whether the first target is surely lower: its interval is below 0."""
        first = self.differences[0]
        return first.how != "chaos" and first.high < 0


@dataclass(frozen=True)
class Holdout:
    """The results on the held-out weeks.

    Attributes:
        how: the logs were drawn; `shake` gives no interval.
        because: there is no interval; empty where there is.
        logs: how many.
        weeks: whole weeks that they are drawn from.
        gains: against the rule to beat, and against the baseline where that is another.
        ablations: one for each term.
        whole: the winner, the baseline and every built-in rule on the weeks as they are, in the order of `rules`.
        rules: see `whole`.
    """

    how: Resampling
    because: str
    logs: int
    weeks: int
    gains: tuple[Gain, ...]
    ablations: tuple[Ablation, ...]
    rules: tuple[PortableRule, ...]
    whole: tuple[FullLogRun, ...]

    @property
    def rival(self) -> PortableRule:
        """The rule to beat, in sentences, tables and charts: the best built-in one here but the winner."""
        return self.gains[0].against

    def of(self, rule: PortableRule) -> FullLogRun:
        """The run of a rule on the weeks as they are."""
        return self.whole[self.rules.index(rule)]


def holdout(bench: TrialBench, plan: SearchPlan, selection: SearchOutcome, logs: int) -> Holdout:
    """Run the built-in rules, the winner against the best of them, and the winner without each of its terms, there.

    Args:
        bench: draws from the held-out weeks.
        plan: of the search.
        selection: with a winner.
        logs: how many to draw for the gain.
    """
    assert selection.winner is not None
    winner = selection.winner.rule
    builtins = [rule for rule, _ in selection.builtins if rule != winner]  # the baseline is none that wins
    rules = (winner, *builtins)
    bench.ahead(2 * logs)
    whole = full_log_run(bench.case, rules, bench.store, bench.pool, bench.watch)
    best, zero = rule_to_beat(builtins, [each.values for each in whole[1:]], plan), builtins[0]
    because = without_interval(bench.case.workload, "users").replace("the log", "what is held out of the log")
    how: Resampling = "shake" if because else "users"
    others = [best] + ([zero] if zero != best else [])
    bench.ahead(0)
    runs = bench.drawn([winner, *others], how, logs)
    weeks = whole_weeks(bench.case.workload)
    gains = tuple(
        Gain(other, tuple(_difference(runs[0], theirs, target, how, weeks) for target in plan.targets))
        for other, theirs in zip(others, runs[1:], strict=True)
    )
    return Holdout(
        how,
        because,
        logs,
        weeks,
        gains,
        _without(bench, plan, selection, runs[0][:FEW], how, weeks),
        rules,
        tuple(whole),
    )


def rule_to_beat(
    builtins: Sequence[PortableRule], values: Sequence[Mapping[str, float]], plan: SearchPlan
) -> PortableRule:
    """The lowest in the first target of those that keep the limit, as the weeks are; the first is the baseline."""
    zero = values[0]
    longest_s = plan.limit * max(zero["longest_wait_s"], SHORTEST_S)
    within = [
        (each[plan.targets[0]], k)
        for k, each in enumerate(values)
        if each["unstarted"] <= zero["unstarted"] and each["longest_wait_s"] <= longest_s
    ]
    return builtins[min(within)[1]]


def _without(
    bench: TrialBench,
    plan: SearchPlan,
    selection: SearchOutcome,
    winner: Sequence[SampleRun],
    how: Resampling,
    weeks: int,
) -> tuple[Ablation, ...]:
    space = selection.space
    taken = [] if selection.won is None else space.without(selection.won.values)
    runs = bench.drawn([runnable_rule(space, values) for _, values in taken], how, len(winner)) if taken else []
    return tuple(
        Ablation(knob, _difference(each, winner, plan.targets[0], how, weeks), _longest(each, winner))
        for (knob, _), each in zip(taken, runs, strict=True)
    )


def _difference(
    one: Sequence[SampleRun], other: Sequence[SampleRun], target: str, how: Resampling, weeks: int
) -> Difference:
    ratio: Floats = log_ratio(column(one, target), column(other, target))
    return of_chaos(ratio) if how == "shake" else over_resamples(ratio, weeks)


def _longest(one: Sequence[SampleRun], other: Sequence[SampleRun]) -> float:
    return max(a.longest_wait_s / max(b.longest_wait_s, 1.0) for a, b in zip(one, other, strict=True))
