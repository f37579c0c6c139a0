"""The load experiment in tables: the two readings of the cycle side by side, and hosts with more memory."""

from collections.abc import Mapping, Sequence

from loadmaster.papers.estimate import ratio_of_means, reduction
from loadmaster.papers.shai2014.loads import Curves, compared, over
from loadmaster.papers.shai2014.published import HEURISTICS, MAX, MIX, NAMES, POLICIES
from loadmaster.report.page import Table


def readings_table(readings: Sequence[Mapping[str, Curves]]) -> Table:
    """Mean wait at the highest load under each reading of the cycle, and what the thesis says of it."""
    rows: list[tuple[str, ...]] = []
    best, bands = set(), {}
    for curves_of in readings:
        for place, curves in enumerate(curves_of.values()):
            if place == 0:
                bands[len(rows)] = curves.reading.name
            waits = {name: curves.of(name)[:, 0] for name in POLICIES}
            means = [waits[name].mean() for name in POLICIES]
            best.add((len(rows), 1 + means.index(min(means))))
            single = min((waits[name] for name in HEURISTICS), key=lambda values: float(values.mean()))
            less = 100.0 * (1.0 - over(waits[MIX], compared(curves)[2]))
            rows.append(
                (
                    curves.name,
                    *(f"{mean:,.0f}" for mean in means),
                    reduction(waits[MIX], compared(curves)[2]).percent(),
                    f"{less.min():.0f} to {less.max():.0f} %",
                    ratio_of_means(waits[MAX], single).show(3),
                )
            )
    columns = (
        "pool",
        *(NAMES[name] for name in POLICIES),
        "Mix-Fit below the four",
        "a stream",
        "Max-Jobs over the best",
    )
    caption = "Mean wait in seconds at the highest load, of jobs after the warm-up; 95 % intervals of paired ratios."
    return Table(columns, rows, caption, frozenset(best), bands)


def richer_table(main: Mapping[str, Curves], richer: Mapping[str, Curves], gib: float) -> Table:
    """Mean wait at the highest load with the hosts' memory as assumed and with more."""
    rows = []
    for pool in richer:
        for memory, curves in ((4.0, main[pool]), (gib, richer[pool])):
            less = reduction(curves.of(MIX)[:, 0], compared(curves)[2])
            cells = [f"{curves.of(name)[:, 0].mean():,.0f}" for name in POLICIES]
            rows.append((f"{pool}, {memory:g} GiB a core", f"{curves.core_loads[0]:.2f}", *cells, less.percent()))
    columns = ("synthetic pool", "load on cores", *(NAMES[name] for name in POLICIES), "Mix-Fit below the four")
    return Table(columns, rows, "Mean wait in seconds at the highest load; 95 % intervals of paired ratios")
