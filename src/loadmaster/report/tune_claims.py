"""The result of a search, in words and cells: the gain, or that none is claimed (rules U10 and U11)."""

from loadmaster.measure.metric import METRICS
from loadmaster.model.units import show_seconds, signed
from loadmaster.report.columns import short, unit_for
from loadmaster.report.comparison import CLOSE
from loadmaster.report.confidence import interval_text
from loadmaster.system.counted import counted
from loadmaster.tuning.baselines import SITE_QUEUE
from loadmaster.tuning.bench import PortableRule
from loadmaster.tuning.holdout import SHORTEST_S, Gain, Holdout
from loadmaster.tuning.rule_file import rule_file
from loadmaster.tuning.tune import Tuning

TUNED = "the tuned rule"
TUNED_SITE = "the changed site"


def rule_words(tuning: Tuning, rule: PortableRule) -> str:
    """A rule as it is called in a sentence."""
    winner = tuning.selection.winner
    if winner is not None and winner.number is not None and rule == winner.rule:
        return TUNED_SITE if "slurm" in tuning.plan.parts else TUNED
    if "slurm" in tuning.plan.parts:
        return SITE_QUEUE
    if not tuning.selection.space.places:
        return rule.setting.discipline
    if len(tuning.plan.parts) == 1 and rule.setting.discipline == tuning.plan.base.discipline:
        return rule.setting.policy
    return f"{rule.setting.policy} under {rule.setting.discipline}"


def winner_words(tuning: Tuning) -> str:
    """What won, as it is called in a sentence."""
    assert tuning.selection.winner is not None
    return rule_words(tuning, tuning.selection.winner.rule)


def tune_answer(tuning: Tuning) -> str:
    """The headline: the gain on weeks that the search never saw, or that none is claimed."""
    return tuning.case.without_verdict or tuning.case.left_out_first + _gain_sentence(tuning)


def _gain_sentence(tuning: Tuning) -> str:
    holdout, weeks = tuning.unseen, _weeks(tuning.weeks.kept_for_the_end)
    if holdout is None:
        return _nothing(tuning)
    first, what = holdout.gains[0], METRICS[tuning.plan.targets[0]].heading
    against, winner = rule_words(tuning, first.against), winner_words(tuning)
    other = "other " if tuning.selection.won is None else ""
    if holdout.because:
        shaken = f"On held-out weeks with shaken arrivals {winner}'s {what} is {_shift(first)} {against}'s."
        return f"No gain is claimed: {holdout.because}. {shaken}"
    if first.claimed:
        same = f"on {weeks} that the search never saw, {winner}'s {what} is {_shift(first)} {against}'s, the best "
        same += f"{other}built-in rule there under the same limit ({_ends(first)}){_and_baseline(tuning, holdout)}"
        if "slurm" in tuning.plan.parts:
            same = f"on {weeks} that the search never saw, {winner}'s {what} is {_shift(first)} {against}'s "
            same += f"({_ends(first)})"
        if as_low(tuning):
            return f"No gain is claimed: {against} is as low on those weeks as they are; {same}."
        return f"O{same[1:]}."
    text = f"No gain is claimed: on {weeks} that the search never saw, {winner}'s {what} is {_shift(first)} "
    return text + f"{against}'s, the interval {_ends(first)} holds 0{_and_baseline(tuning, holdout)}."


def gain_claimed(tuning: Tuning) -> bool:
    """Whether the first target is surely lower than under the rule to beat, and on the weeks as they are (rule U11)."""
    if tuning.unseen is None or tuning.case.without_verdict:
        return False
    return tuning.unseen.gains[0].claimed and not as_low(tuning)


def as_low(tuning: Tuning) -> bool:
    """Whether the rule to beat is as low as the winner on the held-out weeks as they are, or within 1 % of it."""
    holdout, winner = tuning.unseen, tuning.selection.winner
    if holdout is None or winner is None:
        return False
    mine, other = (holdout.of(rule).values[tuning.plan.targets[0]] for rule in (winner.rule, holdout.rival))
    return other <= (1 + CLOSE) * mine


def gain_sentences(tuning: Tuning) -> list[str]:
    """Every target against every other rule, with its interval."""
    if tuning.unseen is None:
        return []
    sentences = []
    for gain in tuning.unseen.gains:
        parts = [
            f"{METRICS[target].heading} {signed(difference.change[0])} ({interval_text(difference)})"
            for target, difference in zip(tuning.plan.targets, gain.differences, strict=True)
        ]
        sentences.append(f"Against {rule_words(tuning, gain.against)}: {', '.join(parts)}.")
    return sentences


