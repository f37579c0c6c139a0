"""The report of a comparison: the answer on top, then the table, the charts, and how to make it again."""

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from loadmaster import __version__
from loadmaster.measure.explained import room_over_time
from loadmaster.measure.timeline import typical_demand
from loadmaster.model.units import MEMORY, show_bytes
from loadmaster.report.answer import answer, more_of_the_answer, unbroken
from loadmaster.report.claims import claim_headings, claim_texts
from loadmaster.report.coinciding import coinciding_words, shown_as_one
from loadmaster.report.columns import change_text, columns_for, marked, possible_cells, recorded_cell
from loadmaster.report.comparison import Comparison, Group, faults, listed, load_words
from loadmaster.report.followed_chart import members_blocks
from loadmaster.report.interval_chart import interval_chart
from loadmaster.report.load_charts import load_charts, ranking, wait_charts
from loadmaster.report.machines_page import machines_blocks
from loadmaster.report.page import Block, Chart, Facts, Heading, Page, Table, Text, write
from loadmaster.report.possible_chart import possible_chart
from loadmaster.report.possible_claims import possible_lines, possible_sentences, where_words
from loadmaster.report.record_claims import RECORDED, record_sentence
from loadmaster.report.recorded_hosts_page import recorded_hosts_blocks
from loadmaster.report.room_chart import ROOM_CAPTION, room_chart
from loadmaster.report.sure_page import sure_blocks
from loadmaster.report.terminal import title
from loadmaster.report.theme import for_a_page, themed
from loadmaster.report.time_charts import capacity_charts, queue_chart
from loadmaster.report.wait_chart import wait_chart
from loadmaster.report.who_pays import settled, who_pays
from loadmaster.runs.machines import MachineSet


def write_report(path: Path, comparison: Comparison) -> None:
    """Write the page; it holds all it shows and needs no network."""
    write(path, compare_page(comparison))


def compare_page(comparison: Comparison) -> Page:
    """The page: the answer, the table, the pictures, how it was made."""
    with for_a_page():
        blocks = report_blocks(comparison)
    return Page(unbroken(answer(comparison)), blocks, title(comparison), "loadmaster compare")


def report_blocks(
    comparison: Comparison, more: Sequence[Block] = (), facts: Mapping[str, str] = MappingProxyType({})
) -> list[Block]:
    """All that stands on a page below its answer; `more` before how it was made, `facts` after all others."""
    blocks: list[Block] = [Text(f"Do not trust all of this: {fault}", "warning") for fault in faults(comparison)]
    blocks += [Text(remark, "warning" if "synthetic" in remark else "note") for remark in comparison.remarks]
    if recorded := record_sentence(comparison):
        blocks.append(Text(unbroken(recorded), "note"))
    blocks += [Text(unbroken(sentence), "note") for sentence in possible_sentences(comparison)]
    blocks += [Text(unbroken(line)) for line in more_of_the_answer(comparison)]
    shown, same = shown_as_one(comparison)
    blocks += [Text(line) for line in coinciding_words(same)]
    blocks += [
        _table(shown, same),
        *machines_blocks(shown),
        *sure_blocks(shown),
        *_possible(shown),
        *_by_load(shown),
        *_details(shown, detailed(shown)),
        *_verdict(shown),
        *recorded_hosts_blocks(shown),
    ]
    blocks += who_pays(shown) + settled(shown, detailed(shown).load)
    return [*blocks, *more, Heading("How this was made"), Facts({**_facts(comparison), **facts})]


def _verdict(comparison: Comparison) -> list[Block]:
    """What rules H3 and H4 go by, drawn, where the row `recorded` is shown."""
    case = comparison.case
    if comparison.recorded is None or case.workload.recorded_wait_s is None:
        return []
    jobs = replace(case.workload, runtime_s=case.workload.runtime_s - case.launch_s)
    seen = room_over_time(jobs, case.cluster)
    return [Heading("Whether queueing can explain the recorded waits"), Chart(room_chart(seen), ROOM_CAPTION)]


