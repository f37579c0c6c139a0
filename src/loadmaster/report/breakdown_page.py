"""The part of a page that breaks results down: a chart and a table a grouping, and the groups that gain or lose."""

from collections.abc import Sequence
from typing import Any

from loadmaster.measure.group_waits import Groups
from loadmaster.report.breakdown import TITLES, RuleGroups, left_out_words, shown_groups, stranded_table, tables
from loadmaster.report.breakdown_changes import change_sentences
from loadmaster.report.columns import unit_for
from loadmaster.report.page import Block, Chart, Heading, Table, Text
from loadmaster.report.theme import ACCENT, rows, themed, tooltip

MOST_TIMES = 36
"""Groups of a chart; of sizes and times a table has all."""
STRANDED_GPUS = (
    "The mean part of the GPUs on the hosts of each group that was free on a host with too few cores or too little "
    "memory for a typical task."
)
"""What the table of stranded GPUs shows."""
_HUES = ("#8a8f98", "#c92a3a", ACCENT, "#c77700", "#2b8a3e", "#6741d9", "#0b7285", "#a61e4d")
"""The first is of what stands before: the record, or the baseline."""


def breakdown_blocks(rules: Sequence[RuleGroups], by: Sequence[str], *, waits_known: bool = True) -> list[Block]:
    """A section for each grouping; the first of several `rules` is what the others are compared with."""
    if not by or not rules:
        return []
    blocks: list[Block] = [Heading("By what the site is organised by")]
    if len(rules) > 1:
        blocks.append(Text(_compared_rules(rules)))
    for name, (title, table) in zip(by, tables(rules, by, waits_known=waits_known), strict=True):
        blocks.append(Heading(title))
        if len(rules) > 1:
            blocks += [Text(sentence) for sentence in change_sentences(rules, name)]
        groups = rules[0].by(name)
        if len(groups.names) > 1 and (waits_known or len(rules) > 1):
            caption = "The mean wait of each group."
            blocks.append(Chart(waits_chart(rules, name), caption, f"{title}: {caption}"))
        elif len(groups.names) > 1:
            caption = "Core-hours of each group."
            blocks.append(Chart(use_chart(groups), caption, f"{title}: {caption}"))
        blocks.append(Table(table.heads, table.rows, left_out_words(table)))
        if len(rules) > 1 and (stranded := stranded_table(rules, name)):
            blocks += [Heading(stranded[0]), Table(stranded[1].heads, stranded[1].rows, STRANDED_GPUS)]
    return blocks


def _compared_rules(rules: Sequence[RuleGroups]) -> str:
    first, *others = [each.name for each in rules if each.comparable] or [rules[0].name]
    if not others:
        return f"{rules[0].name} stands beside the run; no gain is claimed."
    after = others[0] if len(others) == 1 else f"{', '.join(others[:-1])} and {others[-1]}"
    return (
        f"Before: {first}. After: {after}. A group gains or pays if its mean wait changes by more than 1 %. "
        "The cost is how much longer the jobs of the losing groups wait in all."
    )


def waits_chart(rules: Sequence[RuleGroups], by: str) -> Any:
    """Mean waits, a bar a rule for each group: an Altair chart."""
    import altair as alt

    first = rules[0].by(by)
    names = [first.names[k] for k in shown_groups(first)][:MOST_TIMES]
    unit, size = unit_for([float(each.by(by).mean_wait_s.max(initial=0.0)) for each in rules])
    values = [
        {"group": name, "rule": rule.name, "wait": wait / size, "jobs": jobs}
        for rule in rules
        for name, wait, jobs in _waits(rule.by(by))
        if name in names
    ]
    domain = [rule.name for rule in rules]
    colour = alt.Color(
        "rule:N",
        title=None,
        sort=domain,
        scale=alt.Scale(domain=domain, range=[_HUES[k % len(_HUES)] for k in range(len(domain))]),
        legend=None if len(rules) == 1 else alt.Legend(orient="top"),
    )
    chart = alt.Chart(rows(values), width=900, height=200).mark_bar()
    return themed(
        chart.encode(
            x=alt.X("group:N", sort=names, title=TITLES[by], axis=alt.Axis(labelAngle=-30 if by not in _SHORT else 0)),
            xOffset=alt.XOffset("rule:N", sort=domain),
            y=alt.Y("wait:Q", title=f"mean wait, {unit}"),
            color=colour,
            tooltip=tooltip("group", "rule", wait=".3~g", jobs=","),
        )
    )


def use_chart(groups: Groups) -> Any:
    """Core-hours of each group: an Altair chart."""
    import altair as alt

    shown = shown_groups(groups)
    values = [
        {"group": groups.names[k], "hours": float(groups.core_s[k]) / 3600, "jobs": int(groups.jobs[k])} for k in shown
    ]
    chart = alt.Chart(rows(values), width=900, height=200).mark_bar(color=ACCENT)
    return themed(
        chart.encode(
            x=alt.X(
                "group:N",
                sort=[groups.names[k] for k in shown],
                title=TITLES[groups.by],
                axis=alt.Axis(labelAngle=-30 if groups.by not in _SHORT else 0),
            ),
            y=alt.Y("hours:Q", title="core-hours"),
            tooltip=tooltip("group", hours=",.4~r", jobs=","),
        )
    )


_SHORT = ("size", "hour", "weekday", "month")
"""Groups whose names are short."""


def _waits(groups: Groups) -> list[tuple[str, float, int]]:
    named = zip(groups.names, groups.mean_wait_s.tolist(), groups.jobs.tolist(), strict=True)
    return [each for each in named if each[2]]
