"""The page of `fewest`: the answer, the wait against the number of machines, and a row for each rule and kind."""

from typing import Any

from loadmaster.model.units import show_seconds
from loadmaster.report.columns import short, unit_for
from loadmaster.report.comparison import percent
from loadmaster.report.fewest import FewestFound, FewestRow, answer, between, details, rule_of
from loadmaster.report.machines_claims import money
from loadmaster.report.page import Block, Chart, Facts, Heading, Page, Table, Text
from loadmaster.report.theme import ACCENT, MUTED, rows, themed, tooltip
from loadmaster.system.build import shown_version

_SHORTEST_S = 1.0


def fewest_page(result: FewestFound) -> Page:
    """The page of all answers."""
    blocks: list[Block] = [Text(each, "warning" if "synthetic" in each else "note") for each in result.remarks]
    blocks += [Text(line) for line in details(result)]
    blocks.append(fewest_table(result))
    if any(each.fewest.tried for each in result.answers):
        caption = (
            "Every number that was tried, on this log. The dashed line is the target; the vertical scale is "
            "logarithmic, and waits below 1 s stand at 1 s."
        )
        blocks += [Heading("The wait against the number of machines"), Chart(themed(fewest_chart(result)), caption)]
    blocks += [Heading("How this was made"), Facts(_facts(result))]
    return Page(answer(result), blocks, subtitle=subtitle(result), label="loadmaster fewest")


def subtitle(result: FewestFound) -> str:
    """The jobs."""
    log = result.case.workload
    source = f"{log.source}: " if log.source and not log.synthetic else ""
    grown = f", {result.growth:g} times as many an hour" if result.growth != 1.0 else ""
    return f"{source}{result.case.jobs_in_words}{grown}"


def fewest_table(result: FewestFound) -> Table:
    """A row for each rule and kind of machine; the best is marked."""
    unit, size = unit_for([each.fewest.outcome.metrics.p99_wait_s for each in result.answers if each.fewest.outcome])
    heads, cells = columns_of(result, unit, size)
    best = [r for r, each in enumerate(result.answers) if each is result.best]
    return Table(heads, cells, best=frozenset((r, 2) for r in best))


def columns_of(result: FewestFound, unit: str, size: float) -> tuple[list[str], list[list[str]]]:
    """Headings, and a row of text an answer; for page and terminal."""
    priced = any(each.cost_per_hour is not None for each in result.answers)
    unit_of_money = ("added " if result.adds else "") + (result.currency or "cost")
    heads = [
        "tried",
        "rule",
        "fewest",
        *([f"{unit_of_money} an hour", f"{unit_of_money} in all"] if priced else []),
        f"mean wait {unit}",
        f"p95 wait {unit}",
        f"p99 wait {unit}",
    ]
    if result.drawing is not None:
        heads += ["samples need", "enough in", "p95 of samples"]
    return heads, [_cells(result, each, size, priced=priced) for each in result.answers]


def _cells(result: FewestFound, each: FewestRow, size: float, *, priced: bool) -> list[str]:
    fewest, needed = each.fewest, each.needed
    row = [
        fewest.machines.name,
        rule_of(each),
        "none" if fewest.number is None else fewest.machines.words(fewest.number),
    ]
    if priced:
        row += [money(each.cost_per_hour), money(each.cost)]
    m = None if fewest.outcome is None else fewest.outcome.metrics
    row += ["-"] * 3 if m is None else [short(s / size) for s in (m.mean_wait_s, m.p95_wait_s, m.p99_wait_s)]
    if result.drawing is None:
        return row
    if needed is None:
        return [*row, "-", "-", "-"]
    low, high = show_seconds(needed.p95_low_s), show_seconds(needed.p95_high_s)
    return [*row, between(each), percent(needed.met_in), f"{low} to {high}"]


def fewest_chart(result: FewestFound) -> Any:
    """The wait that the target speaks of against the number of machines, a line for each rule and kind of machine."""
    import altair as alt

    name, most_s, read = _measure(result)
    unit, size = unit_for([most_s])
    several = len(result.answers) > 1
    values = [
        {
            "line": f"{each.fewest.machines.name}, {rule_of(each)}",
            "hosts": each.fewest.machines.at(number).hosts,
            "wait": max(read(outcome), _SHORTEST_S) / size,
        }
        for each in result.answers
        for number, outcome in each.fewest.tried
    ]
    whole = alt.Axis(tickMinStep=1, format=",d")
    x = alt.X("hosts:Q", title="machines", axis=whole, scale=alt.Scale(zero=False, nice=False, padding=12))
    y = alt.Y("wait:Q", title=f"{name} wait ({unit})", scale=alt.Scale(type="log"))
    base = alt.Chart(rows(values), width=760, height=300)
    colour = (
        alt.Color("line:N", title=None, legend=alt.Legend(orient="bottom", columns=2)) if several else alt.value(ACCENT)
    )
    lines = base.mark_line(strokeWidth=2, interpolate="linear").encode(x=x, y=y, color=colour)
    dots = base.mark_circle(size=60, opacity=1).encode(
        x=x, y=y, color=colour, tooltip=tooltip("line", hosts=",", wait=".3~g")
    )
    limit = alt.Chart(rows([{"at": max(most_s, _SHORTEST_S) / size}])).mark_rule(color=MUTED, strokeDash=[4, 3])
    return lines + dots + limit.encode(y=alt.Y("at:Q"))


def _measure(result: FewestFound) -> tuple[str, float, Any]:
    target = result.target
    if target.p95_s is not None:
        return "p95", target.p95_s, lambda outcome: outcome.metrics.p95_wait_s
    if target.p99_s is not None:
        return "p99", target.p99_s, lambda outcome: outcome.metrics.p99_wait_s
    assert target.mean_s is not None
    return "mean", target.mean_s, lambda outcome: outcome.metrics.mean_wait_s


def _facts(result: FewestFound) -> dict[str, str]:
    case, first = result.case, result.answers[0].fewest.setting
    drawn = "" if result.drawing is None else f"{result.drawing.how}, seed {result.drawing.seed}"
    facts = {
        "command": result.command,
        "version": shown_version(),
        "log": f"{case.workload.source or 'unnamed'}{' (synthetic)' if case.workload.synthetic else ''}",
        "jobs": f"{case.workload.jobs:,}, {case.rejected.total:,} rejected, lines left out: {case.skipped.total:,}",
        "target": result.target.words,
        "numbers tried": "; ".join(
            dict.fromkeys(
                f"{each.fewest.machines.name}: {each.fewest.machines.least:,} to {each.fewest.machines.most:,}"
                for each in result.answers
            )
        ),
        "jobs an hour": f"{result.growth:g} times those of the log" if result.growth != 1.0 else "as in the log",
        "cycle": f"{first.interval_s:g} s" if first.interval_s else "at every event",
        "samples": drawn,
        "seed": str(first.seed),
    }
    return {name: value for name, value in facts.items() if value}
