"""The charts of a comparison: of all its rules, then, where these are many, of each discipline in detail."""

import math
import textwrap
from typing import Any

import numpy as np

from loadmaster.measure.distribution import EDGES_S, share_within
from loadmaster.measure.timeline import typical_demand
from loadmaster.model.units import MEMORY, show_bytes
from loadmaster.report.answer import answer
from loadmaster.report.comparison import Comparison, Group, load_words
from loadmaster.report.identical_rules import identical_rules_notes, shown_as_one
from loadmaster.report.interval_chart import interval_chart
from loadmaster.report.load_charts import load_charts, ranking, wait_charts
from loadmaster.report.meta_rule_chart import members_blocks
from loadmaster.report.page import Block, Chart, Heading, Text
from loadmaster.report.rule_styles import Drawn
from loadmaster.report.terminal import title
from loadmaster.report.theme import rows, rule_chosen, stressed, themed, tooltip
from loadmaster.report.time_charts import capacity_charts, queue_chart
from loadmaster.report.words import unbroken
from loadmaster.runs import Outcome

MANY = 8
"""More rules than these are drawn once more, discipline by discipline."""


def main_chart(comparison: Comparison) -> Any:
    """The one chart that stands for the whole: intervals, against the load, or a ranking where there is one load."""
    shown, same = shown_as_one(comparison)
    if shown.judgement is not None:
        chart = interval_chart(shown, shown.judgement)
    elif _several_loads(shown):
        chart = wait_charts(shown, shown.outcomes)
    else:
        chart = ranking(shown, shown.at(highest_load(shown)))
    lines = textwrap.wrap(unbroken(answer(comparison)), 90)
    below = [line for words in identical_rules_notes(comparison, same) for line in textwrap.wrap(words, 110)]
    return themed(chart.properties(title={"text": lines, "subtitle": [title(comparison), *below]}, padding=16))


def highest_load(comparison: Comparison) -> float:
    """The load that is shown in detail."""
    return max(outcome.load for outcome in comparison.outcomes)


def chart_blocks(comparison: Comparison) -> list[Block]:
    """All rules against the load, at the highest load, and where they are many each discipline by itself."""
    group = comparison.at(highest_load(comparison))
    return [*_against_the_load(comparison), *_at_one_load(comparison, group), *_in_detail(comparison, group)]


def _against_the_load(comparison: Comparison) -> list[Block]:
    if not _several_loads(comparison):
        return []
    caption = "The load is that of the first machines. " if comparison.several_machines else ""
    caption += "Click on a rule, here or in the bar above, to highlight it in all charts and tables."
    return [Heading("Against the load"), Chart(themed(load_charts(comparison, comparison.outcomes)), caption)]


def _at_one_load(comparison: Comparison, group: Group) -> list[Block]:
    where = _where(group)
    blocks: list[Block] = []
    if len(group.outcomes) > 1:
        blocks += [Heading(f"Mean wait{where}"), Chart(themed(ranking(comparison, group)))]
    blocks += _queue_and_waits(comparison, group, where)
    blocks += [
        Heading(f"Where the capacity went{where}"),
        Chart(
            themed(capacity_charts(comparison, group)),
            _stranded_caption(comparison),
        ),
    ]
    return blocks + members_blocks(list(group.outcomes), where)


def _queue_and_waits(comparison: Comparison, group: Group, where: str) -> list[Block]:
    if _no_job_waited(group):
        return [Heading(f"How long jobs waited{where}"), Text(_NO_WAIT)]
    return [
        Heading(f"The queue over time{where}"),
        Chart(themed(queue_chart(comparison, group, group.baseline)), _queue_caption(comparison, group.baseline)),
        Heading(f"How long jobs waited{where}"),
        Chart(themed(wait_chart(comparison, group)), _WAITS),
    ]


def _no_job_waited(group: Group) -> bool:
    return not any(each.metrics.longest_wait_s > 0.0 or each.metrics.unstarted for each in group.outcomes)