def main_chart(comparison: Comparison) -> Any:
    """The one chart that stands for the whole: intervals, against the load, or a ranking where there is one load."""
    group = detailed(comparison)
    several = len({g.load for g in comparison.groups}) > 1
    judgement = comparison.judgement
    if judgement is not None:
        chart = interval_chart(comparison, judgement)
    else:
        chart = wait_charts(comparison, group.discipline, group.hosts) if several else ranking(comparison, group)
    lines = textwrap.wrap(unbroken(answer(comparison)), 90)
    return themed(chart.properties(title={"text": lines, "subtitle": title(comparison)}, padding=16))


def detailed(comparison: Comparison) -> Group:
    """The group shown in detail: the highest load, under the discipline that did best there."""
    most = max(group.load for group in comparison.groups)
    return min((g for g in comparison.groups if g.load == most), key=lambda g: g.best.metrics.mean_wait_s)


def _table(comparison: Comparison, same: Mapping[str, Sequence[str]]) -> Table:
    columns = columns_for(comparison)
    rows: list[list[str]] = []
    best: set[tuple[int, int]] = set()
    bands: dict[int, str] = {}
    hosts: dict[int, str] = {}
    below: dict[int, str] = {}
    claims, compares = claim_headings(comparison), comparison.compares
    extra = compares + len(claims)
    if comparison.recorded is not None:
        known = [recorded_cell(column, comparison.recorded.metrics, comparison.on_hosts) for column in columns]
        rows.append([RECORDED, known[0], *[""] * extra, *known[1:]])
    for group in comparison.groups:
        lines = possible_lines(comparison, group)
        if lines and comparison.heads(group):
            bands[len(rows)] = load_words(group.load)
        for name, metrics, bound in lines:
            hosts[len(rows)] = group.hosts
            known = possible_cells(columns, metrics, bound)
            rows.append([name, known[0], *[""] * extra, *known[1:]])
        if comparison.heads(group):
            bands[len(rows)] = f"{load_words(group.load)}, {group.discipline}"
        marks = [marked(column, group) for column in columns]
        for r, outcome in enumerate(group.outcomes):
            cells = [column.show(column.value(outcome)) for column in columns]
            best |= {(len(rows), c + (1 + extra if c else 1)) for c in range(len(columns)) if marks[c][r]}
            change = change_text(comparison, outcome).replace(" ", "\N{NO-BREAK SPACE}")
            changes = [*[change] * compares, *claim_texts(comparison, outcome)]
            if others := same.get(outcome.setting.policy):
                below[len(rows)] = f"and {listed(others)}: the same"
            rows.append([outcome.setting.policy, cells[0], *changes, *cells[1:]])
            hosts[len(rows) - 1] = outcome.setting.hosts
    heads = ["policy", columns[0].title, *["change"] * compares, *claims, *(column.title for column in columns[1:])]
    if comparison.several_machines:
        heads = ["hosts", *heads]
        rows = [[hosts.get(r, ""), *row] for r, row in enumerate(rows)]
        best = {(r, c + 1) for r, c in best}
    return Table(heads, rows, best=frozenset(best), bands=bands, below=below)


def _possible(comparison: Comparison) -> list[Block]:
    blocks: list[Block] = []
    for each in comparison.possible:
        blocks += [
            Heading(f"How far from the best possible, {where_words(each)}"),
            Chart(themed(possible_chart(comparison, each)), _POSSIBLE),
        ]
    return blocks


def _by_load(comparison: Comparison) -> list[Block]:
    if len({group.load for group in comparison.groups}) < 2:
        return []
    blocks: list[Block] = [Heading("Against the load")]
    for discipline, hosts in product(comparison.disciplines, comparison.hosts):
        caption = f"Discipline {discipline}. " if len(comparison.disciplines) > 1 else ""
        caption += f"On {hosts}; the load is that of the first machines. " if hosts else ""
        caption += "A click on a policy, here or in the bar above, stresses it in all charts and tables."
        blocks.append(Chart(themed(load_charts(comparison, discipline, hosts)), caption))
    return blocks