def tune_notes(tuning: Tuning) -> tuple[str, ...]:
    """What must be known beside the answer: whether the limit was kept on unseen weeks, and what else is low there."""
    holdout = tuning.unseen
    if holdout is None:
        return ()
    assert tuning.selection.winner is not None
    zero = holdout.of(tuning.selection.builtins[0][0]).values["longest_wait_s"]
    mine = holdout.of(tuning.selection.winner.rule).values["longest_wait_s"]
    within_limit = mine <= tuning.plan.limit * zero
    text = (
        f"Longest wait on those weeks as they are: {show_seconds(mine)}, {mine / max(zero, SHORTEST_S):.2f} times that "
        f"of {tuning.plan.baseline_name} ({show_seconds(zero)}): the limit of {tuning.plan.limit:g} is "
    )
    notes = [text + ("kept." if within_limit else "not kept there, though it was on the training logs.")]
    winner, baseline = tuning.selection.winner.rule, tuning.selection.builtins[0][0]
    named = [winner] if winner == baseline else [winner, baseline]
    if under := " and ".join(rule_words(tuning, rule) for rule in named if holdout.of(rule).overloaded):
        notes.append(
            f"Overloaded there under {under}: the queue only grows, so the longer the log, the longer the mean wait."
        )
    if tuning.selection.won is None:
        notes.append(f"{winner_words(tuning)} is a built-in rule: {_no_gain_sentence(tuning)}.")
    if len(tuning.plan.targets) > 1:
        count = len(tuning.selection.front)
        many = counted(count, "candidate is", "candidates are")
        notes.append(f"{many} on the Pareto front of the trials; the winner is least in the mean.")
    return tuple(notes)


def winner_text(tuning: Tuning, command: str) -> str:
    """The winner's file, with what is told of it."""
    text = " ".join([tune_answer(tuning), *tune_notes(tuning)[:1]])
    source = tuning.case.workload.source or "a log"
    return rule_file(tuning.selection, tuning.plan, f"{text} Found by: {command}", source)


def rule_table(tuning: Tuning) -> tuple[list[str], list[list[str]]]:
    """Every rule on the held-out weeks as they are, one run each: titles, and cells; the winner first."""
    holdout = tuning.unseen
    values = [] if holdout is None else [whole.values for whole in holdout.whole]
    unit, size = unit_for([each["mean_wait_s"] for each in values])
    heads = ["rule", f"mean wait {unit}", "bounded slowdown", f"p95 wait {unit}", f"longest wait {unit}"]
    heads.append(f"of {tuning.plan.baseline_name}'s")
    if holdout is None:
        return heads, []
    zero = max(holdout.of(tuning.selection.builtins[0][0]).values["longest_wait_s"], SHORTEST_S)
    rows = []
    for rule, each in zip(holdout.rules, values, strict=True):
        times = each["longest_wait_s"] / zero
        over = "" if times <= tuning.plan.limit else " over the limit"
        cells = (
            short(each["mean_wait_s"] / size),
            short(each["mean_bounded_slowdown"]),
            short(each["p95_wait_s"] / size),
            short(each["longest_wait_s"] / size),
        )
        rows.append([rule_words(tuning, rule), *cells, f"{times:.2f}{over}"])
    return heads, rows


def _nothing(tuning: Tuning) -> str:
    """That no candidate and no built-in rule kept the limit and was lower than the baseline."""
    own, slurm = tuning.plan.baseline_name, "slurm" in tuning.plan.parts
    limit = f"{tuning.plan.limit:g} times that of {own}"
    count = f"{len(tuning.selection.trials)} candidates"
    if not any(trial.figures.keeps(tuning.plan.limit) for trial in tuning.selection.trials):
        return (
            f"Nothing was found: none of {count} kept its longest wait within {limit} on three of four training logs."
        )
    lower = f"lower than {own} on further training logs with its longest wait within {limit} on three of four"
    if slurm:
        return f"Nothing was found: none of {count} was {lower}."
    return f"Nothing was found: none of {count}, and no built-in rule, was {lower}."


def _no_gain_sentence(tuning: Tuning) -> str:
    return f"of {len(tuning.selection.trials)} candidates none was lower within the limit on the final training logs"


def _weeks(count: int) -> str:
    return counted(count, "week")


def _shift(gain: Gain) -> str:
    """`12 % below` or `3 % above`."""
    part = gain.differences[0].change[0]
    return f"{signed(part).lstrip('−+±')} {'below' if part < 0 else 'above'}"


def _ends(gain: Gain) -> str:
    return interval_text(gain.differences[0])


def _and_baseline(tuning: Tuning, holdout: Holdout) -> str:
    if len(holdout.gains) < 2:
        return ""
    gain = holdout.gains[1]
    return f"; against {rule_words(tuning, gain.against)} {signed(gain.differences[0].change[0])} ({_ends(gain)})"
