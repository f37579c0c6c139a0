"""The same study under other guesses: which of the paper's results hold on any of these machines."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from loadmaster.measure.interval import show_interval
from loadmaster.move.mosix import Mosix
from loadmaster.papers.amir2000.published import BY_EXECUTION, NAMES
from loadmaster.papers.amir2000.study import MethodSlowdowns, Setup
from loadmaster.report.page import Table
from loadmaster.traces.opportunity import CLUSTERS

Study = Callable[[Setup], MethodSlowdowns]

COLUMNS = (
    "PVM", "E-PVM", "Mosix", "E-Mosix", "P/E", "E/M", "M/EM", "Mosix - E-Mosix", "EM < Mosix in", "EM < E-PVM in", "n",
)  # fmt: skip

SWITCHES: tuple[tuple[str, dict[str, object]], ...] = (
    ("as in Table 1", {}),
    ("components split the work", {"component_work": "split"}),
    ("components each hold the whole memory", {"component_memory": "each"}),
    ("components draw their memory", {"component_memory": "iid"}),
    ("too large memories drawn again", {"memory_cap": "redraw"}),
    ("too large memories left", {"memory_cap": "none"}),
    ("a parallel job counts once", {"slowdown_unit": "parent"}),
    ("thrashing costs a factor of 3", {"thrash": 3.0}),
    ("thrashing costs a factor of 30", {"thrash": 30.0}),
    ("a migration stands still for 5 s", {"pause_s": 5.0}),
    ("one contact a turn", {"mosix": Mosix(fanout=1)}),
    ("five contacts a turn", {"mosix": Mosix(fanout=5)}),
    ("a turn every 10 s", {"mosix": Mosix(period_s=10.0)}),
    ("Mosix: stability 1", {"mosix": Mosix(stability=1.0)}),
    ("Mosix: stability 2", {"mosix": Mosix(stability=2.0)}),
    ("Mosix: keeps no memory free", {"mosix": Mosix(free_fraction=0.0)}),
    ("Mosix: keeps 20 % free", {"mosix": Mosix(free_fraction=0.2)}),
    ("Mosix: placed at random", {"methods": ("pvm", "e-pvm", "random+mosix", "e-mosix")}),
    ("Mosix: placed at the least load", {"methods": ("pvm", "e-pvm", "greedy+mosix", "e-mosix")}),
)


def cluster_table(setup: Setup, study: Study) -> Table:
    """Every guess at the machines, in both readings of the CPU load."""
    rows = [_published()]
    for cluster in CLUSTERS:
        for reading in ("jobs/speed", "jobs"):
            outcome = study(replace(setup, cluster=cluster, cpu_load=reading))
            rows.append((f"{cluster}, load as {reading}", *_cells(outcome)))
    return Table(("machines", *COLUMNS), rows, "average slowdowns by execution; Mosix - E-Mosix with its 95 % interval")


def switch_table(setup: Setup, study: Study) -> Table:
    """One switch at a time on the default machines."""
    rows = [_published()]
    for name, change in SWITCHES:
        rows.append((name, *_cells(study(replace(setup, **change)))))  # type: ignore[arg-type]
    return Table(("choice", *COLUMNS), rows, f"average slowdowns by execution; machines {setup.cluster}")


def spread(*tables: Table) -> str:
    """What the tables of set-ups say about Enhanced Mosix and Mosix, in one sentence or two."""
    column = 1 + COLUMNS.index("M/EM")
    tried = [float(row[column]) for table in tables for row in table.rows if row[0] != _published()[0]]
    return (
        f"In the paper Mosix is {_published()[column]} times as slow as Enhanced Mosix. That is not robust: in the "
        f"{len(tried)} set-ups below it is {min(tried):.3f} to {max(tried):.3f} times as slow. They differ in what is "
        "not published: the six machines, what a job's components share, thrashing, and the parameters of Mosix."
    )


def method_table(setup: Setup, outcome: MethodSlowdowns) -> Table:
    """All methods on the same streams."""
    mean = outcome.by_execution
    rows = [
        (
            NAMES[name],
            show_interval(mean[:, m]),
            f"{np.median(outcome.median[:, m]):.2f}",
            f"{outcome.by_job[m]:.2f}",
            f"{outcome.moves[:, m].mean():.2f}",
        )
        for m, name in enumerate(setup.methods)
    ]
    columns = ("method", "slowdown by execution", "median job", "slowdown by job", "migrations a job")
    return Table(columns, rows, f"{setup.cluster}, {len(mean)} executions")


def needs_table(setup: Setup, study: Study) -> Table:
    """What is lost when placement is not told the needs but learns them from the tasks it has seen."""
    methods = ("pvm", "e-pvm", "e-mosix", "mix-fit", "best-fit-memory", "least-loaded", "d-pvm")
    told = study(replace(setup, methods=methods)).by_execution
    learned = study(replace(setup, methods=methods, needs="learned")).by_execution
    rows = [
        (
            NAMES.get(name, name),
            f"{told[:, m].mean():.2f}",
            f"{learned[:, m].mean():.2f}",
            show_interval(learned[:, m] - told[:, m]),
            f"{learned[:, m].mean() / told[:, m].mean() - 1:+.1%}",
        )
        for m, name in enumerate(methods)
    ]
    columns = ("method", "told", "learned", "learned - told", "lost")
    return Table(columns, rows, f"average slowdown by execution; {setup.cluster}, {len(told)} executions")


def _cells(outcome: MethodSlowdowns) -> tuple[str, ...]:
    mean = outcome.by_execution
    p, e, m, em = mean.mean(axis=0)
    return (
        *(f"{value:.2f}" for value in (p, e, m, em)),
        f"{p / e:.3f}",
        f"{e / m:.3f}",
        f"{m / em:.3f}",
        show_interval(mean[:, 2] - mean[:, 3]),
        f"{(mean[:, 3] < mean[:, 2]).mean():.0%}",
        f"{(mean[:, 3] < mean[:, 1]).mean():.0%}",
        str(len(mean)),
    )


def _published() -> tuple[str, ...]:
    p, e, m, em = (BY_EXECUTION[name] for name in ("pvm", "e-pvm", "mosix", "e-mosix"))
    ratios = (f"{p / e:.3f}", f"{e / m:.3f}", f"{m / em:.3f}")
    return ("published", *(f"{v:.2f}" for v in (p, e, m, em)), *ratios, f"{m - em:.2f}", "", "all", "3000")
