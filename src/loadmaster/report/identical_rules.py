"""Identical rules: they made the same runs throughout, so a page shows them as one."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from loadmaster.report.comparison import Comparison, listed
from loadmaster.runs import Outcome, Setting
from loadmaster.runs.judgement import Judged, Judgement

Rule = tuple[str, str, str]
"""Policy, discipline and machines: what tells the runs of a load apart."""
Same = Mapping[Rule, Sequence[Setting]]
"""The rules that are shown as one, by that one, which is the first of them."""


def rule_of(setting: Setting) -> Rule:
    """Which rule a run is of."""
    return setting.policy, setting.discipline, setting.hosts


def shown_as_one(comparison: Comparison) -> tuple[Comparison, Same]:
    """The comparison with one rule for each set of those that coincide, and the others by the one that stays.

    Rules coincide where no run under any load tells them apart: every measure, the queue, the use of the hosts and the
    waits are equal to the bit, and so is what samples say. Of a set stays the baseline, or the first.
    """
    groups: dict[tuple[object, ...], list[Rule]] = defaultdict(list)
    for rule in dict.fromkeys(map(rule_of, comparison.settings)):
        groups[_signature(comparison, rule)].append(rule)
    bases = [base for load in {o.load for o in comparison.outcomes} if (base := comparison.baseline_at(load))]
    first = {rule_of(base.setting) for base in bases}
    sets = [sorted(rules, key=lambda rule: rule not in first) for rules in groups.values() if len(rules) > 1]
    if not sets:
        return comparison, {}
    dropped = {rule for rules in sets for rule in rules[1:]}
    outcomes = [outcome for outcome in comparison.outcomes if rule_of(outcome.setting) not in dropped]
    judgements = tuple(_without(each, dropped) for each in comparison.judgements)
    shown = replace(comparison, outcomes=outcomes, judgements=judgements, whole=comparison.whole or comparison)
    settings = {rule_of(setting): setting for setting in reversed(comparison.settings)}
    return shown, {rules[0]: [settings[rule] for rule in rules] for rules in sets}


def identical_rules_words(comparison: Comparison, outcome: Outcome, same: Same) -> str:
    """Which rules the row of a run stands for too; empty where it is one."""
    mine = rule_of(outcome.setting)
    others = same.get(mine, ())[1:]
    names = [each.policy if rule_of(each)[1:] == mine[1:] else comparison.rule_name(each) for each in others]
    return f"and {listed(names)}: the same" if names else ""


def identical_rules_notes(comparison: Comparison, same: Same) -> list[str]:
    """A sentence for each rule that stands for others; one alone where policies coincide under all disciplines."""
    kinds = len({rule_of(setting)[1:] for setting in comparison.settings})
    policies = {rule: tuple(each.policy for each in rules) for rule, rules in same.items() if _alike(rules)}
    counts = Counter(policies.values())
    notes = []
    for rule, rules in same.items():
        everywhere = rule in policies and counts[policies[rule]] == kinds
        names = list(policies[rule]) if everywhere else [comparison.rule_name(each) for each in rules]
        notes.append(
            f"The runs of {listed(names)} are the same in all that is measured: they are shown as one, {names[0]}."
        )
    return list(dict.fromkeys(notes))


def _alike(rules: Sequence[Setting]) -> bool:
    """They differ by their policy alone."""
    return len({rule_of(each)[1:] for each in rules}) == 1


def _signature(comparison: Comparison, rule: Rule) -> tuple[object, ...]:
    """What two rules that coincide have alike."""
    runs = [_of_run(outcome) for outcome in comparison.outcomes if rule_of(outcome.setting) == rule]
    said = [
        (judgement.load, _interval(row), row.rank, row.lowest_in)
        for judgement in comparison.judgements
        for row in judgement.rows
        if rule_of(row.setting) == rule
    ]
    return (*runs, *said)


def _interval(row: Judged) -> tuple[float, ...]:
    difference = row.difference  # the baseline's own is none
    return (0.0, 0.0, 0.0) if difference is None else (difference.mean, difference.low, difference.high)


def _of_run(outcome: Outcome) -> tuple[object, ...]:
    setting, queue, use = outcome.setting, outcome.queue, outcome.use
    arrays = (queue.time_s, queue.length, use.used, use.stranded, outcome.wait_counts)
    return (
        setting.kind,
        setting.hosts,
        outcome.load,
        repr(outcome.metrics),
        repr(outcome.losses),
        repr(outcome.members),
        repr(outcome.stranded),
        outcome.faults,
        *(array.tobytes() for array in arrays),
    )


def _without(judgement: Judgement, dropped: set[Rule]) -> Judgement:
    return replace(
        judgement,
        rows=tuple(row for row in judgement.rows if rule_of(row.setting) not in dropped),
        best=tuple(setting for setting in judgement.best if rule_of(setting) not in dropped),
    )