def _in_detail(comparison: Comparison, group: Group) -> list[Block]:
    """Each discipline on each set of machines by itself, beside the baseline policy there."""
    parts = [each for each in comparison.groups if each.load == group.load and len(each.outcomes) > 1]
    if len(group.outcomes) <= MANY or len(parts) < 2:
        return []  # a part of one rule alone is a row of the charts above
    blocks: list[Block] = []
    for part in parts:
        blocks.append(Heading(f"In detail: {_part(comparison, part)}"))
        runs = [o for o in comparison.outcomes if _kind(o) == (part.discipline, part.hosts)]
        if _several_loads(comparison):
            blocks.append(Chart(themed(load_charts(comparison, runs)), _AT_ALL_LOADS))
        base = comparison.baseline_beside(part)
        blocks += (
            [Text(_NO_WAIT)]
            if _no_job_waited(part)
            else [
                Chart(themed(queue_chart(comparison, part, base)), _queue_caption(comparison, base)),
                Chart(themed(wait_chart(comparison, part)), _WAITS),
            ]
        )
    return blocks


def _kind(outcome: Outcome) -> tuple[str, str]:
    return outcome.setting.discipline, outcome.setting.hosts


def _part(comparison: Comparison, part: Group) -> str:
    names = [part.discipline] if len(comparison.disciplines) > 1 else []
    return ", ".join([*names, *([f"on {part.hosts}"] if part.hosts else [])])


def _several_loads(comparison: Comparison) -> bool:
    return len({outcome.load for outcome in comparison.outcomes}) > 1


def _where(group: Group) -> str:
    return f" at {load_words(group.load)}" if math.isfinite(group.load) else ", all jobs at once"


def _queue_caption(comparison: Comparison, base: Outcome | None) -> str:
    text = "Jobs waiting as each scheduling cycle found them; every peak is kept, and all rows have the same scale."
    return (
        text if base is None else f"{text} The line without colour in each row is {comparison.rule_name(base.setting)}."
    )


def _stranded_caption(comparison: Comparison) -> str:
    case = comparison.case
    amounts = [
        show_bytes(amount) if name == MEMORY else f"{amount:g} {name if amount != 1 else name.removesuffix('s')}"
        for name, amount in zip(case.workload.resources, typical_demand(case.workload), strict=True)
    ]
    return (
        "Stranded: free on a host that has enough of it for a typical task, while another resource of the same host "
        f"is too short for one. A typical task here requests {' and '.join(amounts)} (medians)."
    )


_NO_WAIT = "No job waited: each began as it came."
_WAITS = "Further to the left is better: fewer jobs wait so long. Both scales are logarithmic."
_AT_ALL_LOADS = "The same as above, of these rules alone; changes are against the one baseline of all."


_TICKS = {
    1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 36000: "10 h", 86400: "1 d", 864000: "10 d",
    8640000: "100 d",
}  # fmt: skip
_SHORT = 24
"""Longer names stand below the chart."""


def wait_chart(comparison: Comparison, group: Group) -> Any:
    """For every rule the part of the jobs that waited longer than a time, both on logarithmic scales."""
    import altair as alt

    values: list[dict[str, Any]] = []
    least = 1.0
    for outcome in group.outcomes:
        longer = 1.0 - share_within(outcome.wait_counts)
        shown = longer > 0.5 / max(outcome.metrics.jobs, 1)
        least = min(least, float(longer[shown].min(initial=1.0)))
        for edge, part in zip(EDGES_S[1:][shown], longer[shown], strict=True):
            values.append({"rule": comparison.rule_name(outcome.setting), "wait": float(edge), "part": float(part)})
    chosen, drawn = rule_chosen(bind="legend", on="click"), Drawn(comparison, group.outcomes)
    short = max(map(len, drawn.names)) <= _SHORT
    legend = drawn.legend(orient="right") if short else drawn.legend(orient="bottom", columns=4)
    longest = max((row["wait"] for row in values), default=10.0)
    ticks = {second: text for second, text in _TICKS.items() if second <= longest * 1.5}
    texts = " : ".join(f"datum.value == {second} ? '{text}'" for second, text in ticks.items()) + " : ''"
    floor = 10.0 ** np.floor(np.log10(max(least, 1e-6)))
    chart = (
        alt.Chart(rows(values), width=760, height=300)
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X(
                "wait:Q",
                title="wait",
                scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(values=list(ticks), labelExpr=texts),
            ),
            y=alt.Y(
                "part:Q",
                title="jobs that waited longer",
                scale=alt.Scale(type="log", domain=[float(floor), 1.0]),
                axis=alt.Axis(format="~%", values=[10.0**-k for k in range(7) if 10.0**-k >= floor]),
            ),
            color=drawn.colour(legend),
            **drawn.dash(legend),
            opacity=stressed(chosen),
            tooltip=tooltip("rule", wait=",.3~r", part=".2~%"),
        )
        .add_params(chosen)
    )
    return drawn.told_apart(chart)