def _details(comparison: Comparison, group: Group) -> list[Block]:
    where = f" at {load_words(group.load)}" if math.isfinite(group.load) else ", all jobs at once"
    where += f" under {group.discipline}" if len(comparison.disciplines) > 1 else ""
    where += f", on {group.hosts}" if group.hosts else ""
    blocks: list[Block] = []
    if len(group.outcomes) > 1:
        blocks += [Heading(f"Mean wait{where}"), Chart(themed(ranking(comparison, group)))]
    blocks += [
        Heading(f"The queue over time{where}"),
        Chart(
            themed(queue_chart(comparison, group)),
            _queue_caption(comparison, group),
        ),
        Heading(f"How long jobs waited{where}"),
        Chart(
            themed(wait_chart(comparison, group)),
            "Further to the left is better: fewer jobs wait so long. Both scales are logarithmic.",
        ),
        Heading(f"Where the capacity went{where}"),
        Chart(
            themed(capacity_charts(comparison, group, comparison.case.workload.resources[:2])),
            _stranded_caption(comparison),
        ),
    ]
    return blocks + members_blocks(list(group.outcomes), where)


def _queue_caption(comparison: Comparison, group: Group) -> str:
    text = "Jobs waiting as each scheduling cycle found them; every peak is kept, and all rows have the same scale."
    if group.baseline is None:
        return text
    where = f" on {group.baseline.setting.hosts}" if comparison.several_machines else ""
    return f"{text} The dark line in each row is {comparison.baseline}{where}."


def _stranded_caption(comparison: Comparison) -> str:
    case = comparison.case
    amounts = [
        show_bytes(amount) if name == MEMORY else f"{amount:g} {name if amount != 1 else name.removesuffix('s')}"
        for name, amount in zip(case.workload.resources, typical_demand(case.workload), strict=True)
    ]
    return (
        "Stranded: free on a host that has enough of it for a typical task, while another resource of the same host "
        f"is too short for one. A typical task here asks {' and '.join(amounts)} (medians)."
    )


def _facts(comparison: Comparison) -> dict[str, str]:
    case, first = comparison.case, comparison.outcomes[0].setting
    worst = max(outcome.metrics.little_error for outcome in comparison.outcomes)
    facts = {
        "command": comparison.command,
        "version": f"loadmaster {__version__}",
        "log": f"{case.workload.source or 'unnamed'}{' (synthetic)' if case.workload.synthetic else ''}",
        "jobs": f"{case.workload.jobs:,}, {case.rejected.total:,} rejected, {case.skipped.total:,} lines left out",
        "cluster": "; ".join(map(_described, comparison.machines or [MachineSet("", case)])),
        "policies": ", ".join(comparison.policies),
        "disciplines": ", ".join(comparison.disciplines),
        "offered load": ", ".join(
            load_words(load, 3).removeprefix("load ") for load in sorted({group.load for group in comparison.groups})
        ),
        "cycle": f"{first.interval_s:g} s" if first.interval_s else "at every event",
        "reservations a cycle": _limit(first.reservations),
        "lookahead": _limit(first.lookahead),
        "seed": str(first.seed),
        "name of the data": case.digest,
        "Little's law": _little(worst),
    }
    return {name: value for name, value in facts.items() if value}


def _little(worst: float) -> str:
    agreement = "exactly" if worst == 0 else f"within {worst * 100:.1g} %"
    return f"the queue that the engine counted and the queue that the waits imply agree {agreement} in all runs"


def _limit(count: int | None) -> str:
    return "no limit" if count is None else str(count)


def _described(one: MachineSet) -> str:
    cluster = one.case.cluster
    total = ", ".join(
        show_bytes(amount) + " memory" if name == MEMORY else f"{amount:,.0f} {name}"
        for name, amount in zip(cluster.resources, cluster.total, strict=True)
    )
    return f"{one.name}{': ' if one.name else ''}{cluster.hosts:,} hosts, {total}"


_POSSIBLE = (
    "Below the bound no schedule lies. The best found knew all arrivals and runtimes, and let jobs wait as long as "
    "that helped the others: what no scheduler can, and few should. Both scales are logarithmic; the longest "
    "wait is the price of a low mean."
)
