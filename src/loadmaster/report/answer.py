"""The answer of a comparison in one sentence: with samples their verdict, without them the lowest on this log.

One replay of one log gives one number a rule and no interval, so the sentence speaks of this log alone then.
"""

from functools import partial

from loadmaster.model.units import show_alike, show_seconds
from loadmaster.report.comparison import CLOSE, Comparison, Group, listed, load_words, percent
from loadmaster.report.confidence import beyond_the_mean, confidence_sentence, cut_sentence, load_clause, one_run
from loadmaster.report.machines_claims import cost_sentences, machines_sentence
from loadmaster.report.record_claims import record_head
from loadmaster.report.wait_change import change_on_this_log
from loadmaster.runs import Outcome


def answer(comparison: Comparison) -> str:
    """What really happened, where that is known, and what was found at the highest load, and at the others.

    Where too many jobs are left out, that nothing was, and what to change.
    """
    case = comparison.case
    return case.without_verdict or case.left_out_first + record_head(comparison) + _finding(comparison)


def _finding(comparison: Comparison) -> str:
    loads = sorted({group.load for group in comparison.groups})
    group = comparison.at(loads[-1])
    judgement = comparison.judgement
    if judgement is not None and judgement.kind != "none":
        overload = _overload(comparison, group, leader(comparison)[0])
        return f"{overload}{confidence_sentence(comparison, judgement)}{load_clause(comparison, judgement)}."
    start = f"{confidence_sentence(comparison, judgement)}. " if judgement is not None else ""
    return start + _on_this_log(comparison, loads, group)


def _overload(comparison: Comparison, group: Group, best: Outcome) -> str:
    """That the queue of `best` only grows, or of what it is measured against; empty where neither does."""
    compared = [each for each in dict.fromkeys((best, group.baseline)) if each is not None]
    grow = [outcome for outcome in compared if outcome.beside.steady.overloaded]
    if not grow:
        return ""
    if len(grow) == len(compared):
        return "Overloaded: the queue only grows, so the longer the log, the longer the mean wait. "
    name = comparison.rule_name(grow[0].setting)
    return f"Overloaded under {name}: its queue only grows, so the longer the log, the longer its mean wait. "


def more_of_the_answer(comparison: Comparison) -> list[str]:
    """What stands below the answer: p99 and longest wait beside the mean, and the command that would tell a winner."""
    if comparison.case.without_verdict or not comparison.outcomes:
        return []
    outcome, group = leader(comparison)
    lines = [beyond_the_mean(comparison, outcome, group), one_run(comparison), _cut_note(comparison)]
    if comparison.judgement is not None:
        lines.insert(0, machines_sentence(comparison))
    return [line for line in [*lines, *cost_sentences(comparison)] if line] + _loads_that_mean_less(comparison)


def leader(comparison: Comparison) -> tuple[Outcome, Group]:
    """The run that the answer is about: the leader of the samples, or the lowest on this log; at the highest load."""
    most = max(group.load for group in comparison.groups)
    top = [group for group in comparison.groups if group.load == most]
    judgement = comparison.judgement
    if judgement is not None and judgement.best:
        return next((o, g) for g in top for o in g.outcomes if o.setting == judgement.best[0])
    group = min(top, key=lambda g: (g.best.metrics.unstarted, g.best.metrics.mean_wait_s))
    return group.best, group


def _cut_note(comparison: Comparison) -> str:
    judgement = comparison.judgement
    return cut_sentence(judgement.sampled.cut) if judgement is not None and judgement.sampled.cut else ""


def _loads_that_mean_less(comparison: Comparison) -> list[str]:
    """Why machines idle under a load, said once for each."""
    reasons: dict[float, str] = {}
    for group in comparison.groups:
        for outcome in group.outcomes:
            if outcome.beside.idle:
                reasons.setdefault(group.load, outcome.beside.idle)
    return list(dict.fromkeys(reasons.values()))


