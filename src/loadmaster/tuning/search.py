"""The search itself: trials on logs drawn from the training weeks, the best of them again on more (rules U3, U8, U9).

Nothing here is given the held-out weeks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loadmaster.runs.samples import SampleRun
from loadmaster.runs.setting import Setting
from loadmaster.tuning.baselines import BASELINE, SITE_QUEUE, baseline, baselines, of_the_kind
from loadmaster.tuning.bench import PortableRule, TrialBench
from loadmaster.tuning.figures import Figures, figures, front
from loadmaster.tuning.knobs import Values
from loadmaster.tuning.space import FILE, PartName, Space, space_of
from loadmaster.tuning.suggestions import BATCH, TriedRule, ask
from loadmaster.tuning.trial_store import KeptTrials

_MORE = 8
"""So many times as many candidates are requested where some of them were tried before."""


@dataclass(frozen=True)
class SearchPlan:
    """How a search goes.

    Attributes:
        parts: what is searched.
        base: whatever is not.
        targets: what is to be low; the first is the one that a gain is claimed in.
        limit: on the longest wait, a factor on the baseline's.
        trials: candidates to try.
        runs: logs that each is tried on.
        finalists: candidates that are judged again.
        final_runs: logs that they are judged on, none of which was tried before.
        seed: of all draws.
        scheduler_parameters: of a site whose parameters are searched, what SchedulerParameters says now.
    """

    parts: tuple[PartName, ...]
    base: Setting
    targets: tuple[str, ...] = ("mean_wait_s",)
    limit: float = 1.5
    trials: int = 100
    runs: int = 4
    finalists: int = 8
    final_runs: int = 8
    seed: int = 0
    scheduler_parameters: str = ""

    @property
    def baseline_name(self) -> str:
        """The rule that all are measured against, as sentences call it."""
        return SITE_QUEUE if "slurm" in self.parts else BASELINE


@dataclass(frozen=True)
class Finalist:
    """A candidate, or a built-in rule, that was judged on the final logs.

    Attributes:
        rule: the rule.
        tried: its figures on the logs of the trials.
        judged: on the final logs.
        number: of its trial; None of a built-in rule.
    """

    rule: PortableRule
    tried: Figures
    judged: Figures
    number: int | None


@dataclass(frozen=True)
class SearchOutcome:
    """The result of a search.

    Attributes:
        space: the searched parameters.
        trials: all candidates, in the order in which they were tried.
        finalists: candidates and built-in rules that kept the limit and were lower than the baseline, the best first.
        builtins: built-in rules and their figures on the logs of the trials, the baseline first.
        front: numbers of the trials that keep the limit and that no other trial beats in all targets.
    """

    space: Space
    trials: tuple[TriedRule, ...]
    finalists: tuple[Finalist, ...]
    builtins: tuple[tuple[PortableRule, Figures], ...]
    front: tuple[int, ...]

    @property
    def winner(self) -> Finalist | None:
        """The best; None where none keeps the limit on the longest wait and is lower than the baseline."""
        return self.finalists[0] if self.finalists else None

    @property
    def won(self) -> TriedRule | None:
        """The winner as it was tried; None where there is none, and where a built-in rule won."""
        return None if self.winner is None or self.winner.number is None else self.trials[self.winner.number]


def search_rules(bench: TrialBench, plan: SearchPlan, folder: Path | None = None, then: int = 0) -> SearchOutcome:
    """Try candidates, judge the best again.

    Args:
        bench: draws from the training weeks.
        plan: what to search, and how long.
        folder: where trials are kept.
        then: about how many runs come after the search, for the progress.
    """
    zero = baseline(plan.base, plan.parts)
    numbers = range(plan.runs)
    bench.ahead(plan.trials * plan.runs + _finals(plan, 0) + then)
    against = bench.in_turn([zero], numbers)[0]
    longest_s = max(run.longest_wait_s for run in against) * plan.limit
    space = space_of(bench.case, plan.parts, plan.base, longest_s)
    built_in = baselines(space, bench.case)
    final = _finals(plan, len(built_in)) + then
    trials = _run_trials(bench, plan, space, against, folder, len(built_in) * plan.runs + final)
    bench.ahead(final)
    judged = [figures(runs, against, plan.targets) for runs in bench.in_turn(built_in, numbers)]
    builtins = tuple(zip(built_in, judged, strict=True))
    bench.ahead(then)
    return _rerun_finalists(bench, plan, space, trials, builtins)


def runnable_rule(space: Space, values: Values) -> PortableRule:
    """A candidate as a rule that can be run."""
    return PortableRule(space.setting(values, FILE), space.sources(values, FILE))


def _finals(plan: SearchPlan, builtins: int) -> int:
    """Runs of the finals, about: half of the built-in rules keep the limit."""
    return (min(plan.finalists, plan.trials) + builtins // 2 + 1) * plan.final_runs


def _run_trials(
    bench: TrialBench, plan: SearchPlan, space: Space, against: Sequence[SampleRun], folder: Path | None, then: int
) -> tuple[TriedRule, ...]:
    store = KeptTrials(
        folder,
        space.knobs,
        len(plan.targets),
        case=bench.case.digest,
        targets=plan.targets,
        limit=plan.limit,
        runs=plan.runs,
        seed=plan.seed,
        base=plan.base.plain(),
        parts=plan.parts,
        own=space.own_sources,
    )
    trials = store.all()[: plan.trials]
    while len(trials) < plan.trials:
        at = len(trials) % BATCH
        begun = trials[: len(trials) - at]  # of a batch that was stopped: request it again, and go on within it
        batch = _next(plan, space, begun)[at:]
        bench.ahead((plan.trials - len(trials) - len(batch)) * plan.runs + then)
        runs = bench.in_turn([runnable_rule(space, values) for values in batch], range(plan.runs))
        for values, each in zip(batch, runs, strict=True):
            trial = TriedRule(len(trials), values, figures(each, against, plan.targets))
            store.add(trial, _excess(trial.figures, plan.limit))
            trials.append(trial)
    return tuple(trials)


def _next(plan: SearchPlan, space: Space, trials: Sequence[TriedRule]) -> list[Values]:
    """The next batch: first those that the literature knows, then what Optuna proposes; no more than were requested."""
    first = space.first()
    count = min(BATCH, plan.trials - len(trials))
    given: list[Values] = list(first[len(trials) : len(trials) + count])
    excess = [_excess(trial.figures, plan.limit) for trial in trials]
    rest = count - len(given)
    if not rest:
        return given
    names = {space.name(values) for values in (*(trial.values for trial in trials), *given)}
    proposals = ask(space.knobs, trials, excess, rest, plan.seed)
    if len(_unknown(space, proposals, names)) < rest:  # other values may be written alike, such as those of trees
        proposals = ask(space.knobs, trials, excess, _MORE * rest, plan.seed)
    new = _unknown(space, proposals, names)
    return [*given, *new, *proposals[len(new) :]][:count]


def _unknown(space: Space, proposals: Sequence[Values], names: set[tuple[str, str]]) -> list[Values]:
    """Those `proposals` that are not among the `names` rules, each rule once."""
    new: dict[tuple[str, str], Values] = {}
    for values in proposals:
        new.setdefault(space.name(values), values)
    return [values for name, values in new.items() if name not in names]


def _rerun_finalists(
    bench: TrialBench,
    plan: SearchPlan,
    space: Space,
    trials: tuple[TriedRule, ...],
    builtins: tuple[tuple[PortableRule, Figures], ...],
) -> SearchOutcome:
    keeping = [trial for trial in trials if trial.figures.keeps(plan.limit)]
    best = [keeping[at] for at in front([trial.figures for trial in keeping])]
    others = [trial for trial in keeping if trial not in best]
    chosen = _first(space, [*sorted(best, key=_value), *sorted(others, key=_value)], plan.finalists)
    to_repeat = [(runnable_rule(space, trial.values), trial.figures, trial.number) for trial in chosen]
    finalists = [*to_repeat, *_eligible_builtins(space, plan, builtins)]
    zero = builtins[0][0]
    rules = [*(rule for rule, _, _ in finalists), zero]
    *runs, against = bench.in_turn(rules, range(plan.runs, plan.runs + plan.final_runs))
    judged = [
        Finalist(rule, tried, figures(each, against, plan.targets), number)
        for (rule, tried, number), each in zip(finalists, runs, strict=True)
    ]
    highest = 0.0 if of_the_kind(zero, space) else math.inf  # the baseline stands among those to choose from, or not
    passed = [each for each in judged if each.judged.keeps(plan.limit) and each.judged.value < highest]
    passed.sort(key=lambda each: each.judged.value)
    return SearchOutcome(space, trials, tuple(passed), builtins, tuple(sorted(trial.number for trial in best)))


def _eligible_builtins(
    space: Space, plan: SearchPlan, builtins: Sequence[tuple[PortableRule, Figures]]
) -> list[tuple[PortableRule, Figures, None]]:
    """The built-in rules of the kind that is searched, but the baseline, that keep the limit."""
    return [(rule, tried, None) for rule, tried in builtins[1:] if of_the_kind(rule, space) and tried.keeps(plan.limit)]


def _first(space: Space, ranked: list[TriedRule], count: int) -> list[TriedRule]:
    """The first few; equal rules once."""
    once: dict[tuple[str, str], TriedRule] = {}
    for trial in ranked:
        once.setdefault(space.name(trial.values), trial)
    return list(once.values())[:count]


def _value(trial: TriedRule) -> float:
    return trial.figures.value


def _excess(figures: Figures, limit: float) -> float:
    """How far over the limit, as Optuna takes it: 0 or less keeps it."""
    return figures.longest - math.log(limit)
