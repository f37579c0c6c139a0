"""Several sets of machines side by side: the cost and the waits of each (rules N1 to N4)."""

import math
from typing import Any

from loadmaster.model.units import show_seconds
from loadmaster.report.comparison import Comparison, Group, load_words, percent
from loadmaster.report.wait_change import change_on_this_log
from loadmaster.runs import Outcome, Setting
from loadmaster.runs.machines import HOUR_S, MachineSet
from loadmaster.runs.setting import SITE

_MOST_NAMED = 4


def machine_row(comparison: Comparison, outcome: Outcome) -> dict[str, Any]:
    """What the row of a run says of its machines, where there are several sets; of their cost, where that is known."""
    one = comparison.machines_of(outcome)
    row: dict[str, Any] = {**named_hosts(outcome.setting)}
    if comparison.several_machines:
        row["hosts_load"] = one.load(outcome.load)
    if comparison.of_changes:
        row["change"] = one.name if one.changed else None
    if one.cost_per_hour is not None:
        row |= {"cost_per_hour": one.cost_per_hour, "cost": one.cost(outcome), "currency": comparison.currency or None}
    return row


def named_hosts(setting: Setting) -> dict[str, str]:
    """The machines of a rule, where there are several sets."""
    return {"hosts": setting.hosts} if setting.hosts else {}


def rule_document(setting: Setting) -> dict[str, str]:
    """A rule as documents name it."""
    return {"policy": setting.policy, "discipline": setting.discipline, **named_hosts(setting)}


def machines_document(comparison: Comparison) -> list[dict[str, Any]]:
    """What each set is; empty where there is one."""
    return [
        {
            "hosts": one.name,
            "count": one.case.cluster.hosts,
            "amounts": dict(zip(one.case.cluster.resources, one.case.cluster.total.tolist(), strict=True)),
            "load": one.case.load,
            "cannot_hold": one.cannot_hold,
            "cost_per_hour": one.cost_per_hour,
        }
        for one in comparison.machines
        if comparison.several_machines
    ]


def money(amount: float | None, currency: str = "") -> str:
    """A cost, with its money where that is known; "-" where the cost is not.

    Example:
        >>> money(1234.5, "EUR"), money(0.4), money(None)
        ('1,234 EUR', '0.40', '-')
    """
    if amount is None or not math.isfinite(amount):
        return "-"
    return (f"{amount:,.0f}" if amount >= 1000 else f"{amount:,.2f}") + (f" {currency}" if currency else "")


def cost_clause(comparison: Comparison, one: MachineSet) -> str:
    """What a set costs an hour, for a sentence."""
    cost = one.cost_per_hour
    if cost is None:
        return ""
    if comparison.of_changes:
        return f"{money(cost, comparison.currency)} an hour more"
    return f"{money(cost, comparison.currency)} an hour" if comparison.currency else f"{money(cost)} an hour in all"


def cost_sentences(comparison: Comparison) -> list[str]:
    """What the hosts that a change adds cost, beside the hours of waiting that they save; of changes with prices."""
    priced = [one for one in comparison.machines if one.changed and one.cost_per_hour is not None]
    return [_cost_of_gain(comparison, one) for one in priced]


def _cost_of_gain(comparison: Comparison, one: MachineSet) -> str:
    load, currency = max(outcome.load for outcome in comparison.outcomes), comparison.currency
    at_load = [outcome for outcome in comparison.outcomes if outcome.load == load]
    after = next(outcome for outcome in at_load if outcome.setting.hosts == one.name)
    before = next(outcome for outcome in at_load if outcome.setting.discipline == SITE)
    cost = one.cost(after)
    assert cost is not None
    text = f"{one.name} costs {money(one.cost_per_hour, currency)} an hour more, {money(cost, currency)} in this run."
    if before.metrics.unstarted != after.metrics.unstarted:
        return text
    started = comparison.case.workload.jobs - before.metrics.unstarted
    hours = started * (before.metrics.mean_wait_s - after.metrics.mean_wait_s) / HOUR_S
    if round(hours) <= 0:
        return f"{text} Its jobs wait {f'{-hours:,.0f} hours more in all' if round(hours) else 'no less'}."
    each = money(cost / hours, currency)
    return f"{text} Its jobs wait {hours:,.0f} hours less in all, so one hour of waiting less costs {each}."


def best_on(comparison: Comparison, one: MachineSet, load: float) -> Outcome:
    """The run with the lowest mean wait on a set, of those that leave the fewest jobs unstarted."""
    runs = [o for o in comparison.outcomes if o.load == load and o.setting.hosts == one.name]
    return min(runs, key=lambda o: (o.metrics.unstarted, o.metrics.mean_wait_s))


def machines_sentence(comparison: Comparison) -> str:
    """The lowest mean wait on each set at the highest load, against the baseline; empty where there is one set."""
    if not comparison.several_machines:
        return ""
    load = max(outcome.load for outcome in comparison.outcomes)
    pairs = [(one, best_on(comparison, one, load)) for one in _named_runs(comparison, load)]
    group = comparison.at(load)
    parts = []
    for one, outcome in pairs:
        text = f"{one.name} {show_seconds(outcome.metrics.mean_wait_s)}"
        details = [_rule(comparison, outcome), _against(group, outcome), cost_clause(comparison, one)]
        details = [each for each in details if each]
        parts.append(text + (f" ({', '.join(details)})" if details else ""))
    if comparison.of_changes:
        first = "Mean wait on this log" if len(comparison.disciplines) == 1 else "Lowest mean wait on this log"
        return f"{first}: {'; '.join(parts)}."
    at = f", at {load_words(load)} of the first" if len({o.load for o in comparison.outcomes}) > 1 else ""
    base = "" if group.baseline is None else f", against {comparison.rule_name(group.baseline.setting)}"
    return f"Mean wait on this log, the lowest on each set of machines{at}{base}: {'; '.join(parts)}."


def _named_runs(comparison: Comparison, load: float) -> list[MachineSet]:
    """Those of which a sentence speaks: all of a few, else the first and those that wait least."""
    if len(comparison.machines) <= _MOST_NAMED:
        return list(comparison.machines)
    first, *others = comparison.machines
    others.sort(key=lambda one: best_on(comparison, one, load).metrics.mean_wait_s)
    return [first, *others[: _MOST_NAMED - 1]]


def _rule(comparison: Comparison, outcome: Outcome) -> str:
    policy = outcome.setting.policy if len(comparison.policies) > 1 else ""
    discipline = outcome.setting.discipline if len(comparison.disciplines) > 1 else ""
    return " under ".join(filter(None, (policy, discipline)))


def _against(group: Group, outcome: Outcome) -> str:
    change = change_on_this_log(group, outcome)
    if outcome is group.baseline or change is None or not math.isfinite(change):
        return ""
    return f"{percent(abs(change))} {'less' if change < 0 else 'more'}" if change else "the same"
