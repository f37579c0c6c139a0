"""Confidence of a comparison in words and table cells: the best rule, or that none is shown (rules R6 to R12)."""

import math
from typing import Any

from loadmaster.measure.paired_comparison import Difference
from loadmaster.measure.resample import without_interval
from loadmaster.model.units import show_alike, signed
from loadmaster.report.comparison import Comparison, Group, listed, load_words, percent
from loadmaster.report.machines_claims import rule_document
from loadmaster.report.wait_change import change_of
from loadmaster.runs import Outcome, Setting
from loadmaster.runs.judgement import Judged, Judgement
from loadmaster.runs.samples import why_not_seeds

SAMPLES = 100
"""The number of samples that is proposed if none are given."""


def confidence_sentence(comparison: Comparison, judgement: Judgement) -> str:
    """The headline where samples were drawn."""
    if judgement.kind == "none":
        return f"No verdict: {judgement.because}"
    leader = _row(judgement, judgement.best[0])
    name = comparison.rule_name(leader.setting)
    over = f"over {samples_words(judgement)}"
    if judgement.kind == "best":
        return f"{name} is the best of {len(judgement.rows)} rules {over}: {_lead(comparison, judgement, leader)}"
    tied = [comparison.rule_name(setting) for setting in judgement.best]
    names = "any of its rules" if len(tied) == len(judgement.rows) > 3 else listed(sorted(tied))
    if judgement.sampled.ending == "close":
        return f"{listed(sorted(tied))} are within 1 % of each other {over}, and none is better"
    source = "These logs" if judgement.sampled.drawing.how == "seeds" else "This log"
    apart = "which of its rules is the best" if names == "any of its rules" else f"{names} apart"
    return f"{source} cannot tell {apart}, {over}{_favoured_rule(comparison, judgement, leader)}"


def samples_words(judgement: Judgement) -> str:
    """How many samples, and how they were drawn.

    Differs by the way: other seeds are other logs, resamples are made of this one.
    """
    count, how = judgement.sampled.samples, judgement.sampled.drawing.how
    ways = {
        "users": f"drawn by user from its {judgement.log_weeks} weeks",
        "weeks": f"drawn by week from its {judgement.log_weeks} weeks",
        "shake": "with shaken arrivals",
        "seeds": "of other seeds",
    }
    return f"{count:,} logs {ways[how]}"


def beyond_the_mean(comparison: Comparison, outcome: Outcome, group: Group) -> str:
    """What this log itself says of a rule: mean, p99 and the longest wait, and the baseline's beside."""
    m, base = outcome.metrics, group.baseline
    b = m if base is None else base.metrics
    mean, base_mean = show_alike(m.mean_wait_s, b.mean_wait_s)
    p99, base_p99 = show_alike(m.p99_wait_s, b.p99_wait_s)
    longest, base_longest = show_alike(m.longest_wait_s, b.longest_wait_s)
    text = f"On this log {comparison.rule_name(outcome.setting)} waits {mean} on average, p99 {p99}, at most {longest}"
    judged = group.sampled(outcome)
    if judged is not None:
        text += f" (its mean is number {judged.rank} of {judged.samples + 1} with the samples)"
    if base is None or base is outcome:
        return f"{text}."
    return f"{text}; {comparison.rule_name(base.setting)} {base_mean}, p99 {base_p99}, at most {base_longest}."


def cut_sentence(cut: float) -> str:
    """Of the dependencies that samples part, `cut` in each on average."""
    number = f"{cut:,.0f}" if cut >= 10 else f"{cut:.2g}"  # one cut in some of the samples is not none
    many = "dependency" if number == "1" else "dependencies"
    return f"A sample cuts {number} {many} between jobs, on average (rule R4)."


def would_tell(comparison: Comparison) -> str:
    """The command that would tell merit from chance; empty where samples were drawn, or nothing is compared."""
    if comparison.judgements or not comparison.command or comparison.case.without_verdict or not _several(comparison):
        return ""
    if why_not_seeds(comparison.case) and without_interval(comparison.case.workload, "users"):
        return ""
    if comparison.command.endswith(")"):
        return f"{comparison.command[:-1]}, samples={SAMPLES})"
    return f"{comparison.command} --samples {SAMPLES}"


def one_run(comparison: Comparison) -> str:
    """What one replay is worth, and what would tell; empty where samples were drawn, or nothing is compared."""
    if comparison.judgements or comparison.case.without_verdict or not _several(comparison):
        return ""
    command = would_tell(comparison)
    if command:
        return f"One run on one log does not show which rule is better; this would: {command}"
    if not comparison.command:
        return ""
    reason = without_interval(comparison.case.workload, "users")
    return f"One run on one log does not show which rule is better, nor would samples drawn from this log: {reason}."


def interval_text(difference: Difference) -> str:
    """Both ends of an interval.

    Example:
        >>> interval_text(Difference(0.0, math.log(0.9), math.log(1.02), 0.4, "mean"))
        '−10 % to +2.0 %'
    """
    _, low, high = difference.change
    return f"{signed(low)} to {signed(high)}"


def difference_text(difference: Difference) -> str:
    """A difference with its interval, for a cell.

    Example:
        >>> difference_text(Difference(math.log(0.95), math.log(0.9), math.log(1.02), 0.4, "mean"))
        '−5.0 % [−10, +2]'
    """
    mean, low, high = difference.change
    ends = ", ".join(_end(end) for end in (low, high))
    brackets = "~{}~" if difference.how == "chaos" else "[{}]"
    return f"{signed(mean)} {brackets.format(ends)}"


