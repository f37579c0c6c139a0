"""Pictures of `info`: when the jobs of a log arrive; and how much of a state's nodes is asked, with its page."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.units import MEMORY, show_bytes, show_seconds
from loadmaster.packing.state_facts import StateFacts
from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
from loadmaster.report.page_footer import page_footer
from loadmaster.report.theme import USED, names_axis, rows, themed, tooltip

_BARS = 120
_UNITS = (("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))


def arrivals_chart(workload: Workload) -> Any:
    """How many jobs arrive in each of equal parts of the log's span."""
    import altair as alt

    submit_s = workload.submit_s
    last_s = float(submit_s[-1]) if len(submit_s) else 0.0
    unit, size = next(((name, size) for name, size in _UNITS if last_s >= 3 * size), _UNITS[-1])
    counts, edges = np.histogram(submit_s / size, bins=_BARS, range=(0.0, max(last_s / size, 1.0)))
    values = [
        {"from": low, "to": high, "jobs": count}
        for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    ]
    chart = alt.Chart(rows(values), width=860, height=180).mark_rect(color=USED)
    return themed(
        chart.encode(
            x=alt.X("from:Q", title=f"{unit} since the first arrival", scale=alt.Scale(nice=False)),
            x2="to:Q",
            y=alt.Y("jobs:Q", title="jobs that arrive", axis=alt.Axis(tickMinStep=1)),
            y2=alt.Y2(datum=0),
            tooltip=tooltip(jobs=",d", **{"from": ".3~g", "to": ".3~g"}),
        )
    )


def use_chart(facts: StateFacts) -> Any:
    """A bar for each resource: the part of all nodes' that is asked by what runs."""
    import altair as alt

    values = [
        {"resource": each.name, "asked": each.used / each.total if each.total else 0.0} for each in facts.resources
    ]
    chart = alt.Chart(rows(values), width=700, height=max(60, 28 * len(values))).mark_bar(color=USED, height=16)
    return themed(
        chart.encode(
            x=alt.X("asked:Q", title="part that running pods request", axis=alt.Axis(format="%")),
            y=names_axis("resource"),
            tooltip=tooltip("resource", asked=".1%"),
        )
    )


def state_page(name: str, answer: str, notes: Sequence[str], facts: StateFacts, chart: Any) -> Page:
    """The page of a running state: the answer, a row for each resource, the picture."""
    cells = [
        [
            each.name,
            *(
                amount(each.name, value)
                for value in (each.total, each.used, each.waiting, each.largest_free, each.stranded)
            ),
        ]
        for each in facts.resources
    ]
    heads = ("resource", "all nodes", "running pods", "waiting pods", "most free on a node", "stranded")
    blocks: list[Block] = [*(Text(note, "note") for note in notes), Table(heads, cells)]
    blocks += [Heading("How much running pods request"), Chart(chart), *page_footer({"state": name})]
    return Page(answer, blocks, name, "loadmaster info")


def label(name: str) -> str:
    """What a row of a summary is of, in words."""
    labels = {"runtime_s": "runtime", "gap_s": "between arrivals", "estimate_over_runtime": "estimate / runtime"}
    return labels.get(name, f"{name} a job" if name != "tasks" else "tasks a job")


def amount(name: str, value: float) -> str:
    """A value of such a row with its unit."""
    if name.endswith("_s"):
        return show_seconds(value)
    if name == MEMORY:
        return show_bytes(value)
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"
