"""The part of a page that sets several machines side by side: a picture and a table."""

from typing import Any

from loadmaster.model.units import MEMORY, show_bytes
from loadmaster.report.columns import short, unit_for
from loadmaster.report.comparison import Comparison, load_words
from loadmaster.report.machines_claims import best_on, money
from loadmaster.report.page import Block, Chart, Heading, Table
from loadmaster.report.theme import ACCENT, MUTED, names_axis, rows, themed


def machines_blocks(comparison: Comparison) -> list[Block]:
    """The lowest mean wait on each set beside what the set costs, at the highest load; nothing for one set."""
    if not comparison.several_machines:
        return []
    load = max(outcome.load for outcome in comparison.outcomes)
    several = len({outcome.load for outcome in comparison.outcomes}) > 1
    head = f"What the {'changes' if comparison.of_changes else 'machines'} do"
    head += f", at {load_words(load)} of the first" if several else ""
    caption = "The lowest mean wait on each set of machines, of all rules that ran there."
    if comparison.of_changes:
        caption = "The lowest mean wait at the site as it is and after each change."
    return [Heading(head), Chart(themed(machines_chart(comparison, load)), caption), _table(comparison, load)]


def machines_chart(comparison: Comparison, load: float) -> Any:
    """A bar a set, as long as the lowest mean wait there."""
    import altair as alt

    best = [(one, best_on(comparison, one, load)) for one in comparison.machines]
    unit, size = unit_for([outcome.metrics.mean_wait_s for _, outcome in best])
    values = []
    for one, outcome in best:
        wait = outcome.metrics.mean_wait_s / size
        cost = "" if one.cost_per_hour is None else f" · {_per_hour(comparison, one.cost_per_hour)}"
        values.append({"machines": one.name, "wait": wait, "label": f"{short(wait)} {unit}{cost}"})
    base = alt.Chart(rows(values), width=560, height=alt.Step(30)).encode(
        y=names_axis("machines"), x=alt.X("wait:Q", title=f"lowest mean wait ({unit})", axis=alt.Axis(tickCount=6))
    )
    bars = base.mark_bar(height=18, cornerRadiusEnd=2, color=ACCENT)
    return bars + base.mark_text(align="left", dx=6, color=MUTED, fontSize=12).encode(text="label:N")


_COSTS = ["cost an hour", "cost of the run"]


def _per_hour(comparison: Comparison, cost: float | None) -> str:
    return "-" if cost is None else f"{money(cost, comparison.currency)} / h"


def _table(comparison: Comparison, load: float) -> Table:
    best = [(one, best_on(comparison, one, load)) for one in comparison.machines]
    unit, size = unit_for([outcome.metrics.p95_wait_s for _, outcome in best])
    priced = any(one.cost_per_hour is not None for one in comparison.machines)
    resources = comparison.case.cluster.resources
    heads = [
        comparison.hosts_heading if comparison.of_changes else "machines",
        "hosts",
        *resources,
        "offered load",
        "jobs too large",
        "lowest under",
        f"mean wait {unit}",
        f"p95 wait {unit}",
        f"p99 wait {unit}",
    ]
    table = []
    for one, outcome in best:
        cluster, m = one.case.cluster, outcome.metrics
        total = dict(zip(cluster.resources, cluster.total.tolist(), strict=True))
        amounts = [_amount(name, total.get(name, 0.0)) for name in resources]
        rule = outcome.setting.policy
        rule += f", {outcome.setting.discipline}" if len(comparison.disciplines) > 1 else ""
        cells = [one.name, f"{cluster.hosts:,}", *amounts, short(one.load(load)), f"{one.cannot_hold:,}", rule]
        cells += [short(value / size) for value in (m.mean_wait_s, m.p95_wait_s, m.p99_wait_s)]
        if priced:
            cells += [_per_hour(comparison, one.cost_per_hour), money(one.cost(outcome), comparison.currency)]
        table.append(cells)
    caption = (
        "The arrivals are the same for every set (rule N2), and so are the jobs: those that a set cannot hold run on "
        "none (rule N1)."
    )
    if priced:
        heads += ["added cost an hour", "added cost of the run"] if comparison.of_changes else _COSTS
        caption += " Cost of the run: from the first arrival until the last job ended (rule N3)."
    return Table(heads, table, caption)


def _amount(name: str, amount: float) -> str:
    return show_bytes(amount) if name == MEMORY else f"{amount:,.0f}"
