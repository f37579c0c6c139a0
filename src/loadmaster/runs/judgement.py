"""The verdict of samples of a log on the rules that ran on them: differences with intervals, and the best or none."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np

from loadmaster.measure.best_rule import NO_VERDICT, Verdict, verdict_of_samples, weeks_to_tell
from loadmaster.measure.paired_comparison import Difference, log_ratio, of_chaos, over_resamples, over_seeds
from loadmaster.measure.resample import whole_weeks, without_interval
from loadmaster.measure.sequential_test import unsure_at
from loadmaster.model.arrays import Bools, Floats
from loadmaster.runs.case import Case
from loadmaster.runs.outcome import Outcome
from loadmaster.runs.samples import Drawing, SampleRun
from loadmaster.runs.setting import Setting

Ending = Literal["", "best", "close", "time"]


@dataclass(frozen=True, eq=False)
class Sampled:
    """The samples of one load: K rules, of which a race may have run some on fewer samples.

    Attributes:
        drawing: how they were drawn.
        runs: those of each rule.
        looks: how often each rule was tested in a race; () if there was none.
        ending: why the race ended.
    """

    drawing: Drawing
    runs: tuple[tuple[SampleRun, ...], ...]
    looks: tuple[int, ...] = ()
    ending: Ending = ""

    @property
    def samples(self) -> int:
        """N, the most that a rule ran on."""
        return max((len(each) for each in self.runs), default=0)

    @property
    def cut(self) -> float:
        """Dependencies cut in a sample, on average."""
        longest = max(self.runs, key=len)
        return sum(run.cut for run in longest) / max(len(longest), 1)


@dataclass(frozen=True)
class Judged:
    """One rule at one load.

    Attributes:
        setting: how the rule was run.
        difference: its mean wait against the baseline's; None for the baseline, and for rules that may not be judged.
        rank: 1 + the number of samples with a lower mean wait than the log itself.
        samples: the number of samples that it ran on.
        lowest_in: the part of the samples of all in which it has the least mean wait.
        weeks: about how many weeks of log would distinguish it from the leader; None if they are distinguished already,
            or if the samples do not tell.
        differences: of every metric by its name, as `difference` of the mean wait; empty where that is None.
    """

    setting: Setting
    difference: Difference | None
    rank: int
    samples: int
    lowest_in: float
    weeks: float | None
    differences: Mapping[str, Difference] = field(default_factory=dict)


@dataclass(frozen=True)
class Judgement:
    """The verdict of the samples at one load.

    Attributes:
        load: offered.
        kind: `best`, `tied` or `none`.
        best: the rules that may be the best, the leader first.
        because: why there is no verdict; empty where there is one.
        rows: every rule, in the order of the outcomes.
        baseline: the rule that differences are against.
        second: the leader against the rule nearest to it among those surely worse; None where there is none.
    """

    load: float
    kind: Literal["best", "tied", "none"]
    best: tuple[Setting, ...]
    because: str
    rows: tuple[Judged, ...]
    baseline: Setting
    sampled: Sampled
    log_weeks: int
    second: tuple[Setting, Difference] | None


def judgement(case: Case, outcomes: Sequence[Outcome], baseline: str, sampled: Sampled) -> Judgement:
    """Judge the rules of one load together, policies and disciplines alike (rules R6 to R12)."""
    how, weeks = sampled.drawing.how, whole_weeks(case.workload)
    because = case.without_verdict or _without_interval(case, how)
    wait = [np.array([run.mean_wait_s for run in runs]) for runs in sampled.runs]
    sound = _sound(sampled)
    against = baseline_among(outcomes, baseline)
    judge = partial(_judge, sampled, weeks, bool(because))
    verdict = NO_VERDICT if because else _verdict(sampled, wait, np.flatnonzero(sound).tolist(), judge)
    needed = _weeks(sampled, wait, verdict, weeks)
    rows = tuple(
        Judged(
            outcome.setting,
            judge(k, against)(_ratio(wait, k, against)) if _comparable(sound, k, against) else None,
            1 + int((wait[k] < outcome.metrics.mean_wait_s).sum()),
            wait[k].size,
            _lowest_in(wait, sound, k),
            needed.get(k),
            _of_metrics(sampled, k, against, judge) if _comparable(sound, k, against) else {},
        )
        for k, outcome in enumerate(outcomes)
    )
    settings = [outcome.setting for outcome in outcomes]
    if not because and verdict.kind == "none":
        because = "there is only one rule" if len(settings) < 2 else "rules leave different jobs waiting for ever"
    return Judgement(
        outcomes[0].load,
        verdict.kind,
        tuple(settings[k] for k in verdict.best),
        because,
        rows,
        settings[against],
        sampled,
        weeks,
        _second(settings, verdict),
    )


def _of_metrics(
    sampled: Sampled, one: int, other: int, judge: Callable[[int, int], Callable[[Floats], Difference]]
) -> dict[str, Difference]:
    """Differences of each metric that is a number in all samples that both rules ran on."""
    pairs = list(zip(sampled.runs[one], sampled.runs[other], strict=False))
    found = {}
    for name in pairs[0][0].values if pairs else ():
        values = np.array([(run.of(name), against.of(name)) for run, against in pairs])
        if np.isfinite(values).all() and (values >= 0).all():
            found[name] = judge(one, other)(log_ratio(values[:, 0], values[:, 1]))
    return found


def baseline_among(outcomes: Sequence[Outcome], policy: str) -> int:
    """Which of the runs of one load all others are compared with: the first of the policy, else the first of all."""
    return next((k for k, outcome in enumerate(outcomes) if outcome.setting.policy == policy), 0)


def _without_interval(case: Case, how: str) -> str:
    """Why there is none; of shaken arrivals first why the log allows no better samples."""
    if how == "seeds":
        return ""
    own = without_interval(case.workload, how)
    better = without_interval(case.workload, "users") if how == "shake" else ""
    return f"{better}; {own}" if better else own


def _judge(sampled: Sampled, weeks: int, chaos: bool, one: int, other: int) -> Callable[[Floats], Difference]:
    """How a log-ratio of two rules becomes a difference: by the way of drawing, and the look that ended a race."""
    if chaos:
        return of_chaos
    if sampled.drawing.how != "seeds":
        return partial(over_resamples, weeks=weeks)
    look = min(sampled.looks[one], sampled.looks[other]) if sampled.looks else 0
    return partial(over_seeds, sure=1 - unsure_at(look)) if look else over_seeds


def _verdict(
    sampled: Sampled, wait: list[Floats], rows: list[int], judge: Callable[[int, int], Callable[[Floats], Difference]]
) -> Verdict:
    """Of a race only those that are left are judged: the others were surely worse than a leader of theirs."""
    if not sampled.looks:
        return verdict_of_samples(np.array(wait), rows, judge(0, 0))
    last = max(sampled.looks[row] for row in rows) if rows else 0
    left = [row for row in rows if sampled.looks[row] == last]
    table = np.array([np.pad(each, (0, sampled.samples - each.size), constant_values=np.nan) for each in wait])
    verdict = verdict_of_samples(table, left, judge(left[0], left[0]), unsure_at(last)) if len(left) > 1 else NO_VERDICT
    if verdict.kind == "none" and len(rows) > 1:
        verdict = Verdict("best", (left[0],), {})
    leader = verdict.best[0] if verdict.best else 0
    gone = {row: judge(leader, row)(_ratio(wait, leader, row)) for row in rows if row not in left}
    return Verdict(verdict.kind, verdict.best, verdict.apart | gone)


def _sound(sampled: Sampled) -> Bools:
    """bool[K]: rules that in no sample leave more jobs unstarted than another does."""
    fewest = [min(runs[n].unstarted for runs in sampled.runs if n < len(runs)) for n in range(sampled.samples)]
    return np.array([all(run.unstarted == fewest[n] for n, run in enumerate(runs)) for runs in sampled.runs])


def _comparable(sound: Bools, k: int, against: int) -> bool:
    return k != against and bool(sound[k] and sound[against])


def _ratio(wait: list[Floats], one: int, other: int) -> Floats:
    """Over the samples that both ran on."""
    both = min(wait[one].size, wait[other].size)
    return log_ratio(wait[one][:both], wait[other][:both])


def _lowest_in(wait: list[Floats], sound: Bools, k: int) -> float:
    """Over the samples that all sound rules ran on; several may be the lowest of one."""
    rows = np.flatnonzero(sound)
    if k not in rows:
        return 0.0
    table = np.array([wait[row][: min(wait[r].size for r in rows)] for row in rows])
    return float((table[np.flatnonzero(rows == k)[0]] == table.min(axis=0)).mean()) if table.size else 0.0


def _weeks(sampled: Sampled, wait: list[Floats], verdict: Verdict, weeks: int) -> dict[int, float]:
    """How many would tell each rule that is tied with the leader from it; those of which none would are not there."""
    if verdict.kind != "tied" or sampled.drawing.how not in ("users", "weeks"):
        return {}
    leader = verdict.best[0]
    deviation = {k: float(_ratio(wait, leader, k).std(ddof=1)) for k in verdict.apart}
    needed = weeks_to_tell(verdict, deviation, weeks)
    return {k: needed[k] for k in verdict.best[1:] if math.isfinite(needed[k])}


def _second(settings: Sequence[Setting], verdict: Verdict) -> tuple[Setting, Difference] | None:
    worse = [row for row in verdict.apart if row not in verdict.best]
    if not worse:
        return None
    near = max(worse, key=lambda row: verdict.apart[row].mean)
    return settings[near], verdict.apart[near]
