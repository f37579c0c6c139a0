"""The page of `fewest`: the answer, the wait against the number of machines, and a row a rule and kind of machine."""

from typing import Any

from loadmaster import __version__
from loadmaster.model.units import show_seconds
from loadmaster.report.columns import short, unit_for
from loadmaster.report.comparison import percent
from loadmaster.report.fewest import FewestFound, FewestRow, answer, between, details, rule_of
from loadmaster.report.machines_claims import money
from loadmaster.report.page import Block, Chart, Facts, Heading, Page, Table, Text
from loadmaster.report.theme import ACCENT, MUTED, rows, themed, tooltip
from loadmaster.traces.hosts import short_form

_SHORTEST_S = 1.0


def fewest_page(found: FewestFound) -> Page:
    """The page of all answers."""
    blocks: list[Block] = [Text(each, "warning" if "synthetic" in each else "note") for each in found.remarks]
    blocks += [Text(line) for line in details(found)]
    blocks.append(fewest_table(found))
    if any(each.fewest.tried for each in found.answers):
        caption = (
            "Every number that was tried, on this log. The dashed line is the target; the vertical scale is "
            "logarithmic, and waits below 1 s stand at 1 s."
        )
        blocks += [Heading("The wait against the number of machines"), Chart(themed(fewest_chart(found)), caption)]
    blocks += [Heading("How this was made"), Facts(_facts(found))]
    return Page(answer(found), blocks, subtitle=subtitle(found), label="loadmaster fewest")


def subtitle(found: FewestFound) -> str:
    """The jobs."""
    log = found.case.workload
    source = f"{log.source}: " if log.source and not log.synthetic else ""
    grown = f", {found.growth:g} times as many an hour" if found.growth != 1.0 else ""
    return f"{source}{found.case.jobs_in_words}{grown}"


def fewest_table(found: FewestFound) -> Table:
    """A row a rule and kind of machine; the best is marked."""
    unit, size = unit_for([each.fewest.outcome.metrics.p99_wait_s for each in found.answers if each.fewest.outcome])
    heads, cells = columns_of(found, unit, size)
    best = [r for r, each in enumerate(found.answers) if each is found.best]
    return Table(heads, cells, best=frozenset((r, 2) for r in best))


def columns_of(found: FewestFound, unit: str, size: float) -> tuple[list[str], list[list[str]]]:
    """Headings, and a row of text an answer; for page and terminal."""
    priced = any(each.cost_per_hour is not None for each in found.answers)
    unit_of_money = found.currency or "cost"
    heads = ["tried", "rule", "fewest", *([f"{unit_of_money} an hour", f"{unit_of_money} in all"] if priced else []),
             f"mean wait {unit}", f"p95 wait {unit}", f"p99 wait {unit}"]  # fmt: skip
    if found.drawing is not None:
        heads += ["samples need", "enough in", "p95 of samples"]
    return heads, [_cells(found, each, size, priced=priced) for each in found.answers]


def _cells(found: FewestFound, each: FewestRow, size: float, *, priced: bool) -> list[str]:
    fewest, told = each.fewest, each.needed
    row = [fewest.machines.name, rule_of(each), "none" if fewest.cluster is None else short_form(fewest.cluster)]
    if priced:
        row += [money(each.cost_per_hour), money(each.cost)]
    m = None if fewest.outcome is None else fewest.outcome.metrics
    row += ["-"] * 3 if m is None else [short(s / size) for s in (m.mean_wait_s, m.p95_wait_s, m.p99_wait_s)]
    if found.drawing is None:
        return row
    if told is None:
        return [*row, "-", "-", "-"]
    low, high = show_seconds(told.p95_low_s), show_seconds(told.p95_high_s)
    return [*row, between(each), percent(told.met_in), f"{low} to {high}"]


def fewest_chart(found: FewestFound) -> Any:
    """The wait that the target speaks of against the number of machines, a line a rule and kind of machine."""
    import altair as alt

    name, most_s, read = _measure(found)
    unit, size = unit_for([most_s])
    several = len(found.answers) > 1
    values = [
        {"line": f"{each.fewest.machines.name}, {rule_of(each)}", "hosts": each.fewest.machines.at(number).hosts,
         "wait": max(read(outcome), _SHORTEST_S) / size}
        for each in found.answers for number, outcome in each.fewest.tried
    ]  # fmt: skip
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


def _measure(found: FewestFound) -> tuple[str, float, Any]:
    target = found.target
    if target.p95_s is not None:
        return "p95", target.p95_s, lambda outcome: outcome.metrics.p95_wait_s
    if target.p99_s is not None:
        return "p99", target.p99_s, lambda outcome: outcome.metrics.p99_wait_s
    assert target.mean_s is not None
    return "mean", target.mean_s, lambda outcome: outcome.metrics.mean_wait_s


def _facts(found: FewestFound) -> dict[str, str]:
    case, first = found.case, found.answers[0].fewest.setting
    drawn = "" if found.drawing is None else f"{found.drawing.how}, seed {found.drawing.seed}"
    facts = {
        "command": found.command,
        "version": f"loadmaster {__version__}",
        "log": f"{case.workload.source or 'unnamed'}{' (synthetic)' if case.workload.synthetic else ''}",
        "jobs": f"{case.workload.jobs:,}, {case.rejected.total:,} rejected, {case.skipped.total:,} lines left out",
        "target": found.target.words,
        "numbers tried": "; ".join(
            dict.fromkeys(
                f"{each.fewest.machines.name}: {each.fewest.machines.least:,} to {each.fewest.machines.most:,}"
                for each in found.answers
            )
        ),
        "jobs an hour": f"{found.growth:g} times those of the log" if found.growth != 1.0 else "as in the log",
        "cycle": f"{first.interval_s:g} s" if first.interval_s else "at every event",
        "samples": drawn,
        "seed": str(first.seed),
    }
    return {name: value for name, value in facts.items() if value}