def _end(part: float) -> str:
    if not math.isfinite(part):
        return "+∞"
    sign = "+" if part > 0 else "−" if part < 0 else ""
    digits = 1 if 0 < abs(part) < 0.0095 else 0
    return f"{sign}{abs(part) * 100:.{digits}f}"


def confidence_row(comparison: Comparison, outcome: Outcome) -> dict[str, Any]:
    """What the row of a run says of how sure it is; the keys are always there, null where nothing is known."""
    judged, change = comparison.at(outcome.load).sampled(outcome), change_of(comparison, outcome)
    row: dict[str, Any] = dict.fromkeys(
        (
            "difference",
            "difference_low",
            "difference_high",
            "chaos_low",
            "chaos_high",
            "mean_wait_rank",
            "samples",
            "lowest_in",
            "weeks_that_would_tell",
            "differences",
        )
    )
    row["difference"] = change.part if change.part is not None and math.isfinite(change.part) else None
    if judged is None:
        return row
    row |= {
        "mean_wait_rank": judged.rank,
        "samples": judged.samples,
        "lowest_in": judged.lowest_in,
        "weeks_that_would_tell": judged.weeks,
        "differences": _differences(judged) or None,
    }
    if change.of_baseline:
        return row | {"difference_low": 0.0, "difference_high": 0.0}
    if change.difference is None:
        return row
    _, low, high = (value if math.isfinite(value) else None for value in change.difference.change)
    ends = "chaos" if change.difference.how == "chaos" else "difference"
    return row | {f"{ends}_low": low, f"{ends}_high": high}


def _differences(judged: Judged) -> dict[str, dict[str, float | str | None]]:
    """Of every metric against the baseline's, less 1, and both ends; null where an end is not finite."""
    found: dict[str, dict[str, float | str | None]] = {}
    for name, difference in judged.differences.items():
        mean, low, high = (value if math.isfinite(value) else None for value in difference.change)
        found[name] = {"difference": mean, "low": low, "high": high, "how": difference.how}
    return found


def judgement_document(judgement: Judgement) -> dict[str, Any]:
    """What a document says of one load."""
    sampled = judgement.sampled
    intervals = {row.difference.how for row in judgement.rows if row.difference is not None}
    return {
        "load": judgement.load,
        "verdict": judgement.kind,
        "because": judgement.because or None,
        "best": [rule_document(each) for each in judgement.best],
        "baseline": rule_document(judgement.baseline),
        "resample": sampled.drawing.how,
        "samples": sampled.samples,
        "weeks": judgement.log_weeks,
        "interval": next(iter(sorted(intervals)), None),
        "dependencies_cut": sampled.cut,
        "looks": max(sampled.looks, default=None),
        "ended": sampled.ending or None,
    }


def _several(comparison: Comparison) -> bool:
    return len({(o.setting.policy, o.setting.discipline, o.setting.hosts) for o in comparison.outcomes}) > 1


def _row(judgement: Judgement, setting: Setting) -> Judged:
    return next(row for row in judgement.rows if row.setting == setting)


def _lead(comparison: Comparison, judgement: Judgement, leader: Judged) -> str:
    """By how much the best leads: over the baseline, or where it is that itself, over the next."""
    lead = ""
    if leader.difference is not None:
        base = comparison.rule_name(judgement.baseline)
        lead = f"{_less(leader.difference)} than {base} ({_over_both(judgement, leader)}{_interval(leader.difference)})"
    if judgement.second is None or (lead and judgement.second[0] == judgement.baseline):
        return lead
    setting, apart = judgement.second
    inverse = Difference(-apart.mean, -apart.high, -apart.low, apart.p, apart.how)
    name = comparison.rule_name(setting)
    nearest = f"the nearest, {name}, waits {_less(inverse)} (95 % interval {interval_text(inverse)})"
    return f"{lead}; {nearest}" if lead else nearest


def _interval(difference: Difference) -> str:
    return f"95 % interval {interval_text(difference)}"


def _over_both(judgement: Judgement, leader: Judged) -> str:
    """Over how many of the samples the leader is set beside a baseline that a race ran on fewer."""
    both = min(leader.samples, _row(judgement, judgement.baseline).samples)
    return f"over the first {both:,}; " if both < judgement.sampled.samples else ""


def _favoured_rule(comparison: Comparison, judgement: Judgement, leader: Judged) -> str:
    """The rule that the samples favour without proof, and how long a log would prove it."""
    text = ""
    if leader.difference is not None:
        base = comparison.rule_name(judgement.baseline)
        text = (
            f": {comparison.rule_name(leader.setting)} leads with {_less(leader.difference)} than {base} "
            f"({_over_both(judgement, leader)}{_interval(leader.difference)})"
        )
    weeks = [row.weeks for row in judgement.rows if row.weeks is not None]
    if weeks:
        first = f", {_weeks(min(weeks))} the first of them" if len(weeks) > 1 else ""
        text += f"; about {_weeks(max(weeks))} of such a log would show it{first}"
    return text


def _weeks(count: float) -> str:
    return f"{count:,.0f} weeks" if count < 5200 else f"{count / 52:,.0f} years"


def _less(difference: Difference) -> str:
    change = difference.change[0]
    return f"{percent(abs(change))} {'less' if change < 0 else 'more'}"


def load_clause(comparison: Comparison, judgement: Judgement) -> str:
    """Name the load, where there are several."""
    several = len({outcome.load for outcome in comparison.outcomes}) > 1
    return f", at {load_words(judgement.load)}" if several else ""
