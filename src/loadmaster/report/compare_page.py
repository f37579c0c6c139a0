"""The report of a comparison: the answer on top, then the table, the charts, and how to make it again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from loadmaster.measure.queueing_check import room_over_time
from loadmaster.model.units import MEMORY, percent, show_bytes
from loadmaster.report.answer import answer, more_of_the_answer
from loadmaster.report.breakdown_page import breakdown_blocks
from loadmaster.report.claims import claim_headings, claim_texts
from loadmaster.report.columns import change_text, columns_for, marked, possible_cells, recorded_cell
from loadmaster.report.compare_charts import chart_blocks, highest_load
from loadmaster.report.comparison import Comparison, faults, load_words
from loadmaster.report.confidence_page import sure_blocks
from loadmaster.report.gantt import MOST_BARS, gantt_chart
from loadmaster.report.group_comparison import group_effects, settled
from loadmaster.report.hosts_charts import hosts_chart, stranded_block
from loadmaster.report.identical_rules import Same, identical_rules_notes, identical_rules_words, shown_as_one
from loadmaster.report.machines_page import machines_blocks
from loadmaster.report.page import Block, Chart, Facts, Heading, Page, Table, Text
from loadmaster.report.possible_chart import possible_chart
from loadmaster.report.possible_claims import possible_lines, possible_sentences, where_words
from loadmaster.report.record_claims import RECORDED, record_sentence
from loadmaster.report.room_chart import ROOM_CAPTION, room_chart
from loadmaster.report.run_breakdown import shown_rules
from loadmaster.report.terminal import title
from loadmaster.report.theme import for_a_page, themed
from loadmaster.runs.machines import MachineSet
from loadmaster.system.build import shown_version
from loadmaster.system.counted import counted


def compare_page(comparison: Comparison) -> Page:
    """The page: the answer, the table, the pictures, how it was made; written, it needs no network."""
    with for_a_page():
        blocks = report_blocks(comparison)
    return Page(answer(comparison), blocks, title(comparison), "loadmaster compare")


def report_blocks(
    comparison: Comparison, more: Sequence[Block] = (), facts: Mapping[str, str] = MappingProxyType({})
) -> list[Block]:
    """All that stands on a page below its answer; `more` before how it was made, `facts` after all others."""
    blocks: list[Block] = [Text(f"Do not trust all of this: {fault}", "warning") for fault in faults(comparison)]
    blocks += [Text(remark, "warning" if "synthetic" in remark else "note") for remark in comparison.remarks]
    if recorded := record_sentence(comparison):
        blocks.append(Text(recorded, "note"))
    blocks += [Text(sentence, "note") for sentence in possible_sentences(comparison)]
    blocks += [Text(line) for line in more_of_the_answer(comparison)]
    shown, same = shown_as_one(comparison)
    blocks += [Text(line) for line in identical_rules_notes(comparison, same)]
    blocks += [
        _table(shown, same),
        *machines_blocks(shown),
        *sure_blocks(shown),
        *_possible(shown),
        *chart_blocks(shown),
        *_verdict(shown),
        *recorded_hosts_blocks(shown),
    ]
    blocks += breakdown_blocks(shown_rules(shown), shown.by)
    blocks += group_effects(shown) + settled(shown, highest_load(shown))
    return [*blocks, *more, Heading("How this was made"), Facts({**_facts(comparison), **facts})]


def _verdict(comparison: Comparison) -> list[Block]:
    """What rules H3 and H4 go by, drawn, where the row `recorded` is shown."""
    case = comparison.case
    if comparison.recorded is None or case.workload.recorded_wait_s is None:
        return []
    jobs = replace(case.workload, runtime_s=case.workload.runtime_s - case.launch_s)
    seen = room_over_time(jobs, case.cluster)
    return [Heading("Whether queueing can explain the recorded waits"), Chart(room_chart(seen), ROOM_CAPTION)]


def _table(comparison: Comparison, same: Same) -> Table:
    columns = columns_for(comparison)
    rows: list[list[str]] = []
    best: set[tuple[int, int]] = set()
    bands: dict[int, str] = {}
    hosts: dict[int, str] = {}
    below: dict[int, str] = {}
    names: dict[int, str] = {}
    claims, compares = claim_headings(comparison), comparison.compares
    extra = compares + len(claims)
    if comparison.recorded is not None:
        recorded_row = [recorded_cell(column, comparison.recorded.values, comparison.on_hosts) for column in columns]
        rows.append([RECORDED, recorded_row[0], *[""] * extra, *recorded_row[1:]])
    for group in comparison.groups:
        lines = possible_lines(comparison, group)
        if lines and comparison.heads(group):
            bands[len(rows)] = load_words(group.load)
        for name, metrics, bound in lines:
            hosts[len(rows)] = group.hosts
            recorded_row = possible_cells(columns, metrics, bound)
            rows.append([name, recorded_row[0], *[""] * extra, *recorded_row[1:]])
        if comparison.heads(group):
            bands[len(rows)] = f"{load_words(group.load)}, {group.discipline}"
        marks = [marked(column, group) for column in columns]
        for r, outcome in enumerate(group.outcomes):
            cells = [column.show(column.value(outcome)) for column in columns]
            best |= {(len(rows), c + (1 + extra if c else 1)) for c in range(len(columns)) if marks[c][r]}
            change = change_text(comparison, outcome).replace(" ", "\N{NO-BREAK SPACE}")
            changes = [*[change] * compares, *claim_texts(comparison, outcome)]
            if others := identical_rules_words(comparison, outcome, same):
                below[len(rows)] = others
            names[len(rows)] = comparison.rule_name(outcome.setting)
            rows.append([outcome.setting.policy, cells[0], *changes, *cells[1:]])
            hosts[len(rows) - 1] = outcome.setting.hosts
    heads = ["policy", columns[0].title, *["change"] * compares, *claims, *(column.title for column in columns[1:])]
    if comparison.several_machines:
        heads = [comparison.hosts_heading, *heads]
        rows = [[hosts.get(r, ""), *row] for r, row in enumerate(rows)]
        best = {(r, c + 1) for r, c in best}
    return Table(heads, rows, best=frozenset(best), bands=bands, below=below, rules=names)


def _possible(comparison: Comparison) -> list[Block]:
    blocks: list[Block] = []
    for each in comparison.possible:
        blocks += [
            Heading(f"How far from the best possible, {where_words(each)}"),
            Chart(themed(possible_chart(comparison, each)), _POSSIBLE),
        ]
    return blocks


def _facts(comparison: Comparison) -> dict[str, str]:
    case, first = comparison.case, comparison.outcomes[0].setting
    worst = max(outcome.metrics.little_error for outcome in comparison.outcomes)
    facts = {
        "command": comparison.command,
        "version": shown_version(),
        "log": f"{case.workload.source or 'unnamed'}{' (synthetic)' if case.workload.synthetic else ''}",
        "jobs": f"{case.workload.jobs:,}, {case.rejected.total:,} rejected, lines left out: {case.skipped.total:,}",
        "cluster": "; ".join(map(_machine_facts, comparison.machines or [MachineSet("", case)])),
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
    return f"the mean queue as the engine counted it and as the waits give it agree {agreement} in all runs"


def _limit(count: int | None) -> str:
    return "no limit" if count is None else str(count)


def _machine_facts(one: MachineSet) -> str:
    cluster = one.case.cluster
    total = ", ".join(
        show_bytes(amount) + " memory" if name == MEMORY else f"{amount:,.0f} {name}"
        for name, amount in zip(cluster.resources, cluster.total, strict=True)
    )
    return f"{one.name}{': ' if one.name else ''}{counted(cluster.hosts, 'host')}, {total}"


_POSSIBLE = (
    "No schedule lies below the bound. The best schedule found was made with all arrivals and runtimes known, which "
    "no scheduler has. It lets single jobs wait long where this lowers the mean, so compare the longest wait too. "
    "Both scales are logarithmic."
)


_FEW_BARS = MOST_BARS // 5
"""Bars of a chart that stands on a page among others."""


def recorded_hosts_blocks(comparison: Comparison) -> list[Block]:
    """Use, stranded amounts and, of few jobs, where each ran; empty where the log does not name the hosts."""
    on_hosts = comparison.on_hosts
    if on_hosts is None:
        return []
    run = on_hosts.workload, comparison.case.cluster, on_hosts.schedule
    chart, caption = hosts_chart(*run)
    blocks: list[Block] = [Heading("Recorded: the hosts over time"), Chart(chart, caption + _beside(comparison))]
    if len(comparison.case.cluster.resources) > 1:
        blocks += [Heading("Recorded: what was stranded on the hosts"), stranded_block(*run)]
    if (on_hosts.schedule.host >= 0).sum() <= _FEW_BARS:
        blocks += [Heading("Recorded: the jobs on each host"), Chart(gantt_chart(*run), _WHO)]
    return blocks


def _beside(comparison: Comparison) -> str:
    """What the reader must know of the record."""
    on_hosts = comparison.on_hosts
    assert on_hosts is not None
    text = ""
    if on_hosts.unknown:
        jobs = "job" if on_hosts.unknown == 1 else "jobs"
        text += f" {on_hosts.unknown:,} {jobs} with unknown hosts are not in it."
    if on_hosts.overfull:
        part = percent(on_hosts.overfull) if on_hosts.overfull >= 0.0005 else "less than 0.1 %"
        text += f" In {part} of the hosts' time, jobs requested more than the host has."
    return text


_WHO = "Each bar is a task on a host, as the log recorded it. The stronger the colour, the longer its job had waited."