def _on_this_log(comparison: Comparison, loads: list[float], group: Group) -> str:
    if comparison.several_machines:
        return machines_sentence(comparison)
    if group.best.metrics.unstarted == comparison.case.workload.jobs:
        return "No job starts under any rule, so there is no wait to compare."
    sentence = _overload(comparison, group, group.best) + _sentence(comparison, group)
    if len(loads) > 1:
        sentence += f", at {load_words(loads[-1])}"
        good = sum(_is_good(comparison, load, group.best) for load in loads)
        if group.baseline is not None and not _all_close(group):
            sentence += f"; it is the lowest or within 1 % of it at {good} of {len(loads)} loads"
    return sentence + "."


def _sentence(comparison: Comparison, group: Group) -> str:
    best, name = group.best, partial(_name, comparison)
    wait = show_seconds(best.metrics.mean_wait_s)
    if group.baseline is None:
        queue = f"{best.metrics.mean_queue_length:.3g}"
        return f"Under {name(best)} a job waits {wait} on average, with {queue} jobs in the queue"
    if len(group.eligible) < len(group.outcomes):
        return _of_the_eligible(comparison, group)
    baseline, against = name(group.baseline), show_seconds(group.baseline.metrics.mean_wait_s)
    if _all_close(group):
        same = "The choice hardly matters on this log: all"
        if len(comparison.disciplines) > 1:
            return f"{same} rules wait within 1 % of the {against} of {baseline}"
        return f"{same} policies wait within 1 % of {baseline}'s {against}"
    lowest = f"{name(best)} has the lowest mean wait on this log"
    close = [outcome for outcome in group.outcomes if outcome is not best and _close_to(best, outcome)]
    level = f", {listed([name(outcome) for outcome in close])} within 1 % of it" if close else ""
    if best is group.baseline:
        others = [outcome for outcome in group.outcomes if outcome is not best and outcome not in close]
        second = min(others, key=lambda outcome: outcome.metrics.mean_wait_s)
        more = second.metrics.mean_wait_s / best.metrics.mean_wait_s - 1 if best.metrics.mean_wait_s > 0 else 0.0
        return f"{lowest}{level}: the next, {name(second)}, waits {percent(more)} more"
    wait, against = show_alike(best.metrics.mean_wait_s, group.baseline.metrics.mean_wait_s)
    return f"{lowest}{level}: {percent(-_change(group, best))} less than {baseline} ({wait}, not {against})"


def _of_the_eligible(comparison: Comparison, group: Group) -> str:
    """Where some runs left more jobs unstarted: their means leave those out, and are compared with nothing."""
    best, others = group.best, [outcome for outcome in group.outcomes if outcome not in group.eligible]
    names = listed([_name(comparison, outcome) for outcome in others])
    verb = "leaves" if len(others) == 1 else "leave"
    wait = show_seconds(best.metrics.mean_wait_s)
    return f"{names} {verb} more jobs waiting for ever; of the rest, {_name(comparison, best)} waits least, {wait}"


def _name(comparison: Comparison, outcome: Outcome) -> str:
    return comparison.rule_name(outcome.setting)


def _all_close(group: Group) -> bool:
    return all(abs(_change(group, outcome)) < CLOSE for outcome in group.outcomes)


def _change(group: Group, outcome: Outcome) -> float:
    return change_on_this_log(group, outcome) or 0.0


def _close_to(best: Outcome, outcome: Outcome) -> bool:
    same = outcome.metrics.unstarted == best.metrics.unstarted
    return same and outcome.metrics.mean_wait_s <= best.metrics.mean_wait_s * (1 + CLOSE)


def _is_good(comparison: Comparison, load: float, winner: Outcome) -> bool:
    """The same policy and discipline is the lowest at `load`, or within 1 % of it."""
    groups = [group for group in comparison.groups if group.load == load]
    best = min((g.best for g in groups), key=lambda o: (o.metrics.unstarted, o.metrics.mean_wait_s))
    key = (winner.setting.policy, winner.setting.discipline)
    runs = [outcome for group in groups for outcome in group.outcomes]
    return _close_to(best, next(o for o in runs if (o.setting.policy, o.setting.discipline) == key))
